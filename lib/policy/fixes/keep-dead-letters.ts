import { parseArn } from '../arn';
import type { FunctionFacts, Inventory, SubscriptionFacts } from '../inventory/inventory';
import { toldOf } from '../inventory/told';
import type { AwsCall, Fix } from './fix';
import { letRole } from './let-role';

const FOURTEEN_DAYS_SECONDS = '1209600';
const MOST_NAME_CHARACTERS = 70;
const NAME_END = '-dead-letters';

interface NewQueue {
  readonly arn: string;
  readonly call: AwsCall;
}

/** A queue that is not there yet, by a name nobody has. */
function newQueue(
  near: string,
  about: string,
  isFifo: boolean,
  { queues }: Inventory,
  statementFor: (arn: string) => object[],
): NewQueue | undefined {
  const { partition, region, account } = parseArn(near) ?? {};
  if (!partition || !region || !account) return undefined;
  const stem = `${about
    .replace(/\.fifo$/, '')
    .replace(/[^\w-]/g, '-')
    .slice(0, MOST_NAME_CHARACTERS - NAME_END.length)}${NAME_END}`;
  const arnOf = (name: string) => `arn:${partition}:sqs:${region}:${account}:${name}`;
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
 * Gives a subscription a dead-letter queue that its topic may send to.
 * @see https://docs.aws.amazon.com/sns/latest/dg/sns-configure-dead-letter-queue.html
 */
export function keepUndelivered(subscription: SubscriptionFacts, inventory: Inventory): Fix {
  const says = 'Give the subscription a dead-letter queue that keeps letters for 14 days and lets SNS send to it.';
  const topicArn = toldOf(subscription.topicArn);
  const endpoint = toldOf(subscription.endpoint);
  if (topicArn === undefined || endpoint === undefined) return { says };
  const isFifo = subscription.protocol === 'sqs' && endpoint.endsWith('.fifo');
  const queue = newQueue(topicArn, parseArn(topicArn)?.resource ?? '', isFifo, inventory, Resource => [
    {
      Effect: 'Allow',
      Principal: { Service: 'sns.amazonaws.com' },
      Action: 'sqs:SendMessage',
      Resource,
      Condition: { ArnEquals: { 'aws:SourceArn': topicArn } },
    },
  ]);
  if (!queue) return { says };
  const input = {
    SubscriptionArn: subscription.arn,
    AttributeName: 'RedrivePolicy',
    AttributeValue: JSON.stringify({ deadLetterTargetArn: queue.arn }),
  };
  return { says, calls: [queue.call, { service: 'sns', operation: 'SetSubscriptionAttributes', input }] };
}

/**
 * Has Lambda keep what a function fails on, with the error, in a new queue.
 * @see https://docs.aws.amazon.com/lambda/latest/dg/invocation-async-retain-records.html
 */
export function keepFailures(lambda: FunctionFacts, qualifier: string | undefined, inventory: Inventory): Fix {
  const says = `Give the function ${lambda.name} an on-failure destination, or a dead-letter queue.`;
  const name = parseArn(lambda.arn)?.resource.replace(/^function:/, '') ?? lambda.name;
  const queue = newQueue(lambda.arn, name, false, inventory, () => []);
  const roleArn = toldOf(lambda.roleArn);
  if (!queue || roleArn === undefined) return { says };
  const role = letRole(roleArn, ['sqs:SendMessage'], queue.arn).calls ?? [];
  const isThere = (toldOf(lambda.eventInvokes) ?? []).some(it => it.qualifier === (qualifier ?? '$LATEST'));
  const operation = isThere ? 'UpdateFunctionEventInvokeConfig' : 'PutFunctionEventInvokeConfig';
  const input = {
    FunctionName: name,
    ...(qualifier !== undefined && { Qualifier: qualifier }),
    DestinationConfig: { OnFailure: { Destination: queue.arn } },
  };
  return { says, calls: [queue.call, ...role, { service: 'lambda', operation, input }] };
}
