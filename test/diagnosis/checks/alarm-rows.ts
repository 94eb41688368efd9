import type {
  AlarmFacts,
  Inventory,
  KeyFacts,
  TopicFacts,
  WatchedMetricFacts,
} from '../../../diagnosis/inventory/inventory';
import {
  ACCOUNT,
  alarm,
  alarmArn,
  arnOf,
  deadLettersOf,
  inventoryOf,
  key,
  mapping,
  metric,
  OPS,
  policyOf,
  queue,
  queueArn,
  queueUser,
  ruleTarget,
  subscription,
  topic,
  topicArn,
  UNKNOWN,
} from '../inventories';
import type { Row } from './row';

const OTHERS = '999999999999';
const DEAD = { deadLetterTargetArn: queueArn('dead') };
const SENT = metric('dead', 'NumberOfMessagesSent');
const VISIBLE = metric('dead', 'ApproximateNumberOfMessagesVisible');
const topicMetric = (name: string, TopicName = 'orders'): WatchedMetricFacts => ({
  ...SENT,
  namespace: 'AWS/SNS',
  name,
  dimensions: { TopicName },
});
const LOST = topicMetric('NumberOfNotificationsFailedToRedriveToDlq');

const OTHER_QUERY = 'SELECT SUM(NumberOfMessagesDeleted) FROM SCHEMA("AWS/SQS", QueueName)';
const SCALES = arnOf('autoscaling', 'scalingPolicy:x');
const EXTRA = alarm('something else', [metric('other', 'ApproximateNumberOfMessagesVisible')]);
const moved = (...alarms: readonly AlarmFacts[]): Inventory =>
  inventoryOf({
    queues: [queue('work', { redrivePolicy: { ...DEAD, maxReceiveCount: 5 } }), deadLettersOf('orders', 'dead')],
    alarms: [EXTRA, ...alarms],
  });
const undelivered = (...alarms: readonly AlarmFacts[]): Inventory =>
  inventoryOf({
    topics: [topic('orders')],
    subscriptions: [subscription('orders', '1', DEAD)],
    queues: [deadLettersOf('orders', 'dead')],
    alarms: [EXTRA, ...alarms],
  });

const mute = (facts: Partial<AlarmFacts>) => alarm('dead', [VISIBLE], facts);
const composite = (rule: AlarmFacts['rule'], facts: Partial<AlarmFacts> = {}) =>
  alarm('all', [], { ...(rule !== undefined && { rule }), ...facts });

const CLOUDWATCH = { Service: 'cloudwatch.amazonaws.com' };
const publish = (Principal: unknown, Condition?: object) => ({
  Effect: 'Allow',
  Principal,
  Action: 'sns:Publish',
  Resource: OPS,
  ...(Condition && { Condition }),
});
const TLS_ALONE = {
  Effect: 'Deny',
  Principal: '*',
  Action: 'sns:Publish',
  Resource: OPS,
  Condition: { Bool: { 'aws:SecureTransport': 'false' } },
};
const OURS = {
  ArnLike: { 'aws:SourceArn': arnOf('cloudwatch', 'alarm:*') },
  StringEquals: { 'aws:SourceAccount': ACCOUNT },
};
const spoken = (ops: Partial<TopicFacts>, keys: readonly KeyFacts[] = []): Inventory =>
  inventoryOf({
    topics: [topic('ops', ops)],
    subscriptions: [subscription('ops', '1', { protocol: 'email', endpoint: 'ops@example.com' })],
    alarms: [alarm('errors', [{ ...SENT, namespace: 'AWS/Lambda', name: 'Errors', dimensions: {} }])],
    keys,
  });
const USE = {
  Effect: 'Allow',
  Principal: CLOUDWATCH,
  Action: ['kms:Decrypt', 'kms:GenerateDataKey*'],
  Resource: '*',
  Condition: OURS,
};
const heardBy = (facts: object, more: Partial<Inventory> = {}): Inventory => ({
  ...spoken({}),
  subscriptions: [subscription('ops', '1', { protocol: 'email', endpoint: 'ops@example.com', ...facts })],
  ...more,
});
const fifoOps = { alarmActions: [topicArn('ops.fifo')] };

