import { Stack, Token } from 'aws-cdk-lib';
import type { FilterOrPolicy, ITopic, SubscriptionFilter, SubscriptionOptions } from 'aws-cdk-lib/aws-sns';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import type { Construct, IConstruct } from 'constructs';
import { FILTER_LIMITS } from '../../policy/aws-limits';
import { FIFO_PROTOCOLS, RAW_PROTOCOLS } from '../../policy/outcome/protocol';
import type { Problem } from '../../policy/problem';
import { envelopeProblems, managedKeyProblems, queueArnProblems } from '../queue/queue-checks';
import { arnProblems } from '../shared/addresses';
import { absentProblems, mismatchProblems } from '../shared/checks';
import { consumerRegion } from './delivery-place';
import { protocolFacts } from './protocol-facts';
import type { Recipient } from './recipients';
import type { TopicDeliveryOptions } from './topic-delivery';

/**
 * Problems of the dead-letter queue of a delivery. A queue that is passed has its own alarm actions.
 * @param isShared whether the deliveries of the topic share a queue
 */
export function ownQueueProblems(
  scope: Construct,
  topic: ITopic & Construct,
  recipient: Recipient,
  options: AnyDeliveryOptions,
  isShared: boolean,
): Problem[] {
  const { deadLetterQueue, alarmActions } = options;
  if (deadLetterQueue)
    return absentProblems('alarmActions', alarmActions?.map(String), 'where deadLetterQueue is present');
  return isShared ? sharedQueueProblems(scope, topic, options) : newQueueProblems(scope, topic, recipient);
}

/**
 * The dead-letter queue that is created for a delivery must be in the Region of the topic.
 * @see https://docs.aws.amazon.com/sns/latest/dg/sns-cross-region-delivery.html
 */
function newQueueProblems(scope: Construct, topic: ITopic, { consumer }: Recipient): Problem[] {
  const rule = 'must be passed if the consumer is not in the Region of the topic,';
  return mismatchProblems('deadLetterQueue', rule, topic.env.region, consumerRegion(scope, consumer));
}

/** In a queue that deliveries share, nothing but the envelope names the subscription of a dead letter. */
function sharedQueueProblems(
  scope: Construct,
  topic: ITopic & Construct,
  { alarmActions, rawMessageDelivery }: AnyDeliveryOptions,
): Problem[] {
  const where = 'where the topic has sharedDeadLetterQueue';
  const rawRule = `must be false ${where}, because nothing in a raw dead letter names its subscription: pass a deadLetterQueue`;
  const { account, region } = Stack.of(topic);
  return [
    ...absentProblems('alarmActions', alarmActions?.map(String), `${where}: it has the actions of the topic`),
    ...(rawMessageDelivery ? [{ property: 'rawMessageDelivery', rule: rawRule, value: rawMessageDelivery }] : []),
    ...mismatchProblems(
      'deadLetterQueue',
      'must be passed for a delivery outside the account of sharedDeadLetterQueue,',
      account,
      Stack.of(scope).account,
    ),
    ...mismatchProblems(
      'deadLetterQueue',
      'must be passed for a topic outside the Region of sharedDeadLetterQueue,',
      region,
      topic.env.region,
    ),
  ];
}

/**
 * What SNS rejects about a dead-letter queue, or cannot reach.
 * @see https://docs.aws.amazon.com/sns/latest/dg/sns-dead-letter-queues.html
 */
function deadLetterQueueProblems(scope: IConstruct, queue: IQueue, topic: ITopic, needsFifo: boolean): Problem[] {
  const fifoRule = needsFifo
    ? 'must be FIFO, because a FIFO topic delivers to a FIFO queue'
    : 'must be a standard queue, because the topic is standard';
  const isOfOtherType = needsFifo ? !queue.fifo : queue.fifo && !topic.fifo;
  return [
    ...mismatchProblems('deadLetterQueue', 'must be in the Region of the topic,', topic.env.region, queue.env.region),
    ...mismatchProblems(
      'deadLetterQueue',
      'must be in the account of the subscription,',
      Stack.of(scope).account,
      queue.env.account,
    ),
    ...queueArnProblems('deadLetterQueue', queue),
    ...(isOfOtherType ? [{ property: 'deadLetterQueue', rule: fifoRule, value: queue.node.path }] : []),
    ...managedKeyProblems('deadLetterQueue.encryption', queue, 'SNS'),
  ];
}

/** The dead-letter queue must not be the subscribed queue: a message that it rejected once, it rejects again. */
function sameQueueProblems(deadLetterQueue: IQueue, endpoint: string): Problem[] {
  if (deadLetterQueue.queueArn !== endpoint) return [];
  const rule = 'must be another queue than the subscribed one';
  return [{ property: 'deadLetterQueue', rule, value: deadLetterQueue.node.path }];
}

