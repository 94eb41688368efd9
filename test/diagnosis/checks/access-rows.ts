import type {
  EventInvokeFacts,
  FunctionFacts,
  Inventory,
  KeyFacts,
  QueueFacts,
  RoleFacts,
  TopicFacts,
} from '../../../diagnosis/inventory/inventory';
import type { PolicyDocument } from '../../../template/access/policy-document';
import type { MaybeKnown } from '../../../template/maybe-known';
import {
  ACCOUNT,
  arnOf,
  deadLettersOf,
  functionArn,
  inventoryOf,
  key,
  keyArn,
  lambda,
  mapping,
  policyOf,
  queue,
  queueArn,
  ROOT_STATEMENT,
  role,
  roleArn,
  ruleTarget,
  schedule,
  sendStatement,
  subscription,
  topic,
  topicArn,
  UNKNOWN,
} from '../inventories';
import type { Row } from './row';

const DEAD = { deadLetterTargetArn: queueArn('dead') };
const SNS = 'sns.amazonaws.com';
const EVENTS = 'events.amazonaws.com';
const RULE = arnOf('events', 'rule/placed');

const ofTopic = (dead: Partial<QueueFacts>, more: Partial<Inventory> = {}): Inventory =>
  inventoryOf({
    topics: [topic('orders')],
    subscriptions: [subscription('orders', '1', { ...DEAD, protocol: 'email', endpoint: 'ops@example.com' })],
    queues: [deadLettersOf('orders', 'dead', dead)],
    ...more,
  });
/** A queue that many topics may send to, with a statement each. */
const crowded = (count: number): Inventory => {
  const topics = Array.from({ length: count }, (_, i) => topicArn(`orders-${i}`));
  return inventoryOf({
    queues: [queue('dead', { policy: policyOf(...topics.map(it => sendStatement(SNS, 'dead', it))) })],
  });
};

/** A function that many topics may invoke, with a permission each. */
const invokedBy = (count: number): Inventory => {
  const topics = Array.from({ length: count }, (_, i) => topicArn(`orders-${i}`));
  const permissions = topics.map(it => invoke({ Service: SNS }, functionArn('bill'), it));
  return inventoryOf({ functions: [lambda('bill', { policy: policyOf(...permissions) })] });
};

const ofRule = (dead: Partial<QueueFacts>): Inventory =>
  inventoryOf({ targets: [ruleTarget('placed', arnOf('logs', 'log-group:x'), DEAD)], queues: [queue('dead', dead)] });

const invoke = (Principal: unknown, Resource = functionArn('bill'), sourceArn = topicArn('orders')) => ({
  Effect: 'Allow',
  Principal,
  Action: 'lambda:InvokeFunction',
  Resource,
  Condition: { ArnLike: { 'AWS:SourceArn': sourceArn } },
});
const toFunction = (policy: MaybeKnown<PolicyDocument | undefined>, endpoint = functionArn('bill')): Inventory =>
  inventoryOf({
    topics: [topic('orders')],
    subscriptions: [subscription('orders', '1', { ...DEAD, protocol: 'lambda', endpoint })],
    functions: [lambda('bill', { policy })],
  });

const MILAN = arnOf('sns', 'orders', 'eu-south-1');
const MILANESE = 'sns.eu-south-1.amazonaws.com';
const fromMilan = (policy: MaybeKnown<PolicyDocument | undefined>): Inventory => ({
  ...toFunction(policy),
  topics: [],
  subscriptions: [
    subscription('orders', '1', { topicArn: MILAN, ...DEAD, protocol: 'lambda', endpoint: functionArn('bill') }),
  ],
});

const DENIES_UNDECIDABLY = {
  ...invoke('*'),
  Effect: 'Deny',
  Condition: { StringNotEquals: { 'aws:RequestedRegion': 'eu-west-1' } },
};

const toTopic = (policy: MaybeKnown<PolicyDocument | undefined>, facts = {}, keyId?: string): Inventory =>
  inventoryOf({
    targets: [ruleTarget('placed', topicArn('orders'), { ...DEAD, ...facts })],
    topics: [topic('orders', { policy, keyId })],
  });
const publish = {
  Effect: 'Allow',
  Principal: { Service: EVENTS },
  Action: 'sns:Publish',
  Resource: topicArn('orders'),
};

const USE = { Effect: 'Allow', Action: ['kms:Decrypt', 'kms:GenerateDataKey*'], Resource: '*' };
const SNS_USES = { ...USE, Principal: { Service: SNS } };
const sealed = (...statements: readonly object[]) => ofTopic({ keyId: keyArn('k') }, { keys: [key('k', statements)] });
const sealedBy = (facts: Partial<KeyFacts>) => ofTopic({ keyId: 'k' }, { keys: [key('k', [SNS_USES], facts)] });

const toSealedTopic = (...statements: readonly object[]): Inventory => ({
  ...toTopic(policyOf(publish), {}, 'alias/k'),
  keys: [key('k', statements)],
});
const MAY_PUBLISH = { Effect: 'Allow', Action: 'sns:Publish', Resource: topicArn('orders') };
const publishes = (its: RoleFacts): Inventory =>
  inventoryOf({
    targets: [schedule('nightly', topicArn('orders'), DEAD)],
    topics: [topic('orders', { keyId: 'alias/k' })],
    keys: [key('k')],
    roles: [its],
  });

/** The same in Beijing. */
const inChina = (inventory: Inventory): Inventory =>
  JSON.parse(JSON.stringify(inventory).replaceAll('arn:aws:', 'arn:aws-cn:').replaceAll('eu-west-1', 'cn-north-1'));

const through = (service: string) => ({ ...USE, Condition: { StringEquals: { 'kms:ViaService': service } } });

