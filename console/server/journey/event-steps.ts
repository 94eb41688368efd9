import type { TracedAwsEvent } from '../../../local';
import { lastPart } from '../../../policy/arn';
import { counted } from '../../../policy/format-text';
import { type JourneyContext, seconds } from './journey-writer';

export function followEvents(event: TracedAwsEvent, { write, origins }: JourneyContext): void {
  switch (event.type) {
    case 'events.received': {
      const bus = write.place(event.eventBusArn, 'bus');
      const says = `Event "${event.detailType}" of ${event.source}: ${counted(event.matchedRules, 'rule matches', 'rules match')}`;
      const step = write.step(event, bus, event.matchedRules === 0 ? 'dropped' : 'began', says);
      origins.set(bus, { place: bus, step });
      if (event.matchedRules === 0) write.outcome(bus, bus, 'dropped', 'No rule matches');
      return;
    }
    case 'events.rule-triggered':
      write.step(
        event,
        write.place(event.ruleArn, 'rule'),
        write.lastStep === -1 ? 'began' : 'ok',
        `${lastPart(event.ruleArn)} was triggered`,
      );
      return;
    case 'scheduler.due':
      write.step(event, write.place(event.scheduleArn, 'schedule'), 'began', 'The scheduled time has come');
      return;
    case 'events.invoked':
    case 'scheduler.invoked': {
      const source = sourceOf(event, write);
      const arrived = origins.get(event.targetArn);
      const says = `Sent to ${lastPart(event.targetArn)}, attempt ${event.attempt}`;
      const left = write.step(event, source, 'ok', says);
      write.end(event.targetArn, left);
      if (arrived) write.move(source, arrived.place, left, arrived.step, 'delivers');
      write.withoutOutcome(event.targetArn);
      return;
    }
    case 'events.invocation-failed':
    case 'scheduler.invocation-failed': {
      const { nextAttemptAtMs: nextMs, attempt, reason, atMs } = event;
      const wait = nextMs === undefined ? '' : `. The next one follows in ${seconds((nextMs - atMs) / 1000)}`;
      const step = write.step(event, sourceOf(event, write), 'failed', `Attempt ${attempt} failed: ${reason}${wait}`);
      write.end(event.targetArn, step);
      if (nextMs !== undefined) write.begin(event.targetArn, step, [{ kind: 'retry' }]);
      return;
    }
    case 'events.dead-lettered':
    case 'scheduler.dead-lettered': {
      const source = sourceOf(event, write);
      const left = write.step(event, source, 'dead', 'It gave up, and sent the event to the dead-letter queue');
      const arrived = origins.get(event.deadLetterQueueArn);
      if (arrived) write.move(source, arrived.place, left, arrived.step, 'dead-letters');
      return;
    }
    case 'events.dropped':
    case 'scheduler.dropped': {
      const source = sourceOf(event, write);
      const says = `Lost: ${event.reason}`;
      write.step(event, source, 'lost', says);
      write.outcome(event.targetArn, source, 'lost', says);
    }
  }
}

type Sent = { readonly ruleArn: string } | { readonly scheduleArn: string };

function sourceOf(event: Sent, write: JourneyContext['write']): string {
  return 'ruleArn' in event ? write.place(event.ruleArn, 'rule') : write.place(event.scheduleArn, 'schedule');
}