export const ALARM_ROWS: readonly Row[] = [
  {
    id: 'dead-letters-unwatched',
    severity: 'unwatched',
    what: 'a queue’s dead letters without an alarm',
    withFault: moved(),
    about: 'dead',
    others: [queueArn('work')],
    says: /No alarm reports the dead letters in dead that come from work/,
    calls: ['PutMetricAlarm'],
    withoutFault: [
      moved(alarm('dead', [VISIBLE])),
      moved(alarm('old', [metric('dead', 'ApproximateAgeOfOldestMessage')])),
      moved(alarm('math', [metric('dead', 'ApproximateNumberOfMessagesNotVisible'), VISIBLE])),
      inventoryOf({ queues: [queue('nobodys')] }),
      { ...moved(), mappings: [mapping('tells', 'dead')] },
      moved(
        alarm('central', [{ ...VISIBLE, accountId: ACCOUNT }], {
          arn: arnOf('cloudwatch', 'alarm:c', undefined, OTHERS),
        }),
      ),
      { ...moved(), queueUsers: [queueUser('tells', { sourceArn: queueArn('dead'), deadLetterTargetArn: undefined })] },
    ],
    unknownBecause: [
      { ...moved(), queueUsers: [queueUser('may tell', { sourceArn: UNKNOWN })] },
      moved(alarm('dead', [{ ...VISIBLE, dimensions: { QueueName: UNKNOWN } }])),
      moved(alarm('query', [], { queries: ['SELECT MAX(ApproximateNumberOfMessagesVisible) FROM "AWS/SQS"'] })),
      moved(alarm('query', [], { queries: [UNKNOWN] })),
      moved(alarm('central', [{ ...VISIBLE, accountId: UNKNOWN }])),
      moved(alarm('nobody knows where', [VISIBLE], { arn: arnOf('cloudwatch', 'alarm:x', '<region>', '<account>') })),
      moved(alarm('queries', [], { queries: [OTHER_QUERY, UNKNOWN] })),
      moved(alarm('hidden', [{ ...VISIBLE, namespace: 'unknown' }])),
      moved(alarm('hidden', [{ ...VISIBLE, name: 'unknown' }])),
      moved(alarm('nobody knows what', [])),
      { ...moved(), unread: ['the alarms: cloudwatch:DescribeAlarms is denied'] },
    ],
  },
  {
    id: 'dead-letters-unwatched',
    severity: 'unwatched',
    what: 'a topic’s dead letters without an alarm',
    withFault: undelivered(),
    about: 'dead',
    others: [`${topicArn('orders')}:1`],
    says: /come from orders:1/,
    calls: ['PutMetricAlarm'],
    withoutFault: [
      undelivered(alarm('dead', [SENT])),
      undelivered(alarm('dead', [VISIBLE])),
      undelivered(alarm('dead', [topicMetric('NumberOfNotificationsRedrivenToDlq')])),
      inventoryOf({
        targets: [ruleTarget('placed', queueArn('work'), DEAD)],
        queues: [queue('dead')],
        alarms: [
          alarm('rule', [
            { ...SENT, namespace: 'AWS/Events', name: 'InvocationsSentToDlq', dimensions: { RuleName: 'placed' } },
          ]),
        ],
      }),
    ],
  },
  {
    id: 'dead-letters-unwatched',
    severity: 'unwatched',
    what: 'queries of other metrics, and nobody to tell',
    withFault: { ...moved(), alarms: [alarm('query', [], { queries: [OTHER_QUERY], alarmActions: [SCALES] })] },
    about: 'dead',
    others: [queueArn('work')],
    says: /come from work/,
    withoutFault: [moved(alarm('dead', [VISIBLE]))],
  },
  {
    id: 'dead-letters-unwatched',
    severity: 'unwatched',
    what: 'alarms of another Region and another account on queues of the same name',
    withFault: moved(
      alarm('abroad', [VISIBLE], { arn: arnOf('cloudwatch', 'alarm:dead', 'us-east-1') }),
      alarm('elsewhere', [VISIBLE], { arn: arnOf('cloudwatch', 'alarm:dead', undefined, OTHERS) }),
      alarm('of others', [{ ...VISIBLE, accountId: OTHERS }]),
    ),
    about: 'dead',
    others: [queueArn('work')],
    says: /come from work/,
    calls: ['PutMetricAlarm'],
    withoutFault: [moved(alarm('dead', [VISIBLE]))],
  },
  {
    id: 'dead-letters-unwatched',
    severity: 'unwatched',
    what: 'dead letters that SNS sends and SQS moves, in a queue that only a disabled mapping reads',
    withFault: {
      ...moved(),
      subscriptions: [subscription('orders', '1', DEAD)],
      mappings: [mapping('off', 'dead', { isEnabled: false })],
      queueUsers: [queueUser('shop', { sourceArn: queueArn('work') })],
    },
    about: 'dead',
    others: [`${topicArn('orders')}:1`, queueArn('work')],
    says: /come from orders:1, work\./,
    // SQS does not count in NumberOfMessagesSent what it moves itself.
    fixSays: /on NumberOfMessagesSent and ApproximateNumberOfMessagesVisible of dead/,
    calls: ['PutMetricAlarm', 'PutMetricAlarm'],
    withoutFault: [
      { ...moved(alarm('dead', [VISIBLE])), subscriptions: [subscription('orders', '1', DEAD)] },
      { ...moved(), subscriptions: [subscription('orders', '1', DEAD)], mappings: [mapping('tells', 'dead')] },
    ],
  },
  {
    id: 'alarm-on-sent-never-fires',
    severity: 'unwatched',
    what: 'an alarm on what is sent, of a queue to which SQS moves messages of two others',
    withFault: inventoryOf({
      queues: [
        ...['bills', 'work'].map(it => queue(it, { redrivePolicy: { ...DEAD, maxReceiveCount: 5 } })),
        queue('dead'),
      ],
      alarms: [alarm('sent', [SENT])],
    }),
    about: 'sent',
    others: [queueArn('dead'), queueArn('bills'), queueArn('work')],
    location: 'Properties/MetricName',
    says: /those it moves itself from bills, work, so the alarm never fires/,
    calls: ['PutMetricAlarm'],
    withoutFault: [moved(alarm('visible', [VISIBLE]))],
  },
  {
    id: 'alarm-on-sent-never-fires',
    severity: 'unwatched',
    what: 'an alarm on what is sent, of a queue SQS alone feeds',
    withFault: moved(alarm('dead', [SENT])),
    about: 'dead',
    others: [queueArn('dead'), queueArn('work')],
    location: 'Properties/MetricName',
    says: /SQS does not count those it moves itself from work/,
    calls: ['PutMetricAlarm'],
    withoutFault: [
      moved(alarm('sent', [SENT]), alarm('visible', [VISIBLE])),
      undelivered(alarm('dead', [SENT])),
      moved(),
    ],
    unknownBecause: [moved(alarm('sent', [SENT]), alarm('nobody knows what', []))],
  },
  {
    id: 'alarm-tells-nobody',
    severity: 'unwatched',
    what: 'an alarm without an action',
    withFault: moved(mute({ alarmActions: [] })),
    about: 'dead',
    others: [queueArn('dead')],
    location: 'Properties/AlarmActions',
    says: /it has no action: it notifies no one/,
    // The topic that other alarms of the account notify.
    fixSays: /^Give the alarm an action, such as arn:aws:sns:.*:ops\.$/,
    withoutFault: [
      moved(mute({})),
      moved(mute({ alarmActions: [] }), composite('ALARM("dead") OR ALARM("x")')),
      moved(mute({ alarmActions: [] }), composite(`ALARM(${alarmArn('dead')})`)),
      moved(mute({ alarmActions: [] }), alarm('other', [VISIBLE])),
      inventoryOf({ alarms: [alarm('scales something', [], { alarmActions: [] })] }),
    ],
    unknownBecause: [
      moved(mute({ alarmActions: UNKNOWN })),
      moved(mute({ actionsEnabled: UNKNOWN })),
      moved(mute({ alarmActions: [] }), composite(UNKNOWN)),
    ],
  },
  {
    id: 'alarm-tells-nobody',
    severity: 'unwatched',
    what: 'an alarm whose actions are disabled, in a composite that has none',
    withFault: moved(mute({ actionsEnabled: false }), composite('ALARM("dead")', { alarmActions: [] })),
    about: 'dead',
    others: [queueArn('dead')],
    location: 'Properties/ActionsEnabled',
    says: /its actions are disabled/,
    calls: ['EnableAlarmActions'],
    withoutFault: [moved(mute({ actionsEnabled: false }), composite('ALARM("dead")'))],
  },
  {
    id: 'alarm-tells-nobody',
    severity: 'unwatched',
    what: 'one of the same name as one that an alarm of another Region names',
    withFault: moved(
      mute({ alarmActions: [] }),
      composite('ALARM("dead")', { arn: arnOf('cloudwatch', 'alarm:all', 'us-east-1') }),
    ),
    about: 'dead',
    others: [queueArn('dead')],
    location: 'Properties/AlarmActions',
    says: /it has no action/,
    withoutFault: [moved(mute({ alarmActions: [] }), composite('ALARM("dead")'))],
  },
  {
    id: 'alarm-tells-nobody',
    severity: 'unwatched',
    what: 'the only alarm of an account, without an action',
    withFault: { ...moved(), alarms: [mute({ alarmActions: [] })] },
    about: 'dead',
    others: [queueArn('dead')],
    location: 'Properties/AlarmActions',
    says: /it has no action/,
    fixSays: /^Give the alarm an action, such as a topic with a confirmed subscription\.$/,
    withoutFault: [{ ...moved(), alarms: [mute({})] }],
  },
  {
    id: 'losses-unwatched',
    severity: 'unwatched',
    what: 'a topic of which no alarm watches what it loses',
    withFault: undelivered(),
    about: 'orders',
    says: /No alarm watches NumberOfNotificationsFailedToRedriveToDlq of orders/,
    calls: ['PutMetricAlarm'],
    withoutFault: [
      undelivered(alarm('lost', [LOST])),
      inventoryOf({ topics: [topic('orders')], subscriptions: [subscription('orders', '1')] }),
      inventoryOf({ subscriptions: [subscription('of-another-app', '1', DEAD)] }),
    ],
    unknownBecause: [
      undelivered(alarm('lost', [{ ...LOST, dimensions: { TopicName: UNKNOWN } }])),
      { ...undelivered(), unread: ['the alarms: cloudwatch:DescribeAlarms is denied'] },
    ],
  },
  {
    id: 'alarm-topic-closed',
    severity: 'unwatched',
    what: 'a topic whose policy has replaced the one that lets CloudWatch in',
    withFault: spoken({ policy: policyOf(TLS_ALONE) }),
    about: 'ops',
    others: [alarmArn('errors')],
    says: /whose policy does not allow CloudWatch to publish/,
    calls: ['SetTopicAttributes'],
    withoutFault: [
      spoken({}),
      spoken({ policy: undefined }),
      spoken({ policy: policyOf(TLS_ALONE, publish(CLOUDWATCH, OURS)) }),
      spoken({ policy: policyOf(publish('*', { StringEquals: { 'aws:SourceOwner': ACCOUNT } })) }),
      inventoryOf({ topics: [topic('orders', { policy: policyOf(TLS_ALONE) })] }),
    ],
    unknownBecause: [spoken({ policy: UNKNOWN })],
  },
  {
    id: 'alarm-topic-closed',
    severity: 'unwatched',
    what: 'a topic whose key does not know CloudWatch',
    withFault: spoken({ keyId: 'k' }, [key('k')]),
    about: 'ops',
    others: [alarmArn('errors')],
    location: 'Properties/KmsMasterKeyId',
    says: /encrypted with k, a key whose policy does not allow CloudWatch/,
    calls: ['PutKeyPolicy'],
    withoutFault: [spoken({ keyId: 'k' }, [key('k', [USE])])],
    unknownBecause: [
      spoken({ keyId: 'k' }),
      spoken({ keyId: 'k' }, [key('k', [], { policy: UNKNOWN })]),
      spoken({ keyId: UNKNOWN }),
    ],
  },
  {
    id: 'alarm-topic-closed',
    severity: 'unwatched',
    what: 'a topic with a key of AWS’s own',
    withFault: spoken({ keyId: 'alias/aws/sns' }),
    about: 'ops',
    others: [alarmArn('errors')],
    location: 'Properties/KmsMasterKeyId',
    says: /alias\/aws\/sns, an AWS managed key/,
    withoutFault: [spoken({})],
  },
  {
    id: 'alarm-topic-fifo',
    severity: 'unwatched',
    what: 'a FIFO topic',
    withFault: inventoryOf({ topics: [topic('ops.fifo')], alarms: [alarm('errors', [VISIBLE], fifoOps)] }),
    about: 'errors',
    others: [topicArn('ops.fifo')],
    location: 'Properties/AlarmActions',
    says: /publishes to the FIFO topic ops\.fifo/,
    withoutFault: [spoken({})],
    unknownBecause: [
      inventoryOf({ topics: [topic('ops.fifo')], alarms: [alarm('errors', [VISIBLE], { alarmActions: UNKNOWN })] }),
    ],
  },
  {
    id: 'ops-topic-unheard',
    severity: 'unwatched',
    what: 'a topic whose one subscriber has not confirmed',
    withFault: heardBy({ isPending: true }),
    about: 'ops',
    others: [alarmArn('errors')],
    says: /which has no confirmed subscription/,
    withoutFault: [heardBy({}), inventoryOf({ topics: [topic('ops')] })],
    unknownBecause: [
      heardBy({ isPending: true }, { isComplete: false }),
      heardBy({ isPending: true }, { unread: ['subscriptions'] }),
    ],
  },
];
