import { compileEventPattern, type EventPattern, EventPatternError } from '../event-pattern';
import type { Resource } from '../kernel/doorkeeper';
import { ResourceTags } from '../kernel/resource-tags';
import { parseRuleSchedule, type ScheduleExpression } from '../schedule-expression';
import { invalidEventPattern, validationException } from './errors';
import type { EventBus } from './event-bus';
import { TAG_RULES } from './tag-rules';
import type { Target } from './target';

/** What `PutRule` says of a rule. */
export interface RuleDefinition {
  readonly eventPattern: string | undefined;
  readonly scheduleExpression: string | undefined;
  readonly isEnabled: boolean;
  readonly description: string | undefined;
  readonly roleArn: string | undefined;
}

/** @throws AwsError `InvalidEventPatternException` */
export function compiledPattern(text: string): EventPattern {
  try {
    return compileEventPattern(text);
  } catch (error) {
    if (!(error instanceof EventPatternError)) throw error;
    throw invalidEventPattern(error.message);
  }
}

function compiledSchedule(text: string): ScheduleExpression {
  const schedule = parseRuleSchedule(text);
  if (!schedule) throw validationException('Parameter ScheduleExpression is not valid.');
  return schedule;
}

/** A rule: which events of a bus, or which instants, go to which targets. */
export class Rule implements Resource {
  readonly arn: string;
  /** By id, in the order in which they were first put. */
  readonly targets = new Map<string, Target>();
  readonly tags = new ResourceTags(TAG_RULES);
  private matching: EventPattern | undefined;
  private scheduled: ScheduleExpression | undefined;
  private current: RuleDefinition;

  /** @throws AwsError when the pattern or the schedule is not valid */
  constructor(
    readonly name: string,
    readonly bus: EventBus,
    definition: RuleDefinition,
  ) {
    this.arn = bus.arnOfRule(name);
    this.current = definition;
    this.define(definition);
  }

  get definition(): RuleDefinition {
    return this.current;
  }

  get schedule(): ScheduleExpression | undefined {
    return this.scheduled;
  }

  /** @throws AwsError when the pattern or the schedule is not valid; the rule stays as it was */
  define(definition: RuleDefinition): void {
    const { eventPattern, scheduleExpression } = definition;
    const matching = eventPattern === undefined ? undefined : compiledPattern(eventPattern);
    const scheduled = scheduleExpression === undefined ? undefined : compiledSchedule(scheduleExpression);
    this.matching = matching;
    this.scheduled = scheduled;
    this.current = definition;
  }

  enable(isEnabled: boolean): void {
    this.current = { ...this.current, isEnabled };
  }

  wants(event: unknown): boolean {
    return this.current.isEnabled && this.matching?.(event) === true;
  }
}
