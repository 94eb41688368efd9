import type { TracedAwsEvent } from '../../../local';
import { lastPart } from '../../../policy/arn';
import { counted } from '../../../policy/format-text';
import { type JourneyContext, seconds } from './journey-writer';

/** The receiver of a subscription: a queue, a function, a URL or an address. */
function receiverOf({ record, write }: JourneyContext, subscriptionArn: string): string {
  const { endpoint, protocol } = record.subscriptions[subscriptionArn] ?? { endpoint: subscriptionArn, protocol: '' };
  if (protocol === 'sqs')
    return write.place(endpoint, write.isDeadLetterQueue(endpoint) ? 'dead-letter-queue' : 'queue');
  return write.place(endpoint, protocol === 'lambda' ? 'function' : 'endpoint');
}

/** Whether the arrival at the receiver has an event of its own. */
const ARRIVES_BY_ITSELF: readonly string[] = ['sqs', 'lambda'];

type TopicEvent = Extract<TracedAwsEvent, { readonly subscriptionArn: string; readonly messageId: string }>;

/** Adds what SNS did with the message. */
export function followTopic(event: TracedAwsEvent, context: JourneyContext): void {
  const { write, origins } = context;
  switch (event.type) {
    case 'sns.published': {
      const topic = write.place(event.topicArn, 'topic');
      const says = `Published to ${lastPart(topic)}, ${counted(event.sizeBytes, 'byte', 'bytes')}`;
      origins.set(event.topicArn, { place: topic, step: write.step(event, topic, 'began', says) });
      return;
    }
    case 'sns.unreceived': {
      const says = 'Dropped: the topic has no confirmed subscription';
      write.step(event, write.place(event.topicArn, 'topic'), 'lost', says);
      write.outcome(event.topicArn, event.topicArn, 'lost', says);
      return;
    }
    case 'sns.filtered':
    case 'sns.attempt':
    case 'sns.delivered':
    case 'sns.dead-letter-attempt':
    case 'sns.dead-lettered':
    case 'sns.lost':
      followDelivery(event, context);
  }
}

function followDelivery(event: TopicEvent, context: JourneyContext): void {
  const { write, origins } = context;
  const place = receiverOf(context, event.subscriptionArn);
  const key = event.subscriptionArn;
  switch (event.type) {
    case 'sns.filtered': {
      const says = `The filter policy rejected it (${event.reason})`;
      write.step(event, place, 'dropped', says);
      write.outcome(key, place, 'dropped', says);
      return;
    }
    case 'sns.attempt':
      followAttempt(event, place, context);
      return;
    case 'sns.delivered':
      if (!ARRIVES_BY_ITSELF.includes(event.protocol)) write.outcome(key, place, 'done', 'Delivered');
      else write.withoutOutcome(key);
      return;
    case 'sns.dead-letter-attempt': {
      const wait = event.delaySeconds === undefined ? '' : `. SNS waits ${seconds(event.delaySeconds)}`;
      const says = `SNS could not send to the dead-letter queue, attempt ${event.attempt}: ${event.reason}${wait}`;
      write.step(event, place, 'failed', says);
      return;
    }
    case 'sns.dead-lettered': {
      const queue = write.place(event.deadLetterQueueArn, 'dead-letter-queue');
      const says = `SNS gave up after ${counted(event.attempts, 'attempt', 'attempts')} and sent it to the dead-letter queue: ${event.cause.reason}`;
      const arrived = origins.get(queue)?.step ?? write.lastStep;
      const left = write.step(event, place, 'dead', says);
      write.end(key, left);
      write.move(place, queue, left, arrived, 'dead-letters');
      write.withoutOutcome(key);
      return;
    }
    case 'sns.lost': {
      const failure =
        event.deadLetterFailure === undefined ? '' : `. The dead-letter queue: ${event.deadLetterFailure}`;
      const says = `Lost: SNS gave up after ${counted(event.attempts, 'attempt', 'attempts')}: ${event.cause.reason}${failure}`;
      write.end(key, write.step(event, place, 'lost', says));
      write.outcome(key, place, 'lost', says);
    }
  }
}

function followAttempt(
  event: Extract<TracedAwsEvent, { readonly type: 'sns.attempt' }>,
  place: string,
  { write, origins }: JourneyContext,
): void {
  const { attempt, outcome, reason, delaySeconds, protocol, topicArn, subscriptionArn: key } = event;
  const topic = origins.get(topicArn);
  const isQuiet = outcome === 'delivered' && attempt === 1 && ARRIVES_BY_ITSELF.includes(protocol);
  if (isQuiet) {
    const arrived = write.lastStepAt(place);
    if (topic && arrived !== undefined) write.move(topic.place, place, topic.step, arrived, 'delivers');
    return;
  }
  const wait = delaySeconds === undefined ? '' : `. SNS waits ${seconds(delaySeconds)} before the next attempt`;
  const says = `SNS attempt ${attempt}: ${reason}${wait}`;
  const step = write.step(event, place, outcome === 'delivered' ? 'ok' : 'failed', says);
  if (topic && attempt === 1) write.move(topic.place, place, topic.step, step, 'delivers');
  if (outcome !== 'retry') {
    write.end(key, step);
    return;
  }
  write.begin(key, step, [{ kind: 'retry' }]);
  write.outcome(key, place, 'under-way', 'SNS retries the delivery');
}
