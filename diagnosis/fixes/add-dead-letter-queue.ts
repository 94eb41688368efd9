import { type Arn, displayNameOf, formatArn, parseArn } from '../../policy/arn';
import { isKnown, knownValue } from '../../template/maybe-known';
import type { FunctionFacts, Inventory, SubscriptionFacts } from '../inventory/inventory';
import { queueOf } from '../inventory/look-ups';
import type { AwsCall, Fix } from './fix';
import { addedStatement, allowRole, distinctName, sendStatement, statementName } from './grant-access';

const FOURTEEN_DAYS_SECONDS = '1209600';
/** AWS allows 80. The rest is for `.fifo` and a number that makes the name unique. */
const MOST_NAME_CHARACTERS = 70;

/** The resource whose dead letters a queue is for, and the queue's Region and account. */
interface Source {
  readonly arn: string;
  readonly kind: 'topic' | 'function';
  readonly name: string;
  readonly home: Pick<Arn, 'partition' | 'region' | 'account'>;
}

interface NewQueue {
  readonly arn: string;
  readonly call: AwsCall;
}

/** The name depends only on the source, because two fixes that create the same queue must use the same name. */
function nameFor({ arn, kind, name, home }: Source, isFifo: boolean): string {
  const own = isFifo ? name.replace(/\.fifo$/, '') : name;
  const plain = own.replace(/[^\w-]/g, '-');
  const end = `-${kind}-dead-letters`;
  const most = MOST_NAME_CHARACTERS - end.length;
  const isWhole = plain === own && own.length <= most && parseArn(arn)?.account === home.account;
  return `${isWhole ? own : distinctName(plain, arn, most)}${end}`;
}

function newQueue(
  source: Source,
  isFifo: boolean,
  { queues }: Inventory,
  statementFor: (arn: string) => object[],
): NewQueue {
  const stem = nameFor(source, isFifo);
  const arnOf = (resource: string) => formatArn({ ...source.home, service: 'sqs', resource });
  const end = isFifo ? '.fifo' : '';
  const taken = new Set(queues.map(({ arn }) => arn));
  let name = `${stem}${end}`;
  for (let next = 2; taken.has(arnOf(name)); next += 1) name = `${stem}-${next}${end}`;
  const arn = arnOf(name);
  const statements = statementFor(arn);
  const Attributes = {
    MessageRetentionPeriod: FOURTEEN_DAYS_SECONDS,
    SqsManagedSseEnabled: 'true',
    ...(isFifo && { FifoQueue: 'true' }),
    ...(statements.length > 0 && { Policy: JSON.stringify({ Version: '2012-10-17', Statement: statements }) }),
  };
  return { arn, call: { service: 'sqs', operation: 'CreateQueue', input: { QueueName: name, Attributes } } };
}

/**
 * Gives a subscription a dead-letter queue to which its topic may send. The queue belongs to the account that
 * subscribed. There are calls only if that is the inventory's account.
 * @see https://docs.aws.amazon.com/sns/latest/dg/sns-configure-dead-letter-queue.html
 */
export function keepUndelivered(subscription: SubscriptionFacts, inventory: Inventory): Fix {
  const says = 'Give the subscription a dead-letter queue that keeps messages for 14 days and lets SNS send to it.';
  const topicArn = knownValue(subscription.topicArn);
  const endpoint = knownValue(subscription.endpoint);
  const topic = parseArn(topicArn ?? '');
  const account = knownValue(inventory.account);
  if (topicArn === undefined || topic === undefined || endpoint === undefined) return { says };
  if (account === undefined || knownValue(subscription.owner) !== account) return { says };
  const isFifo = subscription.protocol === 'sqs' && endpoint.endsWith('.fifo');
  const source: Source = { arn: topicArn, kind: 'topic', name: topic.resource, home: { ...topic, account } };
  const queue = newQueue(source, isFifo, inventory, arn => [
    sendStatement(arn, { service: 'sns.amazonaws.com', sourceArn: topicArn }),
  ]);
  const input = {
    SubscriptionArn: subscription.arn,
    AttributeName: 'RedrivePolicy',
    AttributeValue: JSON.stringify({ deadLetterTargetArn: queue.arn }),
  };
  return { says, calls: [queue.call, { service: 'sns', operation: 'SetSubscriptionAttributes', input }] };
}

/**
 * Makes Lambda send a record of each failed invocation to a new queue.
 * @see https://docs.aws.amazon.com/lambda/latest/dg/invocation-async-retain-records.html
 */