export type AnyDeliveryOptions = TopicDeliveryOptions & Pick<SubscriptionOptions, 'rawMessageDelivery'>;

/** What SNS does not support with the protocol of a delivery. */
function protocolProblems(
  { protocol, endpoint, named }: Recipient,
  topic: ITopic,
  { rawMessageDelivery }: AnyDeliveryOptions,
): Problem[] {
  const { arn } = protocolFacts(protocol);
  const canBeRaw = RAW_PROTOCOLS.includes(protocol);
  const reason = `, because SNS cannot deliver by ${protocol} without the envelope`;
  return [
    ...(topic.fifo && !FIFO_PROTOCOLS.includes(protocol)
      ? [{ ...named, rule: 'must be a queue, because the topic is FIFO: put a queue between them' }]
      : []),
    ...(arn ? arnProblems(named.property, endpoint, arn) : []),
    ...(rawMessageDelivery && !canBeRaw ? absentProblems('rawMessageDelivery', rawMessageDelivery, reason) : []),
  ];
}

/** Returns everything SNS would reject about a delivery that is created below `scope`. */
export function problemsOfDelivery(
  scope: IConstruct,
  topic: ITopic,
  recipient: Recipient,
  options: AnyDeliveryOptions,
): Problem[] {
  const { endpoint, fifo = false, problems } = recipient;
  const { deadLetterQueue } = options;
  return [
    ...protocolProblems(recipient, topic, options),
    ...problems,
    ...filterProblems(options),
    ...envelopeProblems(recipient.queue, options.rawMessageDelivery),
    ...(deadLetterQueue ? sameQueueProblems(deadLetterQueue, endpoint) : []),
    ...(deadLetterQueue ? deadLetterQueueProblems(scope, deadLetterQueue, topic, fifo) : []),
  ];
}

/** The filters of a subscription, of which at most one may be set. */
interface Filters {
  readonly filterPolicy?: { [attribute: string]: SubscriptionFilter };
  readonly filterPolicyWithMessageBody?: { [attribute: string]: FilterOrPolicy };
}

interface Leaf {
  readonly path: string;
  readonly depth: number;
  readonly conditions: readonly unknown[];
}

/**
 * The CDK distinguishes a filter from a nested policy with a type guard, and the compiler cannot see that every value
 * is one of the two.
 */
function leaves(members: { [name: string]: FilterOrPolicy }, prefix: string, depth: number): Leaf[] {
  return Object.entries(members).flatMap(([name, member]) => {
    const path = `${prefix}.${name}`;
    if (member.isPolicy()) return leaves(member.policyDoc, path, depth + 1);
    return member.isFilter() ? [{ path, depth, conditions: member.filterDoc.conditions }] : [];
  });
}

function leavesOf({ filterPolicy = {}, filterPolicyWithMessageBody = {} }: Filters): Leaf[] {
  const attributes = Object.entries(filterPolicy).map(([name, { conditions }]) => ({
    path: `filterPolicy.${name}`,
    depth: 1,
    conditions,
  }));
  return [...attributes, ...leaves(filterPolicyWithMessageBody, 'filterPolicyWithMessageBody', 1)];
}

function sizeProblems(property: string, names: number, filterLeaves: readonly Leaf[]): Problem[] {
  const combinations = filterLeaves.reduce((product, { conditions, depth }) => product * conditions.length * depth, 1);
  return [
    ...(names === 0 ? [{ property, rule: 'must have at least one name', value: {} }] : []),
    ...(names > FILTER_LIMITS.names
      ? [{ property, rule: `must have at most ${FILTER_LIMITS.names} names`, value: names }]
      : []),
    ...(combinations > FILTER_LIMITS.combinations
      ? [
          {
            property,
            rule: `must have at most ${FILTER_LIMITS.combinations} combinations of values`,
            value: combinations,
          },
        ]
      : []),
  ];
}

/** Returns everything SNS would reject about the filters. Conditions with a token are not checked. */
function filterProblems(filters: Filters): Problem[] {
  const { filterPolicy, filterPolicyWithMessageBody } = filters;
  const known = leavesOf(filters).filter(({ conditions }) => !Token.isUnresolved(conditions));
  const both = filterPolicy !== undefined && filterPolicyWithMessageBody !== undefined;
  const given = Object.entries({ filterPolicy, filterPolicyWithMessageBody });
  return [
    ...(both ? absentProblems('filterPolicyWithMessageBody', 'both', 'where filterPolicy is present') : []),
    ...known
      .filter(({ conditions }) => conditions.length === 0)
      .map(({ path }) => ({ property: path, rule: 'must list at least one condition', value: [] })),
    ...given.flatMap(([property, members]) =>
      members
        ? sizeProblems(
            property,
            Object.keys(members).length,
            known.filter(({ path }) => path.startsWith(`${property}.`)),
          )
        : [],
    ),
  ];
}
