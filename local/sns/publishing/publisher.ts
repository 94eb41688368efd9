import { EndpointErrand } from '../delivery/endpoint-errand';
import { Message } from '../message';
import type { SnsWorld } from '../sns-world';
import type { Subscription } from '../subscription';
import type { Topic } from '../topic';
import { Delivery } from '../transports/transport';
import type { Draft } from './draft';

function deliver({ dispatch, context }: SnsWorld, message: Message, subscription: Subscription): void {
  const reason = subscription.filterPolicy?.rejects(message);
  if (reason === undefined) {
    new EndpointErrand(dispatch, new Delivery(message, subscription)).start();
    return;
  }
  dispatch.metrics.count(message.topic, 'NumberOfNotificationsFilteredOut');
  dispatch.metrics.count(message.topic, `NumberOfNotificationsFilteredOut-${reason}`);
  context.trace.record({
    type: 'sns.filtered',
    topicArn: message.topic.arn,
    messageId: message.id,
    subscriptionArn: subscription.arn,
    reason,
  });
}

/**
 * Takes a message and sends it on its way to everybody who is subscribed and confirmed now. Answers its id.
 *
 * @param traceHeader of the call
 */
export function publishDraft(
  world: SnsWorld,
  topic: Topic,
  { sizeBytes, ...draft }: Draft,
  traceHeader: string | undefined,
): string {
  const { timeline, random, trace } = world.context;
  const message = new Message({ ...draft, id: random.uuid(), topic, publishedAtMs: timeline.nowMs, traceHeader });
  trace.record({ type: 'sns.published', topicArn: topic.arn, messageId: message.id, sizeBytes });
  world.dispatch.metrics.count(topic, 'NumberOfMessagesPublished');
  world.dispatch.metrics.publishSize(topic, sizeBytes);
  const subscribers = topic.subscriptions.filter(({ pending }) => !pending);
  timeline.after(0, () => {
    for (const subscription of subscribers) deliver(world, message, subscription);
  });
  return message.id;
}
