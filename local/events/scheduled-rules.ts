import type { JsonObject } from '../kernel/json';
import type { Scheduled } from '../kernel/timeline';
import { nextOccurrence, TimeZone } from '../schedule-expression/schedule-expression';
import { BusEvent } from './bus-event';
import type { Rule } from './event-bus';
import type { Router } from './router';
import type { EventsContext } from './trace-events';

const SCHEDULES_ZONE = 'UTC';

/**
 * Runs rules with a schedule, in UTC. The timers run in the background, so that a simulation with schedules can become
 * idle. The work that a rule starts does not.
 * **Assumption EVENTS-5:** A rate counts from when the rule is put or enabled, and a rule runs at the first instant of
 * its minute.
 */
export class ScheduledRules {
  private readonly waiting = new Map<string, Scheduled>();
  private readonly zone: TimeZone;

  constructor(
    private readonly context: EventsContext,
    private readonly router: Router,
  ) {
    const zone = TimeZone.named(SCHEDULES_ZONE);
    if (!zone) throw new Error(`the time zone data of this Node.js does not include ${SCHEDULES_ZONE}`);
    this.zone = zone;
  }

  changed(rule: Rule): void {
    this.stop(rule);
    const { nowMs } = this.context.timeline;
    if (rule.definition.isEnabled) this.awaitNext(rule, nowMs, nowMs);
  }

  stop(rule: Rule): void {
    this.waiting.get(rule.arn)?.cancel();
    this.waiting.delete(rule.arn);
  }

  private awaitNext(rule: Rule, startMs: number, afterMs: number): void {
    const { timeline } = this.context;
    const dueAtMs = rule.schedule && nextOccurrence(rule.schedule, { startMs, zone: this.zone }, afterMs);
    if (dueAtMs === undefined) return;
    const waiting = timeline.inBackground(dueAtMs, () => {
      this.router.trigger(rule, this.scheduledEvent(rule));
      this.awaitNext(rule, startMs, dueAtMs);
    });
    this.waiting.set(rule.arn, waiting);
  }

  /** @see https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-run-lambda-schedule.html */
  scheduledEvent(rule: Rule, detail: JsonObject = {}): BusEvent {
    const { place, random, timeline } = this.context;
    return new BusEvent({
      id: random.uuid(),
      detailType: 'Scheduled Event',
      source: 'aws.events',
      account: place.account,
      timeMs: timeline.nowMs,
      region: place.region,
      resources: [rule.arn],
      detail,
      ingestedAtMs: timeline.nowMs,
    });
  }
}
