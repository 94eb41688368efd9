import { parseArn } from '../../policy/arn';
import { DEAD_LETTER_RETRIES, deliver, deliverNow, type GivenUp } from '../event-delivery/delivery';
import { sendToQueue } from '../event-delivery/targets';
import { serviceCaller } from '../kernel/caller';
import type { Place } from '../kernel/place';
import type { MetricSink } from '../kernel/telemetry';
import type { Scheduler } from '../kernel/timeline';
import type { Recorder } from '../kernel/trace';
import { AWS_SOURCE, type BusEvent } from './bus-event';
import { DEFAULT_BUS, type EventBus, type Rule } from './event-bus';
import { EVENTS_SERVICE, type Invocation, type InvocationDependencies, invoke } from './invocation';
import type { EventsDependencies } from './ports';
import type { Target } from './target';
import type { EventsContext, EventsTraceEvent } from './trace-events';

/** Sends events to the targets of matching rules. */
export class Router {
  readonly metrics: EventsMetrics;
  private readonly deadLetters: DeadLetters;

  constructor(
    private readonly context: EventsContext,
    private readonly dependencies: InvocationDependencies,
  ) {
    this.metrics = new EventsMetrics(context.metrics);
    this.deadLetters = new DeadLetters(dependencies.sqs, this.metrics, context.trace, context.timeline);
  }