const SEND = { Effect: 'Allow', Action: 'sqs:SendMessage', Resource: queueArn('dead') };
const ofFunction = (its: RoleFacts, dead: Partial<QueueFacts> = {}, keys: readonly KeyFacts[] = []): Inventory =>
  inventoryOf({ functions: [lambda('bill', DEAD)], roles: [its], queues: [queue('dead', dead)], keys });
const nightly = (its: RoleFacts): Inventory =>
  inventoryOf({ targets: [schedule('nightly', queueArn('work'), DEAD)], roles: [its], queues: [queue('work')] });

const START = { Effect: 'Allow', Action: 'sqs:StartMessageMoveTask', Resource: queueArn('dead') };
const TAKE = { ...START, Action: ['sqs:ReceiveMessage', 'sqs:DeleteMessage', 'sqs:GetQueueAttributes'] };
const mover = (dead: Partial<QueueFacts>, keys: readonly KeyFacts[], ...statements: readonly object[]): Inventory =>
  inventoryOf({
    queues: [
      queue('work', { redrivePolicy: { ...DEAD, maxReceiveCount: 5 } }),
      queue('dead', { retentionSeconds: 1_209_600, ...dead }),
    ],
    roles: [role('mover', ...statements), role('other')],
    keys,
  });

/** A dead-letter queue next to another queue, which is encrypted with a key that the role may not use. */
const withQueue = (name: string, redrivePolicy: QueueFacts['redrivePolicy']): Inventory => {
  const all = mover({}, [key('k')], START, TAKE);
  return { ...all, queues: [...all.queues, queue(name, { keyId: 'k', redrivePolicy })] };
};

/** A source with another encryption than its dead-letter queue. */
const movedFrom = (source: Partial<QueueFacts>, ...statements: readonly object[]): Inventory => {
  const all = mover({}, [key('k')], ...statements);
  return { ...all, queues: all.queues.map(it => (it.name === 'work' ? { ...it, ...source } : it)) };
};

const across = (from: string, to: string, protocol: string) =>
  inventoryOf({
    subscriptions: [
      subscription('orders', '1', {
        protocol,
        topicArn: arnOf('sns', 'orders', from),
        endpoint: arnOf(protocol, protocol === 'sqs' ? 'work' : 'function:bill', to),
      }),
    ],
  });

const PUBLISH = { Effect: 'Allow', Action: 'sns:Publish', Resource: topicArn('failures') };
const TLS_ALONE = {
  Effect: 'Deny',
  Principal: '*',
  Action: 'sns:Publish',
  Resource: topicArn('failures'),
  Condition: { Bool: { 'aws:SecureTransport': 'false' } },
};
const failsTo = (onFailureArn: EventInvokeFacts['onFailureArn']): EventInvokeFacts[] => [
  {
    qualifier: '$LATEST',
    onFailureArn,
    onSuccessArn: undefined,
    maximumRetryAttempts: 2,
    maximumEventAgeSeconds: 3600,
  },
];
/** A function with a failure destination other than a queue. */
const toFailures = (
  bill: Partial<FunctionFacts>,
  itsRole: RoleFacts = role('bill'),
  failures: Partial<TopicFacts> = {},
): Inventory =>
  inventoryOf({
    functions: [lambda('bill', bill), lambda('mourner')],
    topics: [topic('failures', { policy: policyOf(TLS_ALONE), ...failures })],
    roles: [itsRole],
    keys: [key('k')],
  });

const DENIES = { Effect: 'Deny', Principal: '*', Action: 'sqs:*', Resource: queueArn('dead') };
/** A dead-letter queue that lets its topic send, with a Deny. */
const denied = (statement: object): Inventory =>
  ofTopic({ policy: policyOf(sendStatement(SNS, 'dead', topicArn('orders')), { ...DENIES, ...statement }) });
const deniedIf = (operator: string, name: string, value: unknown) =>
  denied({ Condition: { [operator]: { [name]: value } } });
const TAG = { Condition: { StringNotEquals: { 'aws:PrincipalTag/team': 'shop' } } };

