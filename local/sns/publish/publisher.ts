import { KEY_ACCESS_DENIED, keyRefusal, kmsAnswer } from '../../kernel/access';
import { AccessRefused } from '../../kernel/aws-error';
import { type Caller, notAuthorized } from '../../kernel/caller';
import { deliverToEndpoint } from '../delivery/endpoint-delivery';
import type { SnsState } from '../sns-state';
import type { Subscription, Topic } from '../topic/topic-and-subscription';
import type { UnreceivedReason } from '../trace-events';
import { Delivery } from '../transports/transport';
import { Message } from './message';
import type { Draft, FifoGroup, MessageGroup } from './publish-request';

export interface PublishReceipt {
  readonly MessageId: string;
  /** Set by a FIFO topic. */
  readonly SequenceNumber?: string;
}

interface TopicDraft {
  readonly draft: Draft;
  readonly group: MessageGroup;
}

function deliver({ services, context }: SnsState, message: Message, subscription: Subscription): void {
  const reason = subscription.filterPolicy?.rejects(message);
  if (reason === undefined) {
    const delivery = new Delivery(message, subscription);
    const { groupSequencer } = subscription;
    if (groupSequencer && message.fifo) {
      groupSequencer.run(message.fifo.groupId, settled => deliverToEndpoint(services, delivery, settled));
    } else {
      deliverToEndpoint(services, delivery);
    }
    return;
  }
  services.metrics.count(message.topic, 'NumberOfNotificationsFilteredOut');
  services.metrics.count(message.topic, `NumberOfNotificationsFilteredOut-${reason}`);
  context.trace.record({
    type: 'sns.filtered',
    topicArn: message.topic.arn,
    messageId: message.id,
    subscriptionArn: subscription.arn,
    reason,
  });
}

/**
 * Delivers to each subscriber from index `from` on. An error in one delivery must not stop the others: they continue as
 * separate work, and the error is thrown.
 */
function fanOut(state: SnsState, message: Message, subscribers: readonly Subscription[], from = 0): void {
  let reached = from;
  try {
    for (const subscription of from === 0 ? subscribers : subscribers.slice(from)) {
      reached += 1;
      deliver(state, message, subscription);
    }
  } catch (error) {
    state.context.timeline.after(0, () => fanOut(state, message, subscribers, reached));
    throw error;
  }
}

function whyUnreceived({ hadReceiver, subscriptions }: Topic): UnreceivedReason {
  if (hadReceiver) return 'unsubscribed';
  return subscriptions.length > 0 ? 'unconfirmed' : 'never-subscribed';
}

/** Starts the deliveries to all subscriptions that are confirmed now. */
function send(state: SnsState, message: Message, sizeBytes: number): void {
  const { timeline, trace } = state.context;
  const { topic } = message;
  trace.record({ type: 'sns.published', topicArn: topic.arn, messageId: message.id, sizeBytes });
  trace.note('body', message.id, () => message.bodyFor('default'));
  state.services.metrics.count(topic, 'NumberOfMessagesPublished');
  state.services.metrics.publishSize(topic, sizeBytes);
  const { confirmed } = topic;
  if (confirmed.length === 0) {
    trace.record({ type: 'sns.unreceived', topicArn: topic.arn, messageId: message.id, reason: whyUnreceived(topic) });
  }
  timeline.after(0, () => fanOut(state, message, confirmed));
}

/** Publishes to a FIFO topic. A duplicate gets the response of the first message and is not delivered. */
function publishFifo(
  state: SnsState,
  topic: Topic,
  draft: Draft,
  { memory, groupId, deduplicationId }: FifoGroup,
  traceHeader: string | undefined,
): PublishReceipt {
  const { timeline, random, trace } = state.context;
  const { nowMs } = timeline;
  const known = memory.duplicateOf(deduplicationId, groupId, nowMs);
  if (known) {
    const { messageId, sequenceNumber } = known;
    trace.record({ type: 'sns.deduplicated', topicArn: topic.arn, messageId, deduplicationId });
    return { MessageId: messageId, SequenceNumber: sequenceNumber };
  }
  const id = random.uuid();
  const { sequenceNumber } = memory.take(id, deduplicationId, groupId, nowMs);
  const fifo = { groupId, deduplicationId, sequenceNumber };
  send(state, new Message({ ...draft, id, topic, fifo, publishedAtMs: nowMs, traceHeader }), draft.sizeBytes);
  return { MessageId: id, SequenceNumber: sequenceNumber };
}

/**
 * Publishes to all subscriptions that are confirmed now.
 * @param traceHeader of the API call
 */
export function publishToTopic(
  state: SnsState,
  topic: Topic,
  { draft, group }: TopicDraft,
  traceHeader: string | undefined,
): PublishReceipt {
  if (group.kind === 'fifo') return publishFifo(state, topic, draft, group, traceHeader);
  const { timeline, random } = state.context;
  const message = new Message({
    id: random.uuid(),
    topic,
    body: draft.body,
    bodies: draft.bodies,
    subject: draft.subject,
    attributes: draft.attributes,
    groupId: group.groupId,
    publishedAtMs: timeline.nowMs,
    traceHeader,
  });
  send(state, message, draft.sizeBytes);
  return { MessageId: message.id };
}

/** The permissions on the topic's KMS key that a publisher needs: make a data key for the message, and use it. */
const KEY_ACTIONS = ['kms:GenerateDataKey', 'kms:Decrypt'] as const;

/** The error code of SNS for an error code of KMS. SNS reports every other error as a denial. */
const SNS_CODES: Readonly<Record<string, string>> = {
  'KMS.DisabledException': 'KMSDisabled',
  'KMS.InvalidStateException': 'KMSInvalidState',
  'KMS.NotFoundException': 'KMSNotFound',
  'KMS.OptInRequired': 'KMSOptInRequired',
  'KMS.ThrottlingException': 'KMSThrottling',
};

/**
 * Checks that the publisher may use the KMS key of an encrypted topic.
 * @see https://docs.aws.amazon.com/sns/latest/dg/sns-key-management.html
 */
export function checkTopicKey({ context }: SnsState, topic: Topic, caller: Caller): void {
  const { kmsMasterKeyId } = topic;
  if (kmsMasterKeyId === undefined) return;
  const refusal = keyRefusal(
    context,
    { keyId: kmsMasterKeyId, caller, via: 'sns', encryptionContext: { 'aws:sns:topicArn': topic.arn } },
    ...KEY_ACTIONS,
  );
  if (!refusal) return;
  const { code, reason, httpStatus, action } = refusal;
  const { partition } = context.place;
  const text = code === KEY_ACCESS_DENIED ? notAuthorized(caller, partition, action, kmsMasterKeyId) : reason;
  throw new AccessRefused(
    SNS_CODES[code] ?? (httpStatus >= 500 ? 'InternalError' : 'KMSAccessDenied'),
    `${text} ${kmsAnswer(refusal)}`,
    httpStatus,
    `${action}: ${reason}`,
  );
}
