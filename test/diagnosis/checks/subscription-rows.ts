import type { SubscriptionFacts } from '../../../diagnosis/inventory/inventory';
import {
  ACCOUNT,
  arnOf,
  deadLettersOf,
  functionArn,
  inventoryOf,
  lambda,
  mapping,
  queue,
  queueArn,
  queueUser,
  ruleTarget,
  schedule,
  subscription,
  topic,
  topicArn,
  UNKNOWN,
} from '../inventories';
import { placed, type Row } from './row';

const DEAD = { deadLetterTargetArn: queueArn('dead') };
const HTTPS = { protocol: 'https', endpoint: 'https://partner.example.com/orders' };
const PHONE = { protocol: 'sms', endpoint: '+15550100' };

const to = (facts: Partial<SubscriptionFacts>) =>
  inventoryOf({ topics: [topic('orders')], subscriptions: [subscription('orders', '1', facts)] });
const fifoTo = (facts: Partial<SubscriptionFacts>) =>
  inventoryOf({ topics: [topic('orders.fifo')], subscriptions: [subscription('orders.fifo', '1', facts)] });
const writtenAt = (constructPath: string, logicalId = 'Partner') =>
  inventoryOf({ subscriptions: [subscription('orders', '1', { ...HTTPS, ...placed(logicalId, { constructPath }) })] });

const six = { qualifier: '$LATEST', onSuccessArn: undefined, maximumRetryAttempts: 2 };
const eventsOf = (maximumEventAgeSeconds: number) => [{ ...six, onFailureArn: undefined, maximumEventAgeSeconds }];

const byCdk = (logicalId: string) => placed(logicalId, { constructPath: `App/${logicalId}/Resource` });
/** A rule whose target is a function at this path, as `AwsApi` creates it. */
const callsAws = (constructPath: string) =>
  inventoryOf({
    isComplete: false,
    targets: [ruleTarget('purge', functionArn('calls'), byCdk('Purge'))],
    functions: [lambda('calls', placed('Calls', { constructPath }))],
  });
const READ_DEAD = { queues: [queue('dead')], mappings: [mapping('bill', 'dead')] };
const CDKS_OWN = [
  'App/AWSb4cf1abd4e4f4bc699441af7ccd9ec37/Resource',
  'App/LogRetentionaae0aa3c5b4d4f87b02d85b201efdd8a/Resource',
  'App/CrossRegionAwsSdkb4cf1abd4e4f4bc699441af7ccd9ec37/Default',
  'App/BucketNotificationsHandler050a0587b7544547bf325f094a3db834/Resource',
  'App/Custom::CDKBucketDeployment8693BB64968944B69AAFB0CC9EB8756C/Resource',
  'App/Custom::S3AutoDeleteObjectsCustomResourceProvider/Handler',
  'App/Provider/framework-onEvent/Resource',
];

/** Constructs of an app that are inside of those, or only begin like them. */
const NOT_CDKS_OWN = [
  'App/AWSb4cf1abd4e4f4bc699441af7ccd9ec37/Worker/Resource',
  'App/LogRetentionaae0aa3c5b4d4f87b02d85b201efdd8a/Worker/Resource',
  'App/CrossRegionAwsSdkb4cf1abd4e4f4bc699441af7ccd9ec37/Worker/Resource',
  'App/BucketNotificationsHandler050a0587b7544547bf325f094a3db834/Worker/Resource',
  'App/BucketNotificationsHandlerOfOurs/Resource',
  'App/Custom::CDKBucketDeployment8693BB64968944B69AAFB0CC9EB8756C/Worker/Resource',
  'App/Custom::S3AutoDeleteObjectsCustomResourceProvider/HandlerOfOurs',
  'App/Custom::S3/ResourceReader',
  'App/Provider/framework-onEventOfOurs/Resource',
];