  /** Routes an event that was put on a bus, as separate work after the call. */
  accept(bus: EventBus, event: BusEvent): void {
    const rules = bus.rulesInOrder.filter(rule => rule.wants(event.members));
    this.metrics.matched(rules);
    // AWS services emit all their events. Those that match no rule are not recorded, to keep the trace readable.
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

  /** Runs a rule for an event or a scheduled time. The same event runs a rule only once. */
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
    const reason = reasonNotToSendOn(target, event, this.context.place);
    if (reason !== undefined) {
      trace.record({ type: 'events.not-sent-on', ...about, reason });
      return;
    }
    this.metrics.count('InvocationsCreated', rule);
    deliver(timeline, {
      policy: target.retryPolicy,
      attempt: (attempt, latency) => {
        this.metrics.count('InvocationAttempts', rule);
        if (attempt > 1) this.metrics.count('RetryInvocationAttempts', rule);
        return invoke(invocation, this.dependencies, latency);
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

/** Returns the ARN of the bus of a rule: `rule/bus/name`, or `rule/name` on the default bus. */
function busOfRule(ruleArn: string): string {
  const [start, bus = DEFAULT_BUS] = /^(.*):rule\/(?:([^/]+)\/)?[^/]+$/.exec(ruleArn)?.slice(1) ?? [];
  return `${start}:event-bus/${bus}`;
}

/**
 * Returns why EventBridge does not send an event to the bus that is the target; undefined if it does. An event that came
 * from another account is not sent to a third one. An event that came from another bus of the account is not sent to a
 * third bus of the account.
 * **Assumption EVENTS-16:** No metric counts such an event.
 * @see https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-cross-account.html
 */
function reasonNotToSendOn(target: Target, { props, cameThrough }: BusEvent, { account }: Place): string | undefined {
  const { service, account: receiver } = parseArn(target.arn) ?? {};
  if (service !== 'events') return undefined;
  if (props.account !== account && receiver !== account && receiver !== props.account) {
    return `the event came from the account ${props.account} and is not sent to a third account`;
  }
  const passed = cameThrough.filter(ruleArn => parseArn(ruleArn)?.account === account).map(busOfRule);
  const isThird = receiver === account && passed.length > 0 && !passed.includes(target.arn);
  return isThird ? 'the event came from another bus of the account and is not sent to a third one' : undefined;
}

/**
 * The message attributes of a dead letter.
 * @see https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-rule-event-delivery.html#eb-rule-dlq
 */
function attributesOf({ rule, target }: Invocation, { error, reason, exhausted, attempt }: GivenUp) {
  return {
    RULE_ARN: rule.arn,
    TARGET_ARN: target.arn,
    ERROR_CODE: reason.code,
    ERROR_MESSAGE: error.message,
    ...(exhausted && { EXHAUSTED_RETRY_CONDITION: exhausted }),
    RETRY_ATTEMPTS: String(attempt - 1),
  };
}

/** Sends an event that failed for good to the target's dead-letter queue, or drops it when there is none. */
export class DeadLetters {
  constructor(
    private readonly sqs: EventsDependencies['sqs'],
    private readonly metrics: EventsMetrics,
    private readonly trace: Recorder<EventsTraceEvent>,
    private readonly timeline: Scheduler,
  ) {}

  send(invocation: Invocation, why: GivenUp): void {
    const { rule, target, event } = invocation;
    const about = { eventId: event.id, ruleArn: rule.arn, targetId: target.id, targetArn: target.arn };
    const errorCode = why.reason.code;
    const deadLetterQueueArn = target.definition.DeadLetterConfig?.Arn;
    if (deadLetterQueueArn === undefined) {
      this.trace.record({ type: 'events.dropped', ...about, errorCode, reason: why.error.reason });
      return;
    }
    const caller = serviceCaller(EVENTS_SERVICE, rule.arn, parseArn(rule.arn)?.account ?? '');
    const attributes = attributesOf(invocation, why);
    deliverNow(this.timeline, {
      policy: DEAD_LETTER_RETRIES,
      attempt: (_attempt, latency) =>
        sendToQueue(this.sqs, { ...caller, latency }, deadLetterQueueArn, event.json, { attributes }),
      delivered: () => this.noteSent(invocation, deadLetterQueueArn, why),
      givenUp: ({ error }) => {
        this.metrics.count('InvocationsFailedToBeSentToDlq', rule);
        const reason = `${deadLetterQueueArn}: ${error.reason}`;
        this.trace.record({ type: 'events.dropped', ...about, errorCode, reason });
      },
    });
  }

  private noteSent({ rule, target, event }: Invocation, deadLetterQueueArn: string, why: GivenUp): void {
    this.metrics.count('InvocationsSentToDlq', rule);
    const { exhausted } = why;
    this.trace.record({
      type: 'events.dead-lettered',
      eventId: event.id,
      ruleArn: rule.arn,
      targetId: target.id,
      targetArn: target.arn,
      deadLetterQueueArn,
      errorCode: why.reason.code,
      ...(exhausted && { exhaustedRetryCondition: exhausted }),
    });
  }
}

/**
 * Returns the input of a target: its constant input, a part of the event, the result of its template, or the whole
 * event.
 * **Assumption EVENTS-4:** A path that finds nothing gives `null`.
 */
function payloadFor(target: Target, event: BusEvent, rule: Rule): string | undefined {
  const { definition, inputPath, transformation } = target;
  if (definition.Input !== undefined) return definition.Input;
  if (transformation) return transformation.apply(event, rule);
  return inputPath ? JSON.stringify(inputPath.read(event.members) ?? null) : event.json;
}

/** Which names are the dimensions of a rule's metric: the rule's, the bus's or none. */
type By = 'rule' | 'bus' | 'none';

/**
 * The metrics of rules, and their dimensions.
 *
 * @see https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-monitoring.html#eb-metrics
 */
const RULE_METRICS = {
  DeadLetterInvocations: ['rule'],
  FailedInvocations: ['rule'],
  InvocationAttempts: ['bus', 'none', 'rule'],
  Invocations: ['none', 'rule'],
  InvocationsCreated: ['none'],
  InvocationsFailedToBeSentToDlq: ['rule'],
  InvocationsSentToDlq: ['rule'],
  RetryInvocationAttempts: ['bus', 'none', 'rule'],
  SuccessfulInvocationAttempts: ['bus', 'none', 'rule'],
  TriggeredRules: ['bus', 'none', 'rule'],
} as const satisfies Readonly<Record<string, readonly By[]>>;

type RuleMetric = keyof typeof RULE_METRICS;

type RuleDimensions = Readonly<Record<By, Readonly<Record<string, string>>>>;

class EventsMetrics {
  private readonly byRule = new WeakMap<Rule, RuleDimensions>();

  constructor(private readonly sink: MetricSink) {}

  /** Counts one. A rule on the default bus has its name as the dimension, a rule on another bus both names. */
  count(name: RuleMetric, rule: Rule): void {
    const dimensions = this.dimensionsOf(rule);
    for (const by of RULE_METRICS[name]) this.put(name, dimensions[by]);
  }

  matched(rules: readonly Rule[]): void {
    const [first] = rules;
    if (!first) return;
    this.put('MatchedEvents', this.dimensionsOf(first).bus);
    for (const rule of rules) this.put('MatchedEvents', this.dimensionsOf(rule).rule);
  }

  /** Counts a request with `entries` entries, of which `failed` failed. */
  putEvents(entries: number, failed: number, bytes: number): void {
    this.put('PutEventsApproximateCallCount', {});
    this.put('PutEventsApproximateSuccessCount', {});
    this.put('PutEventsEntriesCount', {}, entries);
    this.put('PutEventsFailedEntriesCount', {}, failed);
    this.put('PutEventsRequestSize', {}, bytes, 'Bytes');
  }

  /** Returns the same object for each call, so that CloudWatch finds the metric by identity without building a key. */
  private dimensionsOf(rule: Rule): RuleDimensions {
    const known = this.byRule.get(rule);
    if (known) return known;
    const { name: RuleName, bus } = rule;
    const made: RuleDimensions = {
      rule: bus.isDefault ? { RuleName } : { EventBusName: bus.name, RuleName },
      bus: { EventBusName: bus.name },
      none: {},
    };
    this.byRule.set(rule, made);
    return made;
  }

  private put(name: string, dimensions: Readonly<Record<string, string>>, value = 1, unit = 'Count'): void {
    this.sink.put({ namespace: 'AWS/Events', name, dimensions, value, unit });
  }
}
