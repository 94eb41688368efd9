import type { TracedAwsEvent } from '../../../local';
import { counted } from '../../../policy/format-text';
import { type JourneyContext, seconds } from './journey-writer';

/** Adds what functions did with the message. */
export function followFunction(event: TracedAwsEvent, context: JourneyContext): void {
  if (!event.type.startsWith('lambda.') || !('requestId' in event) || !('functionArn' in event)) return;
  const { write, origins, queues } = context;
  const { functionArn, requestId } = event;
  const place = write.place(functionArn, 'function');
  const log = { functionArn, requestId };
  switch (event.type) {
    case 'lambda.event-queued': {
      const step = write.step(
        event,
        place,
        write.lastStep === -1 ? 'began' : 'ok',
        'Queued for an asynchronous invocation',
      );
      write.begin(requestId, step, [{ kind: 'waiting' }]);
      write.outcome(requestId, place, 'under-way', 'Waits for its invocation');
      return;
    }
    case 'lambda.batch-received': {
      const step = write.step(
        event,
        place,
        'received',
        `In a batch of ${counted(event.messageIds.length, 'message', 'messages')}`,
      );
      const from = event.queueArn;
      if (from !== undefined) write.move(from, place, write.lastStepAt(from) ?? step, step, 'delivers');
      return;
    }
    case 'lambda.invoked': {
      const cold = event.coldStart ? ', a cold start' : '';
      const says = event.trigger === 'Event' ? `Attempt ${event.attempt} begins` : 'The function begins';
      const step = write.step(event, place, 'received', `${says}${cold}`, log);
      write.begin(requestId, step, [{ kind: 'running' }]);
      return;
    }
    case 'lambda.finished':
      finish(event, context, place);
      return;
    case 'lambda.batch-finished': {
      const failed = event.failedMessageIds.filter(id => queues.has(id));
      if (failed.length === 0) return;
      const says =
        event.outcome === 'success' ? 'The function reported that it failed' : `The batch failed (${event.outcome})`;
      write.step(event, place, 'failed', `${says}. SQS lets it be received again after its visibility timeout`);
      return;
    }
    case 'lambda.throttled':
      write.step(event, place, 'failed', 'Throttled: the function has no concurrency left', log);
      return;
    case 'lambda.retry-scheduled': {
      const says = `Lambda waits ${seconds(event.delaySeconds)} before the next attempt (${event.reason})`;
      write.begin(requestId, write.step(event, place, 'waits', says), [{ kind: 'retry' }]);
      write.outcome(requestId, place, 'under-way', 'Lambda retries the invocation');
      return;
    }
    case 'lambda.dead-lettered':
    case 'lambda.destination-delivered': {
      const isDead = event.type === 'lambda.dead-lettered';
      const to = isDead ? event.targetArn : event.destinationArn;
      const says = isDead
        ? `Lambda gave up (${event.condition}) after ${counted(event.attempts, 'attempt', 'attempts')} and sent the event to its dead-letter queue`
        : `Lambda sent a record of the invocation to its destination (${event.condition})`;
      const left = write.step(event, place, isDead ? 'dead' : 'moved', says);
      write.end(requestId, left);
      if (isDead || event.condition !== 'Success') write.withoutOutcome(requestId);
      const arrived = origins.get(to);
      if (arrived) write.move(place, arrived.place, left, arrived.step, isDead ? 'dead-letters' : 'delivers');
      return;
    }
    case 'lambda.lost': {
      const says = `Lost: Lambda gave up after ${counted(event.attempts, 'attempt', 'attempts')}: ${event.reason}`;
      write.end(requestId, write.step(event, place, 'lost', says, log));
      write.outcome(requestId, place, 'lost', says);
    }
  }
}

function finish(
  event: Extract<TracedAwsEvent, { readonly type: 'lambda.finished' }>,
  { write, record }: JourneyContext,
  place: string,
): void {
  const { requestId, functionArn, outcome, durationMs, errorType, errorMessage } = event;
  const error = [errorType, errorMessage].filter(it => it !== undefined).join(': ');
  const says =
    outcome === 'success'
      ? `The function returned after ${durationMs} ms`
      : outcome === 'timeout'
        ? `The function timed out after ${durationMs} ms`
        : `The function failed after ${durationMs} ms: ${error}`;
  const step = write.step(event, place, outcome === 'success' ? 'ok' : 'failed', says, { functionArn, requestId });
  write.end(requestId, step);
  const isOwnEvent = record.ids.includes(requestId);
  if (outcome === 'success' && isOwnEvent) write.outcome(requestId, place, 'done', 'Processed');
}
