import type { TracedAwsEvent } from '../../../local';
import { counted } from '../../../policy/format-text';
import type { Journey } from '../../api/journey';
import { followEvents } from './event-steps';
import { followFunction } from './function-steps';
import type { JourneyContext, MessageRecord } from './journey-context';
import { JourneyWriter } from './journey-writer';
import { followQueue } from './queue-steps';
import { followTopic } from './topic-steps';

/** A longer journey is shown by its beginning and its end: SNS can retry a delivery 100,015 times. */
const MOST_EVENTS = 400;

export function journeyOf(record: MessageRecord, nowMs: number): Journey {
  const write = new JourneyWriter();
  const context: JourneyContext = { record, write, queues: new Map(), origins: new Map() };
  const { events } = record;
  const leftOut = Math.max(0, events.length - MOST_EVENTS);
  for (const queue of deadLetterQueues(events)) context.write.place(queue, 'dead-letter-queue');
  const head = events.slice(0, leftOut > 0 ? MOST_EVENTS / 2 : undefined);
  for (const event of head) follow(event, context);
  const tail = leftOut > 0 ? events.slice(-MOST_EVENTS / 2) : [];
  const [first] = tail;
  const place = write.placeOfLastStep;
  if (first && place !== undefined) {
    write.step(
      { seq: null, atMs: first.atMs, type: 'gap' },
      place,
      'gap',
      `${counted(leftOut, 'event is', 'events are')} left out`,
    );
  }
  for (const event of tail) follow(event, context);
  const bodyId = record.ids.find(id => record.bodies[id] !== undefined);
  const body = bodyId === undefined ? null : (record.bodies[bodyId] ?? null);
  return write.document({ id: record.id, ids: record.ids, body, nowMs, leftOut });
}

function follow(event: TracedAwsEvent, context: JourneyContext): void {
  followTopic(event, context);
  followQueue(event, context);
  followFunction(event, context);
  followEvents(event, context);
}

/** The queues that the message reached as a dead letter. They are known before it arrives there. */
function deadLetterQueues(events: readonly TracedAwsEvent[]): readonly string[] {
  return events.flatMap(event => {
    if ('deadLetterQueueArn' in event) return [event.deadLetterQueueArn];
    return event.type === 'lambda.dead-lettered' && event.targetArn.includes(':sqs:') ? [event.targetArn] : [];
  });
}