export function keepFailures(lambda: FunctionFacts, qualifier: string | undefined, inventory: Inventory): Fix {
  const says = `Give the function ${lambda.name} an on-failure destination, or a dead-letter queue.`;
  const home = parseArn(lambda.arn);
  const roleArn = knownValue(lambda.roleArn);
  const invokes = knownValue(lambda.eventInvokes);
  const its = invokes?.find(it => it.qualifier === (qualifier ?? '$LATEST'));
  const onSuccess = its?.onSuccessArn;
  if (home === undefined || roleArn === undefined || invokes === undefined || !isKnown(onSuccess)) return { says };
  const name = displayNameOf(lambda.arn);
  const queue = newQueue({ arn: lambda.arn, kind: 'function', name, home }, false, inventory, () => []);
  const role = allowRole(roleArn, ['sqs:SendMessage'], queue.arn).calls ?? [];
  const operation = its ? 'UpdateFunctionEventInvokeConfig' : 'PutFunctionEventInvokeConfig';
  const input = {
    FunctionName: name,
    ...(qualifier !== undefined && { Qualifier: qualifier }),
    // **Assumption LAMBDA-14:** Setting one destination may remove the other.
    DestinationConfig: {
      OnFailure: { Destination: queue.arn },
      ...(onSuccess !== undefined && { OnSuccess: { Destination: onSuccess } }),
    },
  };
  return { says, calls: [queue.call, ...role, { service: 'lambda', operation, input }] };
}

const text = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value));

/** A subscription's attributes, as `Subscribe` accepts them; undefined if some are unknown. */
function attributesOf(subscription: SubscriptionFacts): Readonly<Record<string, string>> | undefined {
  const { deadLetterTargetArn, isRaw, deliveryPolicy, filterPolicy, filterPolicyScope, otherSettings } = subscription;
  if (![deadLetterTargetArn, isRaw, deliveryPolicy, filterPolicy, filterPolicyScope].every(isKnown)) return undefined;
  // Without a setting that is unknown here, the new subscription would deliver something else.
  if (knownValue(otherSettings)?.length !== 0) return undefined;
  return {
    ...(isRaw === true && { RawMessageDelivery: 'true' }),
    ...(typeof deadLetterTargetArn === 'string' && { RedrivePolicy: JSON.stringify({ deadLetterTargetArn }) }),
    ...(filterPolicy !== undefined &&
      typeof filterPolicyScope === 'string' && { FilterPolicyScope: filterPolicyScope }),
    ...(filterPolicy !== undefined && { FilterPolicy: text(filterPolicy) }),
    ...(deliveryPolicy !== undefined && { DeliveryPolicy: text(deliveryPolicy) }),
  };
}

function makeQueue(queueArn: string, topicArn: string): AwsCall {
  const who = { service: 'sns.amazonaws.com', sourceArn: topicArn };
  const { policy } = addedStatement(undefined, statementName(who), sendStatement(queueArn, who));
  const isFifo = queueArn.endsWith('.fifo');
  const Attributes = { ...(isFifo && { FifoQueue: 'true' }), Policy: JSON.stringify(policy) };
  return { service: 'sqs', operation: 'CreateQueue', input: { QueueName: displayNameOf(queueArn), Attributes } };
}

/**
 * Creates a deleted queue again, if it does not exist, and replaces the subscription: SNS keeps refusing deliveries to
 * a queue it knows as deleted. There are no calls if some of the subscription's attributes are unknown.
 */
export function resubscribe(queueArn: string, subscription: SubscriptionFacts, inventory: Inventory): Fix {
  const isThere = queueOf(queueArn, inventory) !== undefined;
  const name = displayNameOf(queueArn);
  const make = isThere
    ? ''
    : `Deploy the queue ${name} again, or create it without settings except the policy below; then `;
  const says =
    `${make}${isThere ? 'R' : 'r'}eplace the subscription: for SNS, the new queue is not the one it knew. Messages published ` +
    'between the last two calls do not reach the queue.';
  const { topicArn } = subscription;
  const Attributes = attributesOf(subscription);
  if (!isKnown(topicArn) || !Attributes) return { says };
  const subscribe = { TopicArn: topicArn, Protocol: subscription.protocol, Endpoint: queueArn, Attributes };
  return {
    says,
    calls: [
      ...(isThere ? [] : [makeQueue(queueArn, topicArn)]),
      { service: 'sns', operation: 'Unsubscribe', input: { SubscriptionArn: subscription.arn } },
      { service: 'sns', operation: 'Subscribe', input: subscribe },
    ],
  };
}
