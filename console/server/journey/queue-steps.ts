import type { TracedAwsEvent } from '../../../local';
import { lastPart } from '../../../policy/arn';
import { counted } from '../../../policy/format-text';
import { type JourneyContext, seconds } from './journey-writer';

type QueueEvent = Extract<TracedAwsEvent, { readonly queueArn: string; readonly messageId: string }>;

/** Adds what happened to the message in queues. */
export function followQueue(event: TracedAwsEvent, context: JourneyContext): void {
  const { write, queues } = context;
  if (event.type === 'sqs.purged' || event.type === 'sqs.queue-deleted') {
    const says = event.type === 'sqs.purged' ? 'Lost: the queue was purged' : 'Lost: the queue was deleted';
    const step = write.step(event, write.place(event.queueArn, 'queue'), 'lost', says);
    for (const [id, queue] of queues) {
      if (queue !== event.queueArn) continue;
      write.end(id, step);
      write.outcome(id, queue, 'lost', says);
    }
  } else if (event.type.startsWith('sqs.') && 'messageId' in event && 'queueArn' in event) {
    followMessage(event, context, write.place(event.queueArn, 'queue'));
  }
}

function followMessage(event: QueueEvent, context: JourneyContext, queue: string): void {
  const { write, queues, record } = context;
  const id = event.messageId;
  switch (event.type) {
    case 'sqs.sent':
      arrive(event, context, queue);
      return;
    case 'sqs.deduplicated':
      write.step(event, queue, 'dropped', 'SQS ignored a duplicate that arrived within five minutes');
      return;
    case 'sqs.received': {
      const timeout = event.visibilityTimeoutSeconds;
      const says = `Received, ${counted(event.receiveCount, 'time', 'times')} so far. It is in flight for at most ${seconds(timeout)}`;
      inFlight(event, context, write.step(event, queue, 'received', says), timeout);
      return;
    }
    case 'sqs.visibility-changed': {
      const timeout = event.visibilityTimeoutSeconds;
      const says =
        timeout === 0
          ? 'Its consumer gave it back: it can be received again at once'
          : `Its consumer hides it for ${seconds(timeout)} more`;
      inFlight(event, context, write.step(event, queue, 'waits', says), timeout);
      return;
    }
    case 'sqs.deleted': {
      const isMoved = Object.values(record.copies).includes(id);
      const says = isMoved ? 'Deleted here after a copy was sent on' : 'Processed: its consumer deleted it';
      const step = write.step(event, queue, isMoved ? 'moved' : 'ok', says);
      write.end(id, step);
      queues.delete(id);
      if (isMoved) write.withoutOutcome(id);
      else
        write.outcome(
          id,
          queue,
          'done',
          write.isDeadLetterQueue(queue) ? 'Deleted from the dead-letter queue' : 'Processed',
        );
      return;
    }
    case 'sqs.dead-lettered': {
      const says = `Received ${counted(event.receiveCount, 'time', 'times')} without being deleted; maxReceiveCount is ${event.maxReceiveCount}`;
      const left = write.step(event, queue, 'dead', says);
      write.end(id, left);
      const to = write.place(event.deadLetterQueueArn, 'dead-letter-queue');
      const arrived = write.step(event, to, 'dead', 'SQS moved it to the dead-letter queue');
      write.move(queue, to, left, arrived, 'dead-letters');
      hold(context, id, to, arrived);
      return;
    }
    case 'sqs.moved': {
      const step = write.step(event, queue, 'moved', `A redrive moved it to ${lastPart(event.destinationArn)}`);
      write.end(id, step);
      queues.delete(id);
      write.withoutOutcome(id);
      const to = write.place(event.destinationArn, 'queue');
      write.move(queue, to, step, write.lastStepAt(to) ?? step, 'returns');
      return;
    }
    case 'sqs.expired': {
      const says = `Lost: SQS deleted it after ${seconds(event.retentionSeconds)}, the queue's retention period`;
      write.end(id, write.step(event, queue, 'lost', says));
      queues.delete(id);
      write.outcome(id, queue, 'lost', says);
    }
  }
}

/** It waits in a queue from a step on. */
function hold({ write, queues }: JourneyContext, id: string, queue: string, step: number, visibleAtMs?: number): void {
  queues.set(id, queue);
  const delayed = { kind: 'delayed', lapses: 'Its delay is over: it can be received' } as const;
  write.begin(id, step, [
    ...(visibleAtMs === undefined ? [] : [{ ...delayed, untilMs: visibleAtMs }]),
    { kind: 'waiting' },
  ]);
  const isDead = write.isDeadLetterQueue(queue);
  write.outcome(
    id,
    queue,
    isDead ? 'dead-letter' : 'under-way',
    isDead ? 'In the dead-letter queue' : 'Waits in the queue',
  );
}

function arrive(
  event: Extract<QueueEvent, { readonly type: 'sqs.sent' }>,
  context: JourneyContext,
  queue: string,
): void {
  const { write, origins, record, queues } = context;
  const isFirst = write.lastStep === -1;
  const original = record.copies[event.messageId];
  const isDead = write.isDeadLetterQueue(queue);
  const delay = event.delaySeconds > 0 ? `, hidden for ${seconds(event.delaySeconds)}` : '';
  const says = `${original === undefined ? 'Arrived in' : 'A copy was sent to'} ${lastPart(queue)}${delay}`;
  const step = write.step(event, queue, isFirst ? 'began' : isDead ? 'dead' : 'ok', says);
  origins.set(queue, { place: queue, step });
  hold(
    context,
    event.messageId,
    queue,
    step,
    event.delaySeconds > 0 ? event.atMs + event.delaySeconds * 1000 : undefined,
  );
  const from = original === undefined ? undefined : queues.get(original);
  if (from !== undefined) write.move(from, queue, step, step, isDead ? 'dead-letters' : 'returns');
}

function inFlight(
  { atMs, messageId }: QueueEvent,
  { write, queues }: JourneyContext,
  step: number,
  timeout: number,
): void {
  const lapses = `Not deleted within the visibility timeout: it can be received again`;
  write.begin(messageId, step, [{ kind: 'in-flight', untilMs: atMs + timeout * 1000, lapses }, { kind: 'waiting' }]);
  const queue = queues.get(messageId);
  if (queue !== undefined && !write.isDeadLetterQueue(queue))
    write.outcome(messageId, queue, 'under-way', 'Under way in the queue');
}