export const SUBSCRIPTION_ROWS: readonly Row[] = [
  {
    id: 'endpoint-of-another-protocol',
    severity: 'rejected',
    what: 'http beside an https endpoint',
    withFault: to({ ...HTTPS, protocol: 'http' }),
    about: 'orders:1',
    location: 'Properties/Protocol',
    says: /has the protocol http, but its endpoint begins with https:\/\//,
    withoutFault: [
      to(HTTPS),
      to({ protocol: 'http', endpoint: 'http://partner.example.com' }),
      to({ ...HTTPS, endpoint: 'HTTPS://partner.example.com' }),
      to({ ...HTTPS, endpoint: 'partner.example.com' }),
      to({ ...HTTPS, endpoint: 'partner.example.com?next=http://orders.example.com' }),
    ],
    unknownBecause: [to({ protocol: 'http', endpoint: UNKNOWN })],
  },
  {
    id: 'endpoint-of-another-protocol',
    severity: 'rejected',
    what: 'https with an http endpoint',
    withFault: to({ ...HTTPS, endpoint: 'http://partner.example.com' }),
    about: 'orders:1',
    location: 'Properties/Protocol',
    says: /has the protocol https, but its endpoint begins with http:\/\//,
    withoutFault: [to(HTTPS)],
  },
  {
    id: 'endpoint-of-another-protocol',
    severity: 'rejected',
    what: 'firehose with a queue',
    withFault: to({ protocol: 'firehose', endpoint: queueArn('work') }),
    about: 'orders:1',
    location: 'Properties/Protocol',
    says: /its endpoint belongs to sqs/,
    withoutFault: [
      to({ protocol: 'firehose', endpoint: arnOf('firehose', 'deliverystream/log') }),
      to({ protocol: 'application', endpoint: arnOf('sns', 'endpoint/GCM/shop/1') }),
    ],
  },
  {
    id: 'endpoint-of-another-protocol',
    severity: 'rejected',
    what: 'sqs beside a function',
    withFault: to({ protocol: 'sqs', endpoint: functionArn('bill') }),
    about: 'orders:1',
    location: 'Properties/Protocol',
    says: /its endpoint belongs to lambda/,
    withoutFault: [
      to({}),
      to({ protocol: 'lambda', endpoint: functionArn('bill') }),
      to(PHONE),
      to({ endpoint: 'no ARN' }),
    ],
    unknownBecause: [to({ endpoint: arnOf('<Service>', 'x') })],
  },
  {
    id: 'fifo-topic-to-other-than-queues',
    severity: 'rejected',
    what: 'a server of a FIFO topic',
    withFault: fifoTo(HTTPS),
    about: 'orders.fifo:1',
    location: 'Properties/Protocol',
    says: /subscribes https to a FIFO topic/,
    withoutFault: [fifoTo({}), fifoTo({ endpoint: queueArn('work.fifo') }), to(HTTPS)],
    unknownBecause: [
      inventoryOf({ subscriptions: [subscription('orders', '1', { ...HTTPS, topicArn: UNKNOWN })] }),
      fifoTo({ protocol: 'unknown' }),
    ],
  },
  {
    id: 'fifo-topic-to-other-than-queues',
    severity: 'rejected',
    what: 'a server of a FIFO topic of another app, which only its name shows',
    withFault: inventoryOf({ subscriptions: [subscription('orders.fifo', '1', HTTPS)] }),
    about: 'orders.fifo:1',
    location: 'Properties/Protocol',
    says: /subscribes https to a FIFO topic/,
    withoutFault: [inventoryOf({ subscriptions: [subscription('orders', '1', HTTPS)] })],
  },
  {
    id: 'fifo-queue-of-standard-topic',
    severity: 'rejected',
    what: 'a FIFO queue of a standard topic',
    withFault: { ...to({ endpoint: queueArn('work.fifo') }), queues: [queue('work.fifo')] },
    about: 'orders:1',
    location: 'Properties/Endpoint',
    says: /FIFO queue work.fifo is subscribed to the standard topic orders/,
    withoutFault: [
      { ...to({ endpoint: queueArn('work') }), queues: [queue('work')] },
      { ...fifoTo({ endpoint: queueArn('work.fifo') }), queues: [queue('work.fifo')] },
      { ...to({ protocol: 'lambda', endpoint: queueArn('work.fifo') }), queues: [queue('work.fifo')] },
    ],
    unknownBecause: [to({ endpoint: UNKNOWN })],
  },
  {
    id: 'confirmation-needed',
    severity: 'loses',
    what: 'a subscription nobody has confirmed',
    withFault: to({ ...HTTPS, isPending: true }),
    about: 'orders:1',
    says: /awaits confirmation/,
    withoutFault: [to(HTTPS), writtenAt('Test/Partner')],
  },
  {
    id: 'url-as-construct-id',
    severity: 'on-change',
    what: 'a URL as a construct’s id',
    withFault: writtenAt('Test/Orders/https:----user:secret@partner.example.com--orders'),
    about: 'orders:1',
    says: /URL is the id/,
    withoutFault: [writtenAt('Test/Partner'), writtenAt('Test/HttpsPartner')],
  },
  {
    id: 'url-as-construct-id',
    severity: 'on-change',
    what: 'an http URL as the id of a construct at the root of the app',
    withFault: writtenAt('http:----partner.example.com--orders'),
    about: 'orders:1',
    says: /URL is the id/,
    withoutFault: [writtenAt('Partner')],
  },
  {
    id: 'no-dead-letter-queue',
    severity: 'at-risk',
    what: 'a queue’s subscription without a dead-letter queue',
    withFault: to({}),
    about: 'orders:1',
    location: 'Properties/RedrivePolicy',
    says: /^The subscription orders:1 has no dead-letter queue: a message is lost when SNS stops retrying it/,
    calls: ['CreateQueue', 'SetSubscriptionAttributes'],
    withoutFault: [
      to(DEAD),
      to({ protocol: 'email', endpoint: 'ops@example.com' }),
      to({ protocol: 'email-json', endpoint: 'ops@example.com' }),
      to(PHONE),
      to({ ...HTTPS, isPending: true }),
      to({ ...HTTPS, endpoint: 'https://global.sns-api.chatbot.amazonaws.com' }),
    ],
    unknownBecause: [to({ deadLetterTargetArn: UNKNOWN })],
  },
  {
    id: 'no-dead-letter-queue',
    severity: 'at-risk',
    what: 'a server whose URL only contains the address of a chat application',
    withFault: to({
      ...HTTPS,
      endpoint: 'https://partner.example.com/?to=https://global.sns-api.chatbot.amazonaws.com',
    }),
    about: 'orders:1',
    location: 'Properties/RedrivePolicy',
    says: /lost when SNS stops retrying it/,
    calls: ['CreateQueue', 'SetSubscriptionAttributes'],
    withoutFault: [to({ ...HTTPS, endpoint: 'https://global.sns-api.chatbot.amazonaws.com/?from=orders' })],
  },
  {
    id: 'no-dead-letter-queue',
    severity: 'at-risk',
    what: 'a rule’s target without a dead-letter queue',
    withFault: inventoryOf({ targets: [ruleTarget('placed', queueArn('work'))] }),
    about: 'placed',
    location: 'Properties/Targets',
    says: /The rule placed has no dead-letter queue/,
    withoutFault: [
      inventoryOf({ targets: [ruleTarget('placed', queueArn('work'), DEAD)] }),
      inventoryOf({ targets: [ruleTarget('placed', queueArn('work'), { isEnabled: false })] }),
      inventoryOf({
        targets: [ruleTarget('tick', functionArn('tick'))],
        functions: [lambda('tick', { eventInvokes: eventsOf(300) })],
      }),
      inventoryOf({ targets: [ruleTarget('tick', queueArn('work'), { maximumEventAgeSeconds: 86_399 })] }),
    ],
    unknownBecause: [
      inventoryOf({ targets: [ruleTarget('tick', queueArn('work'), { maximumEventAgeSeconds: UNKNOWN })] }),
      inventoryOf({ targets: [ruleTarget('placed', queueArn('work'), { deadLetterTargetArn: UNKNOWN })] }),
      inventoryOf({
        targets: [ruleTarget('tick', functionArn('tick'))],
        functions: [lambda('tick', { eventInvokes: UNKNOWN })],
      }),
    ],
  },
  {
    id: 'no-dead-letter-queue',
    severity: 'at-risk',
    what: 'a schedule without a dead-letter queue, whose function takes events of any age',
    withFault: inventoryOf({
      targets: [schedule('nightly', functionArn('bill'))],
      functions: [lambda('bill', { eventInvokes: eventsOf(21_600) })],
    }),
    about: 'nightly',
    location: 'Properties/Target/DeadLetterConfig',
    says: /The schedule nightly has no dead-letter queue/,
    withoutFault: [inventoryOf({ targets: [schedule('nightly', functionArn('bill'), DEAD)] })],
  },
  {
    id: 'no-dead-letter-queue',
    severity: 'at-risk',
    what: 'a rule with a target that aws-cdk-lib gives no property for one',
    withFault: callsAws('App/AWSb4cf1abd4e4f4bc699441af7ccd9ec37/Resource'),
    about: 'purge',
    location: 'Properties/Targets',
    says: /The rule purge has no dead-letter queue/,
    withoutFault: [{ ...callsAws('App/AWSb4cf1abd4e4f4bc699441af7ccd9ec37/Resource'), targets: [] }],
  },
  {
    id: 'no-dead-letter-queue',
    severity: 'at-risk',
    what: 'a rule that writes to Firehose',
    withFault: inventoryOf({ targets: [ruleTarget('log', arnOf('firehose', 'deliverystream/log'), byCdk('Rule'))] }),
    about: 'log',
    location: 'Properties/Targets',
    says: /The rule log has no dead-letter queue/,
    withoutFault: [
      inventoryOf({
        targets: [ruleTarget('log', arnOf('firehose', 'deliverystream/log'), { ...byCdk('Rule'), ...DEAD })],
      }),
    ],
  },
  ...[
    inventoryOf({ targets: [ruleTarget('log', arnOf('firehose', 'deliverystream/log'))] }),
    { ...callsAws('App/Worker/Resource') },
    inventoryOf({ targets: [ruleTarget('log', queueArn('work'), byCdk('Rule'))] }),
    inventoryOf({ targets: [ruleTarget('log', functionArn('of-another-app'), byCdk('Rule'))] }),
  ].map(
    (withFault): Row => ({
      id: 'no-dead-letter-queue',
      severity: 'at-risk',
      what: `a rule for which aws-cdk-lib has the property: ${JSON.stringify(withFault.targets[0]?.targetArn)}`,
      withFault,
      about: withFault.targets[0]?.name ?? '',
      location: 'Properties/Targets',
      says: /has no dead-letter queue/,
      withoutFault: [{ ...withFault, targets: withFault.targets.map(it => ({ ...it, ...DEAD })) }],
    }),
  ),
  {
    id: 'no-dead-letter-queue',
    severity: 'at-risk',
    what: 'a schedule that writes to Firehose: its target in aws-cdk-lib has the property',
    withFault: inventoryOf({ targets: [schedule('log', arnOf('firehose', 'deliverystream/log'), byCdk('Schedule'))] }),
    about: 'log',
    location: 'Properties/Target/DeadLetterConfig',
    says: /The schedule log has no dead-letter queue/,
    withoutFault: [inventoryOf({ targets: [schedule('log', arnOf('firehose', 'deliverystream/log'), DEAD)] })],
  },
  {
    id: 'sms-without-dead-letter-queue',
    severity: 'at-risk',
    what: 'a phone’s subscription without a dead-letter queue',
    withFault: to(PHONE),
    about: 'orders:1',
    location: 'Properties/RedrivePolicy',
    says: /phone’s subscription orders:1 has no dead-letter queue/,
    calls: ['CreateQueue', 'SetSubscriptionAttributes'],
    withoutFault: [to({ ...PHONE, ...DEAD }), to({})],
    unknownBecause: [to({ ...PHONE, deadLetterTargetArn: UNKNOWN })],
  },
  {
    id: 'function-keeps-nothing',
    severity: 'at-risk',
    what: 'a subscribed function that keeps nothing',
    withFault: {
      ...to({ ...DEAD, protocol: 'lambda', endpoint: functionArn('bill') }),
      functions: [lambda('bill')],
    },
    about: 'bill',
    others: [`${topicArn('orders')}:1`],
    says: /orders:1 invokes the function bill, which has neither/,
    calls: ['CreateQueue', 'PutRolePolicy', 'PutFunctionEventInvokeConfig'],
    withoutFault: [
      { ...to({ protocol: 'lambda', endpoint: functionArn('bill') }), functions: [lambda('bill', DEAD)] },
      {
        ...to({ protocol: 'lambda', endpoint: functionArn('bill') }),
        functions: [
          lambda('bill', { eventInvokes: [{ ...six, onFailureArn: topicArn('ops'), maximumEventAgeSeconds: 21_600 }] }),
        ],
      },
      {
        ...to({ protocol: 'lambda', endpoint: functionArn('bill') }),
        functions: [lambda('bill', { eventInvokes: eventsOf(60) })],
      },
      ...CDKS_OWN.map(callsAws),
      inventoryOf({ functions: [lambda('invoked-by-nobody')] }),
      inventoryOf({
        functions: [lambda('bill')],
        targets: [ruleTarget('off', functionArn('bill'), { isEnabled: false })],
      }),
      {
        ...to({ protocol: 'lambda', endpoint: functionArn('bill'), isPending: true }),
        functions: [lambda('bill')],
      },
    ],
    unknownBecause: [
      {
        ...to({ protocol: 'lambda', endpoint: functionArn('bill') }),
        functions: [lambda('bill', { deadLetterTargetArn: UNKNOWN })],
      },
      {
        ...to({ protocol: 'lambda', endpoint: functionArn('bill') }),
        functions: [
          lambda('bill', { eventInvokes: [{ ...six, onFailureArn: UNKNOWN, maximumEventAgeSeconds: 21_600 }] }),
        ],
      },
      { ...to({ protocol: 'lambda', endpoint: `${functionArn('bill')}:live` }), functions: [lambda('bill')] },
    ],
  },
  {
    id: 'function-keeps-nothing',
    severity: 'at-risk',
    what: 'a function behind a rule, one of whose aliases keeps what it fails on',
    withFault: inventoryOf({
      targets: [ruleTarget('placed', functionArn('bill'), DEAD)],
      functions: [
        lambda('bill', {
          eventInvokes: [
            { ...six, qualifier: 'live', onFailureArn: topicArn('ops'), maximumEventAgeSeconds: 60 },
            { ...six, onFailureArn: undefined, maximumEventAgeSeconds: 21_600 },
          ],
        }),
      ],
    }),
    about: 'bill',
    others: [arnOf('events', 'rule/placed')],
    says: /placed invokes the function bill/,
    calls: ['CreateQueue', 'PutRolePolicy', 'UpdateFunctionEventInvokeConfig'],
    withoutFault: [
      inventoryOf({
        targets: [ruleTarget('placed', `${functionArn('bill')}:live`, DEAD)],
        functions: [
          lambda('bill', {
            eventInvokes: [
              { ...six, qualifier: 'live', onFailureArn: topicArn('ops'), maximumEventAgeSeconds: 21_600 },
            ],
          }),
        ],
      }),
    ],
  },
  ...NOT_CDKS_OWN.map(
    (constructPath): Row => ({
      id: 'function-keeps-nothing',
      severity: 'at-risk',
      what: `a function of the app: ${constructPath}`,
      withFault: callsAws(constructPath),
      about: 'calls',
      others: [arnOf('events', 'rule/purge')],
      says: /purge invokes the function calls/,
      withoutFault: [{ ...callsAws(constructPath), functions: [lambda('calls', DEAD)] }],
    }),
  ),
  {
    id: 'function-keeps-nothing',
    severity: 'at-risk',
    what: 'an alias in a template, found once for its two subscriptions',
    withFault: inventoryOf({
      isComplete: false,
      subscriptions: ['1', '2'].map(it =>
        subscription('orders', it, { ...DEAD, protocol: 'lambda', endpoint: `${functionArn('bill')}:live` }),
      ),
      functions: [lambda('bill', placed('Bill'))],
    }),
    about: 'bill',
    others: [`${topicArn('orders')}:1`],
    says: /orders:1 invokes the function bill/,
    withoutFault: [
      inventoryOf({
        isComplete: false,
        subscriptions: [subscription('orders', '1', { protocol: 'lambda', endpoint: `${functionArn('bill')}:live` })],
        functions: [lambda('bill', { ...placed('Bill'), ...DEAD })],
      }),
    ],
  },
  {
    id: 'queue-keeps-nothing',
    severity: 'at-risk',
    what: 'a queue with the name of a dead-letter queue in another Region',
    withFault: inventoryOf({
      queues: [queue('dead')],
      mappings: [mapping('bill', 'dead')],
      targets: [ruleTarget('placed', topicArn('orders'), { deadLetterTargetArn: arnOf('sqs', 'dead', 'us-east-1') })],
    }),
    about: 'dead',
    location: 'Properties/RedrivePolicy',
    says: /which the mapping dead to bill reads/,
    withoutFault: [
      inventoryOf({
        queues: [queue('dead')],
        mappings: [mapping('bill', 'dead')],
        targets: [ruleTarget('placed', topicArn('orders'), DEAD)],
      }),
    ],
  },
  {
    id: 'queue-keeps-nothing',
    severity: 'at-risk',
    what: 'a queue a function reads, without a redrive policy',
    withFault: inventoryOf({ queues: [queue('work')], mappings: [mapping('bill', 'work')] }),
    about: 'work',
    location: 'Properties/RedrivePolicy',
    says: /which the mapping work to bill reads/,
    withoutFault: [
      inventoryOf({ queues: [queue('work')], mappings: [mapping('bill', 'work', { isEnabled: false })] }),
      inventoryOf({ queues: [queue('work')], targets: [ruleTarget('off', queueArn('work'), { isEnabled: false })] }),
      inventoryOf({ ...READ_DEAD, queueUsers: [queueUser('shop')] }),
      inventoryOf({
        queues: [
          queue('dead', { arn: queueArn('dead').replace(ACCOUNT, '<account>') }),
          queue('orders', { redrivePolicy: { ...DEAD, maxReceiveCount: 5 } }),
        ],
        mappings: [mapping('bill', 'dead', { sourceArn: queueArn('dead').replace(ACCOUNT, '<account>') })],
      }),
      ...['byQueue', 'allowAll', UNKNOWN].map(permission =>
        inventoryOf({
          ...READ_DEAD,
          queues: [queue('dead', { redriveAllowPolicy: { permission, sourceQueueArns: [] } })],
        }),
      ),
    ],
    unknownBecause: [
      inventoryOf({ ...READ_DEAD, queueUsers: [queueUser('shop', { deadLetterTargetArn: UNKNOWN })] }),
      inventoryOf({ ...READ_DEAD, queues: [queue('dead', { redriveAllowPolicy: UNKNOWN })] }),
      inventoryOf({ ...READ_DEAD, isComplete: false, unread: ['Other is not read.'] }),
    ],
  },
  {
    id: 'queue-keeps-nothing',
    severity: 'at-risk',
    what: 'a queue that may be nobody’s dead-letter queue, beside a bus that has another',
    withFault: inventoryOf({
      queues: [queue('work', { redriveAllowPolicy: { permission: 'denyAll', sourceQueueArns: [] } })],
      mappings: [mapping('bill', 'work')],
      queueUsers: [queueUser('shop')],
    }),
    about: 'work',
    location: 'Properties/RedrivePolicy',
    says: /which the mapping work to bill reads/,
    withoutFault: [inventoryOf({ queues: [queue('work')], queueUsers: [queueUser('shop')] })],
  },
  {
    id: 'queue-keeps-nothing',
    severity: 'at-risk',
    what: 'a subscribed queue without a redrive policy',
    withFault: { ...to(DEAD), queues: [queue('orders')] },
    about: 'orders',
    location: 'Properties/RedrivePolicy',
    says: /The queue orders, to which orders:1 delivers, has no dead-letter queue/,
    withoutFault: [
      { ...to(DEAD), queues: [queue('orders', { redrivePolicy: { ...DEAD, maxReceiveCount: 5 } })] },
      inventoryOf({ queues: [queue('somebody-polls-it')] }),
      { ...to({ endpoint: queueArn('dead'), ...DEAD }), queues: [deadLettersOf('orders', 'dead')] },
    ],
    unknownBecause: [{ ...to(DEAD), queues: [queue('orders', { redrivePolicy: UNKNOWN })] }],
  },
];