const DENY_ROWS: readonly Row[] = [
  {
    id: 'queue-policy-keeps-out',
    severity: 'at-risk',
    what: 'a dead-letter queue that denies other accounts, and then its own topic',
    withFault: deniedIf('StringEquals', 'aws:SourceAccount', ACCOUNT),
    about: 'dead',
    others: [`${topicArn('orders')}:1`],
    says: /does not allow sns\.amazonaws\.com for orders:1/,
    fixSays:
      /^Change statement 2 of the policy of the queue dead: it denies sqs:SendMessage, and no Allow overrides a Deny\. Add the condition ArnNotEquals aws:SourceArn arn:\S+:orders to the statement\. Ask first/,
    calls: ['SetQueueAttributes'],
    withoutFault: [
      deniedIf('StringNotEquals', 'aws:SourceAccount', ACCOUNT),
      deniedIf('ArnNotLike', 'aws:SourceArn', `${topicArn('')}*`),
      deniedIf('Bool', 'aws:SecureTransport', 'false'),
      deniedIf('StringEquals', 'aws:PrincipalOrgID', 'o-1'),
      deniedIf('StringNotEquals', 'aws:ResourceAccount', ACCOUNT),
    ],
  },
  {
    id: 'queue-policy-keeps-out',
    severity: 'at-risk',
    what: 'a dead-letter queue that denies who is of no organization, and allows nobody',
    withFault: ofTopic({
      policy: policyOf({ ...DENIES, Sid: 'Ours', Condition: { StringNotEquals: { 'aws:PrincipalOrgID': 'o-1' } } }),
    }),
    about: 'dead',
    others: [`${topicArn('orders')}:1`],
    says: /does not allow sns\.amazonaws\.com for orders:1/,
    fixSays: /^Change the statement "Ours" of .* Let SNS \(for the topic orders\) send/,
    calls: ['SetQueueAttributes'],
    withoutFault: [ofTopic({})],
  },
  {
    id: 'deny-may-keep-out',
    severity: 'unwatched',
    what: 'a Deny by a tag of the principal, of which AWS publishes nothing for services',
    withFault: denied(TAG),
    about: 'dead',
    others: [`${topicArn('orders')}:1`],
    says: /^Statement 2 of the policy of the queue dead may keep out sns\.amazonaws\.com of orders:1: it depends on aws:PrincipalTag\/team, .* If the statement applies, messages/,
    fixSays: /it may deny sqs:SendMessage/,
    calls: ['SetQueueAttributes'],
    withoutFault: [
      denied({ ...TAG, Principal: { AWS: ACCOUNT } }),
      denied({ ...TAG, Action: 'sqs:ReceiveMessage' }),
      denied({ Condition: { ...TAG.Condition, Bool: { 'aws:SecureTransport': 'false' } } }),
      ofTopic({}),
    ],
    unknownBecause: [
      ofTopic({ policy: UNKNOWN }),
      denied({ Resource: queueArn('<Prefix>') }),
      deniedIf('StringNotEquals', 'aws:SourceAccount', UNKNOWN),
    ],
  },
  {
    id: 'deny-may-keep-out',
    severity: 'unwatched',
    what: 'a Deny by the network in a role’s policy',
    withFault: ofFunction(
      role('bill', SEND, {
        ...SEND,
        Effect: 'Deny',
        Resource: '*',
        Condition: { NotIpAddress: { 'aws:SourceIp': '10.0.0.0/8' } },
      }),
    ),
    about: 'bill',
    others: [queueArn('dead'), functionArn('bill')],
    says: /^Statement 2 of a policy of the role bill may keep out the role bill of bill: it depends on aws:SourceIp/,
    withoutFault: [ofFunction(role('bill', SEND))],
  },
  {
    id: 'deny-may-keep-out',
    severity: 'unwatched',
    what: 'a Deny by a tag in the policy of a key',
    withFault: sealed(SNS_USES, { ...USE, ...TAG, Effect: 'Deny', Principal: '*' }),
    about: 'k',
    others: [queueArn('dead'), `${topicArn('orders')}:1`],
    says: /^Statement 3 of the policy of the key k may keep out sns\.amazonaws\.com of orders:1/,
    calls: ['PutKeyPolicy'],
    withoutFault: [sealed(SNS_USES)],
  },
];

