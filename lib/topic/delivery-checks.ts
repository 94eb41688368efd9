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
import { consumerRegion, protocolFacts, type Recipient } from './recipient';
import type { TopicDeliveryOptions } from './topic-delivery';

/**
 * Problems of the dead-letter queue a delivery is to get of its own: it must be where the topic is, and one that is passed
 * has its own alarm actions.
 * @see https://docs.aws.amazon.com/sns/latest/dg/sns-cross-region-delivery.html
 */
export function ownQueueProblems(
  scope: Construct,
  topic: ITopic,
  { consumer }: Recipient,
  { deadLetterQueue, alarmActions }: DeliveryOptions,
): Problem[] {
  if (deadLetterQueue)
    return absentProblems('alarmActions', alarmActions?.map(String), 'where deadLetterQueue is present');
  const rule = 'must be passed where the consumer is not in the Region of the topic,';
  return mismatchProblems('deadLetterQueue', rule, topic.env.region, consumerRegion(scope, consumer));
}

/** What SNS rejects of a queue as subscriber. @see https://docs.aws.amazon.com/sns/latest/dg/sns-fifo-topics.html */
export function subscriberQueueProblems(queue: IQueue, topic: ITopic): Problem[] {
  const fifoOnStandard = queue.fifo && !topic.fifo;
  return [
    ...(fifoOnStandard
      ? [{ property: 'queue', rule: 'must not be FIFO where the topic is standard', value: queue.node.path }]
      : []),
    ...managedKeyProblems('queue.encryption', queue, 'SNS'),
  ];
}

/** What SNS rejects of a dead-letter queue, or would never reach. @see https://docs.aws.amazon.com/sns/latest/dg/sns-dead-letter-queues.html */
function deadLetterQueueProblems(scope: IConstruct, queue: IQueue, topic: ITopic, needsFifo: boolean): Problem[] {
  const fifoRule = needsFifo
    ? 'must be FIFO where a FIFO topic delivers to a FIFO queue'
    : 'must be a standard queue where the topic is standard';
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

/** What keeps the messages a queue could not take must not be that queue: what it refuses once, it refuses again. */
function sameQueueProblems(deadLetterQueue: IQueue, endpoint: string): Problem[] {
  if (deadLetterQueue.queueArn !== endpoint) return [];
  const rule = 'must be another queue than the one delivered to';
  return [{ property: 'deadLetterQueue', rule, value: deadLetterQueue.node.path }];
}

/** What a user may state of a delivery, whatever its kind. */
export type DeliveryOptions = TopicDeliveryOptions & Pick<SubscriptionOptions, 'rawMessageDelivery'>;

/** What SNS does not do by the protocol of a delivery. */
function protocolProblems(
  { protocol, endpoint, named }: Recipient,
  topic: ITopic,
  { rawMessageDelivery }: DeliveryOptions,
): Problem[] {
  const { arn } = protocolFacts(protocol);
  const canBeRaw = RAW_PROTOCOLS.includes(protocol);
  const reason = `, for SNS delivers by ${protocol} no message without its envelope`;
  return [
    ...(topic.fifo && !FIFO_PROTOCOLS.includes(protocol)
      ? [{ ...named, rule: 'must be a queue where the topic is FIFO: put one between' }]
      : []),
    ...(arn ? arnProblems(named.property, endpoint, arn) : []),
    ...(rawMessageDelivery && !canBeRaw ? absentProblems('rawMessageDelivery', rawMessageDelivery, reason) : []),
  ];
}

/** Everything SNS would reject of a delivery that is to be made below `scope`. */
export function problemsOfDelivery(
  scope: IConstruct,
  topic: ITopic,
  recipient: Recipient,
  options: DeliveryOptions,
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

/** The filters a user may state: one of them at most. */
export interface Filters {
  readonly filterPolicy?: { [attribute: string]: SubscriptionFilter };
  readonly filterPolicyWithMessageBody?: { [attribute: string]: FilterOrPolicy };
}

interface Leaf {
  readonly path: string;
  readonly depth: number;
  readonly conditions: readonly unknown[];
}

/** The CDK types tell a filter from a nested policy by a guard; the compiler cannot see that it must be one of both. */
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
    ...(names === 0 ? [{ property, rule: 'must name something to filter by', value: {} }] : []),
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

/** Everything SNS would reject of the filters. Conditions that hold a token are not judged. */
export function filterProblems(filters: Filters): Problem[] {
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
