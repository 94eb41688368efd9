import type { MetricSink } from '../kernel/telemetry';
import type { Rule } from './event-bus';

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

/** The CloudWatch metrics of EventBridge. */
export class EventsMetrics {
  private readonly byRule = new WeakMap<Rule, RuleDimensions>();

  constructor(private readonly sink: MetricSink) {}

  /** Counts one. A rule on the default bus has its name as the dimension, a rule on another bus both names. */
  count(name: RuleMetric, rule: Rule): void {
    const dimensions = this.dimensionsOf(rule);
    for (const by of RULE_METRICS[name]) this.put(name, dimensions[by]);
  }

  /** Counts an event that matches rules of a bus. */
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