export const ACCESS_ROWS: readonly Row[] = [
  ...DENY_ROWS,
  {
    id: 'queue-policy-keeps-out',
    severity: 'at-risk',
    what: 'a dead-letter queue without a policy',
    withFault: ofTopic({ policy: undefined }),
    about: 'dead',
    others: [`${topicArn('orders')}:1`],
    says: /^The policy of the queue dead does not allow sns\.amazonaws\.com for orders:1: messages .* lost without a trace/,
    calls: ['SetQueueAttributes'],
    withoutFault: [
      ofTopic({}),
      inventoryOf({ queues: [queue('nobodys')] }),
      // SNS delivers nothing to a subscription that is not confirmed.
      inventoryOf({ subscriptions: [subscription('orders', '1', { isPending: true })], queues: [queue('orders')] }),
      inventoryOf({ targets: [ruleTarget('off', queueArn('work'), { isEnabled: false })], queues: [queue('work')] }),
    ],
    unknownBecause: [ofTopic({ policy: UNKNOWN })],
  },
  {
    id: 'queue-policy-keeps-out',
    severity: 'loses',
    what: 'a subscribed queue that lets another topic in',
    withFault: inventoryOf({
      subscriptions: [subscription('orders', '1', DEAD)],
      queues: [queue('orders', { policy: policyOf(sendStatement(SNS, 'orders', topicArn('other'))) })],
    }),
    about: 'orders',
    others: [`${topicArn('orders')}:1`],
    says: /no message of orders:1 arrives/,
    calls: ['SetQueueAttributes'],
    withoutFault: [
      inventoryOf({
        subscriptions: [subscription('orders', '1', DEAD)],
        queues: [queue('orders', { policy: policyOf(sendStatement(SNS, 'orders', topicArn('orders'))) })],
      }),
    ],
  },
  {
    id: 'queue-policy-keeps-out',
    severity: 'at-risk',
    what: 'a rule’s dead-letter queue that does not know EventBridge',
    withFault: ofRule({ policy: policyOf(sendStatement(SNS, 'dead', RULE)) }),
    about: 'dead',
    others: [arnOf('events', 'rule/placed')],
    says: /does not allow events\.amazonaws\.com for placed/,
    calls: ['SetQueueAttributes'],
    withoutFault: [
      ofRule({ policy: policyOf(sendStatement(EVENTS, 'dead', RULE)) }),
      inventoryOf({ targets: [schedule('nightly', queueArn('work'), DEAD)], queues: [queue('dead'), queue('work')] }),
    ],
  },
  {
    id: 'topic-policy-keeps-out',
    severity: 'loses',
    what: 'a rule that publishes to a topic with the policy SNS gives',
    withFault: toTopic(undefined),
    about: 'orders',
    others: [arnOf('events', 'rule/placed')],
    says: /does not allow events\.amazonaws\.com/,
    calls: ['SetTopicAttributes'],
    withoutFault: [
      toTopic(policyOf(publish)),
      toTopic(undefined, { roleArn: roleArn('events') }),
      toTopic(undefined, { isEnabled: false }),
    ],
    unknownBecause: [toTopic(UNKNOWN), toTopic(undefined, { roleArn: UNKNOWN })],
  },
  {
    id: 'function-policy-keeps-out',
    severity: 'loses',
    what: 'a function that lets nobody in',
    withFault: toFunction(undefined),
    about: 'bill',
    others: [`${topicArn('orders')}:1`],
    says: /^The policy of the function bill does not allow sns\.amazonaws\.com/,
    calls: ['AddPermission'],
    withoutFault: [toFunction(policyOf(invoke({ Service: SNS })))],
    unknownBecause: [toFunction(UNKNOWN), toFunction(undefined, `${functionArn('bill')}:live`)],
  },
  {
    id: 'principal-of-opt-in-region',
    severity: 'loses',
    what: 'a topic of an opt-in Region and a function of another',
    withFault: fromMilan(policyOf(invoke({ Service: SNS }, functionArn('bill'), MILAN))),
    about: 'bill',
    others: [`${topicArn('orders')}:1`],
    says: /the principal of SNS is sns\.eu-south-1\.amazonaws\.com/,
    calls: ['AddPermission'],
    withoutFault: [
      fromMilan(policyOf(invoke({ Service: 'sns.eu-south-1.amazonaws.com' }, functionArn('bill'), MILAN))),
      fromMilan(policyOf(invoke('*', functionArn('bill'), MILAN))),
      toFunction(policyOf(invoke({ Service: SNS }))),
      {
        ...across('eu-south-1', 'af-south-1', 'sqs'),
        queues: [queue('work', { arn: arnOf('sqs', 'work', 'af-south-1') })],
      },
    ],
    unknownBecause: [
      fromMilan(UNKNOWN),
      // AWS does not publish whether SNS sends these keys (assumption IAM-8).
      fromMilan(policyOf({ ...invoke('*'), Condition: { StringEquals: { 'aws:RequestedRegion': 'eu-west-1' } } })),
      fromMilan(policyOf(invoke('*', functionArn('bill'), MILAN), DENIES_UNDECIDABLY)),
    ],
  },
  {
    id: 'principal-of-opt-in-region',
    severity: 'loses',
    what: 'a topic of an opt-in Region and a function of another, whose policy allows the principal of the Region for another topic',
    withFault: fromMilan(policyOf(invoke({ Service: MILANESE }, functionArn('bill'), `${MILAN}-of-others`))),
    about: 'bill',
    others: [`${topicArn('orders')}:1`],
    says: /the principal of SNS is sns\.eu-south-1\.amazonaws\.com/,
    calls: ['AddPermission'],
    withoutFault: [fromMilan(policyOf(invoke({ Service: MILANESE }, functionArn('bill'), `${MILAN}*`)))],
    unknownBecause: [
      fromMilan(
        policyOf({ ...invoke('*'), Condition: { StringEquals: { 'aws:PrincipalServiceName': 'sns.amazonaws.com' } } }),
      ),
    ],
  },
  {
    id: 'principal-of-opt-in-region',
    severity: 'loses',
    what: 'a topic of an opt-in Region and a function of another, whose policy denies it',
    withFault: fromMilan(
      policyOf(invoke('*', functionArn('bill'), MILAN), {
        ...invoke({ Service: MILANESE }, functionArn('bill'), MILAN),
        Effect: 'Deny',
      }),
    ),
    about: 'bill',
    others: [`${topicArn('orders')}:1`],
    says: /the policy of bill does not allow that/,
    fixSays:
      /^Change statement 2 of the policy of the function bill: it denies lambda:InvokeFunction, .* Add the condition/,
    withoutFault: [fromMilan(policyOf(invoke('*', functionArn('bill'), MILAN)))],
  },
  {
    id: 'principal-of-opt-in-region',
    severity: 'loses',
    what: 'a topic of an opt-in Region and a function of another, without a policy',
    withFault: fromMilan(undefined),
    about: 'bill',
    others: [`${topicArn('orders')}:1`],
    says: /the policy of bill does not allow that/,
    calls: ['AddPermission'],
    withoutFault: [{ ...fromMilan(undefined), functions: [] }],
  },
  {
    id: 'region-out-of-reach',
    severity: 'loses',
    what: 'a queue of an opt-in Region and a topic of another, whose policy is of no use then',
    withFault: across('eu-south-1', 'af-south-1', 'sqs'),
    about: 'orders:1',
    location: 'Properties/Endpoint',
    says: /from eu-south-1 to the opt-in Region af-south-1, which SNS does not support for sqs/,
    withoutFault: [
      across('eu-south-1', 'us-east-1', 'sqs'),
      across('us-east-1', 'eu-south-1', 'sqs'),
      across('eu-south-1', 'eu-south-1', 'sqs'),
      across('eu-south-1', 'us-east-1', 'lambda'),
    ],
    unknownBecause: [across('eu-south-1', '<region>', 'sqs')],
  },
  {
    id: 'region-out-of-reach',
    severity: 'loses',
    what: 'a function of an opt-in Region and a topic of one enabled by default',
    withFault: across('us-east-1', 'eu-south-1', 'lambda'),
    about: 'orders:1',
    location: 'Properties/Endpoint',
    says: /which SNS does not support for lambda/,
    withoutFault: [across('us-east-1', 'eu-west-1', 'lambda')],
  },
  {
    id: 'role-may-not-send',
    severity: 'at-risk',
    what: 'a function whose role may not send to its dead-letter queue',
    withFault: ofFunction(role('bill', { ...SEND, Resource: queueArn('other') })),
    about: 'bill',
    others: [functionArn('bill'), queueArn('dead')],
    says: /^The role bill of bill has no permission for sqs:SendMessage on dead/,
    calls: ['PutRolePolicy'],
    withoutFault: [
      ofFunction(role('bill', SEND)),
      ofFunction(role('bill'), { policy: policyOf({ ...SEND, Principal: { AWS: roleArn('bill') } }) }),
    ],
    unknownBecause: [ofFunction({ ...role('bill'), policies: UNKNOWN }), ofFunction(role('of-somebody-else'))],
  },
  {
    id: 'role-may-not-send',
    severity: 'at-risk',
    what: 'a function whose role may not publish to the topic it keeps failures in',
    withFault: toFailures({ deadLetterTargetArn: topicArn('failures') }),
    about: 'bill',
    others: [functionArn('bill'), topicArn('failures')],
    says: /^The role bill of bill has no permission for sns:Publish on failures/,
    calls: ['PutRolePolicy'],
    withoutFault: [
      toFailures({ deadLetterTargetArn: topicArn('failures') }, role('bill', PUBLISH)),
      toFailures({ deadLetterTargetArn: topicArn('of-others') }),
      toFailures({ deadLetterTargetArn: queueArn('dead') }),
    ],
    unknownBecause: [
      toFailures({ deadLetterTargetArn: UNKNOWN }),
      toFailures({ deadLetterTargetArn: topicArn('failures'), roleArn: UNKNOWN }),
      // SNS's default topic policy allows callers of the same account. Whether a role's request counts as one is not documented (assumption IAM-9).
      toFailures({ deadLetterTargetArn: topicArn('failures') }, role('bill'), { policy: undefined }),
    ],
  },
  {
    id: 'role-may-not-send',
    severity: 'at-risk',
    what: 'a function whose role may not invoke its on-failure destination',
    withFault: toFailures({ eventInvokes: failsTo(functionArn('mourner')) }),
    about: 'bill',
    others: [functionArn('bill'), functionArn('mourner')],
    says: /has no permission for lambda:InvokeFunction on mourner/,
    calls: ['PutRolePolicy'],
    withoutFault: [
      toFailures(
        { eventInvokes: failsTo(functionArn('mourner')) },
        role('bill', { Effect: 'Allow', Action: 'lambda:InvokeFunction', Resource: functionArn('mourner') }),
      ),
    ],
    unknownBecause: [toFailures({ eventInvokes: failsTo(UNKNOWN) })],
  },
  {
    id: 'role-may-not-send',
    severity: 'at-risk',
    what: 'a function whose role may not send to the queue it keeps failures in',
    withFault: { ...toFailures({ eventInvokes: failsTo(queueArn('dead')) }), queues: [queue('dead')] },
    about: 'bill',
    others: [functionArn('bill'), queueArn('dead')],
    says: /has no permission for sqs:SendMessage on dead: messages that bill could not deliver are lost/,
    calls: ['PutRolePolicy'],
    withoutFault: [
      { ...toFailures({ eventInvokes: failsTo(queueArn('dead')) }, role('bill', SEND)), queues: [queue('dead')] },
    ],
    unknownBecause: [
      { ...toFailures({ eventInvokes: failsTo(queueArn('dead')), roleArn: UNKNOWN }), queues: [queue('dead')] },
    ],
  },
  {
    id: 'role-may-not-send',
    severity: 'at-risk',
    what: 'a stream’s mapping whose function’s role may not send what failed to a queue',
    withFault: {
      ...toFailures({}),
      queues: [queue('dead')],
      mappings: [mapping('bill', 'clicks', { onFailureArn: queueArn('dead') })],
    },
    about: 'bill',
    others: [arnOf('lambda', 'event-source-mapping:bill-clicks'), queueArn('dead')],
    says: /has no permission for sqs:SendMessage on dead/,
    calls: ['PutRolePolicy'],
    withoutFault: [
      {
        ...toFailures({}, role('bill', SEND)),
        queues: [queue('dead')],
        mappings: [mapping('bill', 'clicks', { onFailureArn: queueArn('dead') })],
      },
    ],
    unknownBecause: [
      {
        ...toFailures({}),
        functions: [],
        queues: [queue('dead')],
        mappings: ['dead', 'other'].map(it => mapping('bill', it, { onFailureArn: arnOf('sns', 'failures') })),
      },
    ],
  },
  {
    id: 'role-may-not-send',
    severity: 'at-risk',
    what: 'a stream’s mapping whose function’s role may not publish what failed',
    withFault: { ...toFailures({}), mappings: [mapping('bill', 'clicks', { onFailureArn: topicArn('failures') })] },
    about: 'bill',
    others: [arnOf('lambda', 'event-source-mapping:bill-clicks'), topicArn('failures')],
    says: /has no permission for sns:Publish on failures/,
    calls: ['PutRolePolicy'],
    withoutFault: [{ ...toFailures({}), mappings: [mapping('bill', 'clicks')] }],
  },
  {
    id: 'key-policy-keeps-out',
    severity: 'at-risk',
    what: 'a topic for failures whose key the function’s role may not use',
    withFault: toFailures({ deadLetterTargetArn: topicArn('failures') }, role('bill', PUBLISH), { keyId: 'k' }),
    about: 'k',
    others: [topicArn('failures'), functionArn('bill')],
    says: /The key k, which encrypts failures, does not allow the role bill to use it/,
    calls: ['PutRolePolicy'],
    withoutFault: [
      toFailures({ deadLetterTargetArn: topicArn('failures') }, role('bill', PUBLISH, USE), { keyId: 'k' }),
      toFailures({ deadLetterTargetArn: topicArn('failures') }, role('bill', PUBLISH)),
    ],
    unknownBecause: [
      toFailures({ deadLetterTargetArn: topicArn('failures') }, role('bill', PUBLISH), { keyId: UNKNOWN }),
    ],
  },
  {
    id: 'role-may-not-send',
    severity: 'loses',
    what: 'a schedule whose role may not send to its target',
    withFault: nightly(role('nightly', SEND)),
    about: 'nightly',
    others: [arnOf('scheduler', 'schedule/default/nightly'), queueArn('work')],
    says: /no message of nightly arrives/,
    calls: ['PutRolePolicy'],
    withoutFault: [nightly(role('nightly', { ...SEND, Resource: queueArn('work') }))],
    unknownBecause: [
      inventoryOf({
        targets: [schedule('nightly', queueArn('work'), { roleArn: UNKNOWN })],
        roles: [role('nightly')],
        queues: [queue('work')],
      }),
    ],
  },
  {
    id: 'key-policy-keeps-out',
    severity: 'at-risk',
    what: 'a key as KMS makes it, which knows no service',
    withFault: sealed(),
    about: 'k',
    others: [queueArn('dead'), `${topicArn('orders')}:1`],
    says: /The key k, which encrypts dead, does not allow sns\.amazonaws\.com to use it: messages that orders:1 could not deliver are lost/,
    calls: ['PutKeyPolicy'],
    withoutFault: [
      sealed(SNS_USES),
      sealed({ ...SNS_USES, Condition: { ArnLike: { 'aws:SourceArn': topicArn('*') } } }),
      ofTopic({ keyId: undefined }),
    ],
    unknownBecause: [
      sealed({ ...SNS_USES, Condition: { StringEquals: { 'kms:ViaService': 'sqs.eu-west-1.amazonaws.com' } } }),
      sealed({ ...SNS_USES, Condition: { StringEquals: { 'aws:SourceAccount': ACCOUNT } } }),
      sealedBy({ policy: UNKNOWN }),
      ofTopic({ keyId: keyArn('of-others') }),
    ],
  },
  {
    id: 'key-policy-keeps-out',
    severity: 'at-risk',
    what: 'a function’s role that may send and not encrypt',
    withFault: ofFunction(role('bill', SEND), { keyId: 'alias/k' }, [key('k')]),
    about: 'k',
    others: [queueArn('dead'), functionArn('bill')],
    says: /does not allow the role bill to use it/,
    calls: ['PutRolePolicy'],
    withoutFault: [
      ofFunction(role('bill', SEND, USE), { keyId: 'alias/k' }, [key('k')]),
      ofFunction(role('bill', SEND), { keyId: 'alias/k' }, [
        key('k', [{ ...USE, Principal: { AWS: roleArn('bill') } }]),
      ]),
      ofFunction(role('bill', SEND), { keyId: 'alias/aws/sqs' }),
    ],
  },
  {
    id: 'key-policy-keeps-out',
    severity: 'loses',
    what: 'the key of a topic, which does not know the rule that publishes there',
    withFault: toSealedTopic(),
    about: 'k',
    others: [topicArn('orders'), arnOf('events', 'rule/placed')],
    says: /The key k, which encrypts orders, does not allow events\.amazonaws\.com to use it: no message of placed arrives/,
    calls: ['PutKeyPolicy'],
    withoutFault: [toSealedTopic({ ...USE, Principal: { Service: EVENTS } }), toTopic(policyOf(publish))],
    unknownBecause: [
      { ...toSealedTopic(), keys: [] },
      { ...toSealedTopic(), isComplete: false, unread: ['Other is not read.'] },
      toSealedTopic({ ...USE, Principal: { Service: EVENTS }, Condition: { ArnLike: { 'aws:SourceArn': RULE } } }),
    ],
  },
  {
    id: 'key-policy-keeps-out',
    severity: 'loses',
    what: 'the key of a topic, and the role of a schedule that may publish and not encrypt',
    withFault: publishes(role('nightly', MAY_PUBLISH)),
    about: 'k',
    others: [topicArn('orders'), arnOf('scheduler', 'schedule/default/nightly')],
    says: /which encrypts orders, does not allow the role nightly to use it/,
    calls: ['PutRolePolicy'],
    withoutFault: [
      publishes(role('nightly', MAY_PUBLISH, USE)),
      publishes(
        role('nightly', MAY_PUBLISH, {
          ...USE,
          Condition: { StringEquals: { 'kms:ViaService': 'sns.eu-west-1.amazonaws.com' } },
        }),
      ),
    ],
    unknownBecause: [
      inChina(publishes(role('nightly', MAY_PUBLISH, through('sns.eu-west-1.amazonaws.com.cn')))),
      inChina(publishes(role('nightly', MAY_PUBLISH, through('sns.eu-west-1.amazonaws.com')))),
    ],
  },
  {
    id: 'key-of-aws-keeps-out',
    severity: 'loses',
    what: 'the key of a topic that a rule publishes to, AWS’s own',
    withFault: toTopic(policyOf(publish), {}, 'alias/aws/sns'),
    about: 'orders',
    others: [arnOf('events', 'rule/placed')],
    location: 'Properties/KmsMasterKeyId',
    says: /orders is encrypted with alias\/aws\/sns, an AWS managed key/,
    withoutFault: [
      toTopic(policyOf(publish)),
      { ...publishes(role('nightly', MAY_PUBLISH)), topics: [topic('orders', { keyId: 'alias/aws/sns' })] },
    ],
  },
  {
    id: 'key-of-aws-keeps-out',
    severity: 'at-risk',
    what: 'a key of AWS’s own',
    withFault: ofTopic({ keyId: 'alias/aws/sqs' }),
    about: 'dead',
    others: [`${topicArn('orders')}:1`],
    location: 'Properties/KmsMasterKeyId',
    says: /encrypted with alias\/aws\/sqs, an AWS managed key/,
    calls: ['SetQueueAttributes'],
    withoutFault: [
      ofTopic({ keyId: undefined }),
      inventoryOf({ queues: [queue('nobodys', { keyId: 'alias/aws/sqs' })] }),
    ],
    unknownBecause: [ofTopic({ keyId: UNKNOWN })],
  },
  {
    id: 'key-of-aws-keeps-out',
    severity: 'at-risk',
    what: 'the same by its id',
    withFault: sealedBy({ isManagedByAws: true }),
    about: 'dead',
    others: [`${topicArn('orders')}:1`],
    location: 'Properties/KmsMasterKeyId',
    says: /an AWS managed key/,
    calls: ['SetQueueAttributes'],
    withoutFault: [sealedBy({})],
  },
  {
    id: 'key-disabled',
    severity: 'loses',
    what: 'a key of a queue that a topic delivers to',
    withFault: inventoryOf({
      subscriptions: [subscription('orders', '1', { endpoint: queueArn('work') })],
      queues: [queue('work', { keyId: keyArn('k') })],
      keys: [key('k', [], { isEnabled: false })],
    }),
    about: 'k',
    others: [queueArn('work'), `${topicArn('orders')}:1`],
    says: /is not enabled: no message of orders:1 arrives/,
    calls: ['EnableKey'],
    withoutFault: [sealedBy({})],
  },
  {
    id: 'key-disabled',
    severity: 'at-risk',
    what: 'a key that is disabled',
    withFault: sealedBy({ isEnabled: false }),
    about: 'k',
    others: [queueArn('dead'), `${topicArn('orders')}:1`],
    says: /is not enabled/,
    calls: ['EnableKey'],
    withoutFault: [sealedBy({})],
    unknownBecause: [sealedBy({ isEnabled: UNKNOWN })],
  },
  {
    id: 'key-disabled',
    severity: 'at-risk',
    what: 'a key that waits to be deleted, which KMS does not enable before that is cancelled',
    withFault: sealedBy({ isEnabled: false, state: 'PendingDeletion' }),
    about: 'k',
    others: [queueArn('dead'), `${topicArn('orders')}:1`],
    says: /is not enabled \(PendingDeletion\)/,
    calls: ['CancelKeyDeletion', 'EnableKey'],
    withoutFault: [sealedBy({ state: 'Enabled' })],
  },
  {
    id: 'key-disabled',
    severity: 'at-risk',
    what: 'a key without its material, which no call enables',
    withFault: sealedBy({ isEnabled: false, state: 'PendingImport' }),
    about: 'k',
    others: [queueArn('dead'), `${topicArn('orders')}:1`],
    says: /is not enabled \(PendingImport\)/,
    withoutFault: [sealedBy({})],
  },
  {
    id: 'policy-over-limit',
    severity: 'rejected',
    what: 'a queue policy of 21 statements',
    withFault: crowded(21),
    about: 'dead',
    says: /^The policy of dead has 21 statements, but SQS accepts at most 20: the deployment fails\.$/,
    withoutFault: [crowded(20)],
    unknownBecause: [inventoryOf({ queues: [queue('dead', { policy: UNKNOWN })] })],
  },
  {
    id: 'policy-over-limit',
    severity: 'rejected',
    what: 'a function with permissions for 100 topics',
    withFault: invokedBy(100),
    about: 'bill',
    says: /^The policy of bill has [\d,]+ bytes, but Lambda accepts at most 20,480/,
    withoutFault: [invokedBy(50)],
    unknownBecause: [inventoryOf({ functions: [lambda('bill', { policy: UNKNOWN })] })],
  },
  {
    id: 'policy-over-limit',
    severity: 'rejected',
    what: 'a topic policy of 101 statements',
    withFault: inventoryOf({ topics: [topic('orders', { policy: policyOf(...Array(101).fill(ROOT_STATEMENT)) })] }),
    about: 'orders',
    says: /has 101 statements, but SNS accepts at most 100/,
    withoutFault: [
      inventoryOf({ topics: [topic('orders', { policy: policyOf(...Array(100).fill(ROOT_STATEMENT)) })] }),
    ],
  },
  {
    id: 'policy-over-limit',
    severity: 'rejected',
    what: 'a key policy of more than 32 KB',
    withFault: inventoryOf({ keys: [key('k', [{ Sid: 'x'.repeat(33_000) }])] }),
    about: 'k',
    says: /but KMS accepts at most 32,768/,
    withoutFault: [inventoryOf({ keys: [key('k', [{ Sid: 'x'.repeat(32_000) }])] })],
    unknownBecause: [inventoryOf({ keys: [key('k', [{ Sid: { unknownBecause: 'x'.repeat(33_000) } }])] })],
  },
  {
    id: 'redrive-role-lacks',
    severity: 'unwatched',
    what: 'a role that may start a task and nothing it takes',
    withFault: mover({}, [], START),
    about: 'mover',
    others: [queueArn('dead')],
    says: /lacks sqs:ReceiveMessage, sqs:DeleteMessage, sqs:GetQueueAttributes/,
    calls: ['PutRolePolicy'],
    fixSays: /sqs:ReceiveMessage/,
    withoutFault: [
      mover({}, [], START, TAKE),
      mover({}, [], TAKE),
      // A role that may start tasks on another queue only.
      mover({}, [], { ...START, Resource: queueArn('other') }),
    ],
    unknownBecause: [
      mover({ policy: UNKNOWN }, [], START, { ...TAKE, Condition: { Bool: { 'aws:ViaAWSService': 'true' } } }),
    ],
  },
  {
    id: 'redrive-role-lacks',
    severity: 'unwatched',
    what: 'one that may not decrypt',
    withFault: mover({ keyId: 'k' }, [key('k')], START, TAKE),
    about: 'mover',
    others: [queueArn('dead')],
    says: /lacks kms:Decrypt/,
    calls: ['PutRolePolicy'],
    fixSays: /kms:Decrypt/,
    withoutFault: [
      mover({ keyId: 'k' }, [key('k')], START, TAKE, USE),
      mover({ keyId: 'alias/aws/sqs' }, [], START, TAKE),
    ],
    unknownBecause: [mover({ keyId: 'of-others' }, [], START, TAKE)],
  },
  {
    id: 'redrive-role-lacks',
    severity: 'unwatched',
    what: 'one that may not decrypt what one of two sources was sent',
    withFault: withQueue('bills', { ...DEAD, maxReceiveCount: 5 }),
    about: 'mover',
    others: [queueArn('dead')],
    says: /lacks kms:Decrypt on the key k/,
    calls: ['PutRolePolicy'],
    // The key of a queue from which SQS moves nothing there does not matter.
    withoutFault: [withQueue('unrelated', undefined)],
  },
  {
    id: 'redrive-role-lacks',
    severity: 'unwatched',
    what: 'one that may decrypt through another service only',
    withFault: mover({ keyId: 'k' }, [key('k')], START, TAKE, through('sns.eu-west-1.amazonaws.com')),
    about: 'mover',
    others: [queueArn('dead')],
    says: /lacks kms:Decrypt/,
    calls: ['PutRolePolicy'],
    withoutFault: [
      mover({ keyId: 'k' }, [key('k')], START, TAKE, through('sqs.eu-west-1.amazonaws.com')),
      mover({ keyId: 'k' }, [key('k', [], { isManagedByAws: true })], START, TAKE),
    ],
    unknownBecause: [
      inChina(mover({ keyId: 'k' }, [key('k')], START, TAKE, through('sqs.eu-west-1.amazonaws.com.cn'))),
      inChina(mover({ keyId: 'k' }, [key('k')], START, TAKE, through('sqs.eu-west-1.amazonaws.com'))),
    ],
  },
  {
    id: 'redrive-role-lacks',
    severity: 'unwatched',
    what: 'one in China that may decrypt through another service only',
    withFault: inChina(mover({ keyId: 'k' }, [key('k')], START, TAKE, through('sns.eu-west-1.amazonaws.com.cn'))),
    about: 'mover',
    others: [queueArn('dead').replace('arn:aws:', 'arn:aws-cn:').replace('eu-west-1', 'cn-north-1')],
    says: /lacks kms:Decrypt/,
    calls: ['PutRolePolicy'],
    withoutFault: [
      inChina(
        mover(
          { keyId: 'k' },
          [key('k')],
          START,
          TAKE,
          through('sqs.eu-west-1.amazonaws.com.cn'),
          through('sqs.eu-west-1.amazonaws.com'),
        ),
      ),
    ],
  },
  {
    id: 'redrive-role-lacks',
    severity: 'unwatched',
    what: 'one that may not decrypt what the queue of another key was sent',
    withFault: movedFrom({ keyId: 'k' }, START, TAKE),
    about: 'mover',
    others: [queueArn('dead')],
    fixSays: /kms:Decrypt/,
    says: /may start a move task on dead but lacks kms:Decrypt on the key k, which the task needs/,
    calls: ['PutRolePolicy'],
    withoutFault: [movedFrom({ keyId: 'k' }, START, TAKE, USE), movedFrom({}, START, TAKE)],
    unknownBecause: [movedFrom({ keyId: UNKNOWN }, START, TAKE)],
  },
  {
    id: 'key-policy-keeps-out',
    severity: 'at-risk',
    what: 'a key that lets SNS in for another topic',
    withFault: sealed({ ...SNS_USES, Condition: { ArnEquals: { 'aws:SourceArn': topicArn('other') } } }),
    about: 'k',
    others: [queueArn('dead'), `${topicArn('orders')}:1`],
    says: /does not allow sns\.amazonaws\.com to use it/,
    calls: ['PutKeyPolicy'],
    withoutFault: [sealed({ ...SNS_USES, Condition: { ArnEquals: { 'aws:SourceArn': topicArn('orders') } } })],
    unknownBecause: [
      sealedBy({ policy: UNKNOWN }),
      // It is unknown whether EventBridge tells KMS its rule.
      toSealedTopic({
        ...USE,
        Principal: { Service: EVENTS },
        Condition: { ArnEquals: { 'aws:SourceArn': topicArn('other') } },
      }),
    ],
  },
  {
    id: 'key-policy-keeps-out',
    severity: 'loses',
    what: 'a role that may use the key through another service only',
    withFault: publishes(role('nightly', MAY_PUBLISH, through('sqs.eu-west-1.amazonaws.com'))),
    about: 'k',
    others: [topicArn('orders'), arnOf('scheduler', 'schedule/default/nightly')],
    says: /does not allow the role nightly to use it/,
    calls: ['PutRolePolicy'],
    withoutFault: [publishes(role('nightly', MAY_PUBLISH, through('sns.eu-west-1.amazonaws.com')))],
    unknownBecause: [{ ...publishes(role('nightly', MAY_PUBLISH)), roles: [] }],
  },
  {
    id: 'key-policy-keeps-out',
    severity: 'loses',
    what: 'a key without a policy of its own, where IAM policies decide',
    withFault: { ...publishes(role('nightly', MAY_PUBLISH)), keys: [key('k', [], { policy: undefined })] },
    about: 'k',
    others: [topicArn('orders'), arnOf('scheduler', 'schedule/default/nightly')],
    says: /does not allow the role nightly to use it/,
    calls: ['PutRolePolicy'],
    withoutFault: [{ ...publishes(role('nightly', MAY_PUBLISH, USE)), keys: [key('k', [], { policy: undefined })] }],
  },
  {
    id: 'key-disabled',
    severity: 'at-risk',
    what: 'a key of two dead-letter queues, found once',
    withFault: inventoryOf({
      subscriptions: ['1', '2'].map(it =>
        subscription('orders', it, { deadLetterTargetArn: queueArn(`dead-${it}`), endpoint: UNKNOWN }),
      ),
      queues: ['1', '2'].map(it => queue(`dead-${it}`, { keyId: 'k' })),
      keys: [key('k', [SNS_USES], { isEnabled: false })],
    }),
    about: 'k',
    others: [queueArn('dead-1'), `${topicArn('orders')}:1`, queueArn('dead-2'), `${topicArn('orders')}:2`],
    says: /^The key k, which encrypts dead-1, is not enabled: messages that orders:1 could not deliver are lost/,
    calls: ['EnableKey'],
    withoutFault: [sealedBy({})],
  },
];
