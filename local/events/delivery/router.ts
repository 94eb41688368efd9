import { deliver } from '../../event-delivery';
import { AWS_SOURCE, type BusEvent } from '../bus-event';
import type { EventsContext } from '../context';
import type { EventBus } from '../event-bus';
import { EventsMetrics } from '../metrics';
import type { Rule } from '../rule';
import type { Target } from '../target';
import { DeadLetters } from './dead-letters';
import { type Invocation, type InvocationDependencies, invoke } from './invocation';
import { payloadFor } from './payload';

/** Takes events to the targets of the rules that match them. */
export class Router {
  readonly metrics: EventsMetrics;
  private readonly deadLetters: DeadLetters;

  constructor(
    private readonly context: EventsContext,
    private readonly neighbours: InvocationDependencies,
  ) {
    this.metrics = new EventsMetrics(context.metrics);
    this.deadLetters = new DeadLetters(neighbours.sqs, this.metrics, context.trace, context.timeline);
  }

  /** An event has come to a bus. Whoever brought it waits for nobody. */
  accept(bus: EventBus, event: BusEvent): void {
    const rules = bus.rulesInOrder.filter(rule => rule.wants(event.members));
    this.metrics.matched(rules);
    // AWS's services tell of everything; what no rule wants is no news.
    if (rules.length > 0 || !event.props.source.startsWith(AWS_SOURCE)) {
      this.context.trace.record({
        type: 'events.received',
        eventId: event.id,
        eventBusArn: bus.arn,
        source: event.props.source,
        detailType: event.props.detailType,
        matchedRules: rules.length,
      });
    }
    for (const rule of rules) this.trigger(rule, event);
  }

  /** Runs a rule, whether an event or the time has come for it. An event never runs the same rule twice. */
  trigger(rule: Rule, event: BusEvent): void {
    const about = { eventId: event.id, ruleArn: rule.arn };
    if (event.cameThrough.includes(rule.arn)) {
      for (let i = 0; i < rule.targets.size; i += 1) this.metrics.count('DeadLetterInvocations', rule);
      this.context.trace.record({ type: 'events.loop-stopped', ...about });
      return;
    }
    this.metrics.count('TriggeredRules', rule);
    this.context.trace.record({ type: 'events.rule-triggered', ...about });
    for (const target of rule.targets.values()) this.send(rule, target, event);
  }

  private send(rule: Rule, target: Target, event: BusEvent): void {
    const { trace, timeline } = this.context;
    const invocation: Invocation = { rule, target, event, payload: payloadFor(target, event, rule) };
    const about = { eventId: event.id, ruleArn: rule.arn, targetId: target.id, targetArn: target.arn };
    this.metrics.count('InvocationsCreated', rule);
    deliver(timeline, {
      policy: target.retryPolicy,
      attempt: (attempt, latency) => {
        this.metrics.count('InvocationAttempts', rule);
        if (attempt > 1) this.metrics.count('RetryInvocationAttempts', rule);
        return invoke(invocation, this.neighbours, latency);
      },
      delivered: attempt => {
        this.metrics.count('SuccessfulInvocationAttempts', rule);
        this.metrics.count('Invocations', rule);
        trace.record({ type: 'events.invoked', ...about, attempt });
      },
      attemptFailed: ({ attempt, error, reason }, nextAttemptAtMs) => {
        trace.record({
          type: 'events.invocation-failed',
          ...about,
          attempt,
          errorCode: reason.code,
          code: error.code,
          reason: error.reason,
          ...(nextAttemptAtMs !== undefined && { nextAttemptAtMs }),
        });
      },
      givenUp: why => {
        this.metrics.count('Invocations', rule);
        this.metrics.count('FailedInvocations', rule);
        this.deadLetters.send(invocation, why);
      },
    });
  }
}
