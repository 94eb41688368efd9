import type { DeadLetterConfig } from '@aws-sdk/client-eventbridge';
import { parseArn } from '../../policy/arn';
import { compileEventPattern, type EventPattern } from '../../policy/event-pattern/event-pattern';
import { EventPatternError } from '../../policy/event-pattern/located-json';
import type { PolicyDocument } from '../kernel/access';
import { validationException } from '../kernel/constraints';
import { arnIn, type Place } from '../kernel/place';
import type { Resource } from '../kernel/service-api';
import { ResourceTags, refuseByModel, type TagRules } from '../kernel/tags';
import { parseRuleSchedule, type ScheduleExpression } from '../schedule-expression/schedule-expression';
import { busDoesNotExist, invalidEventPattern, resourceAlreadyExists, ruleDoesNotExist } from './constraints';
import type { Target } from './target';

export const DEFAULT_BUS = 'default';

/** The properties of a bus that `CreateEventBus` sets and `UpdateEventBus` may change. */
export interface BusDefinition {
  readonly description?: string | undefined;
  readonly deadLetterConfig?: DeadLetterConfig | undefined;
}

/** A statement of a bus's policy. Each has an id. */
export type BusStatement = Readonly<Record<string, unknown>> & { readonly Sid: string };

export class EventBus implements Resource {
  readonly arn: string;
  readonly rules = new Map<string, Rule>();
  readonly tags = new ResourceTags(TAG_RULES);
  readonly statements = new Map<string, BusStatement>();
  modifiedAtMs: number;

  constructor(
    readonly name: string,
    private readonly place: Place,
    readonly createdAtMs: number,
    public definition: BusDefinition = {},
  ) {
    this.arn = arnIn(place, 'events', `event-bus/${name}`);
    this.modifiedAtMs = createdAtMs;
  }

  get isDefault(): boolean {
    return this.name === DEFAULT_BUS;
  }

  get policy(): PolicyDocument | undefined {
    return this.statements.size === 0 ? undefined : { Version: '2012-10-17', Statement: [...this.statements.values()] };
  }

  arnOfRule(name: string): string {
    return arnIn(this.place, 'events', `rule/${this.isDefault ? '' : `${this.name}/`}${name}`);
  }

  /** Sorted by name, as EventBridge lists them. */
  get rulesInOrder(): readonly Rule[] {
    return [...this.rules.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
  }
}

/** The properties of a rule that `PutRule` sets. */
export interface RuleDefinition {
  readonly eventPattern: string | undefined;
  readonly scheduleExpression: string | undefined;
  readonly isEnabled: boolean;
  readonly description: string | undefined;
  readonly roleArn: string | undefined;
}

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

/** A rule: sends matching events of a bus to its targets, or runs them by schedule. */
export class Rule implements Resource {
  readonly arn: string;
  /** By id, in the order in which they were first put. */
  readonly targets = new Map<string, Target>();
  readonly tags = new ResourceTags(TAG_RULES);
  private matching: EventPattern | undefined;
  private scheduled: ScheduleExpression | undefined;
  private current: RuleDefinition;

  /** @throws AwsError when the pattern or the schedule is invalid */
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

  /** @throws AwsError when the pattern or the schedule is invalid; then the rule does not change */
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

/** Returns the name of a bus from its name or ARN. @default 'default' */
export function busName(nameOrArn: string = DEFAULT_BUS): string {
  return parseArn(nameOrArn)?.resource.replace(/^event-bus\//, '') ?? nameOrArn;
}

/** All event buses of the account in the Region. The default bus always exists. */
export class EventBuses {
  private readonly byName = new Map<string, EventBus>();

  constructor(
    private readonly place: Place,
    nowMs: number,
  ) {
    this.create(DEFAULT_BUS, nowMs);
  }

  /** Sorted by name. */
  get all(): readonly EventBus[] {
    return [...this.byName.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
  }

  get rules(): readonly Rule[] {
    return this.all.flatMap(({ rulesInOrder }) => rulesInOrder);
  }

  find(nameOrArn?: string): EventBus | undefined {
    const bus = this.byName.get(busName(nameOrArn));
    return nameOrArn?.startsWith('arn:') && bus?.arn !== nameOrArn ? undefined : bus;
  }

  get(nameOrArn?: string): EventBus {
    const bus = this.find(nameOrArn);
    if (!bus) throw busDoesNotExist(busName(nameOrArn));
    return bus;
  }

  rule(name: string, nameOrArn?: string): Rule {
    const bus = this.get(nameOrArn);
    const rule = bus.rules.get(name);
    if (!rule) throw ruleDoesNotExist(name, bus.name);
    return rule;
  }

  create(name: string, nowMs: number, definition?: BusDefinition): EventBus {
    if (this.byName.has(name)) throw resourceAlreadyExists(`Event bus ${name} already exists.`);
    const bus = new EventBus(name, this.place, nowMs, definition);
    this.byName.set(name, bus);
    return bus;
  }

  delete(bus: EventBus): void {
    this.byName.delete(bus.name);
  }
}

/** The tags of buses and rules. @see https://docs.aws.amazon.com/eventbridge/latest/APIReference/API_Tag.html */
export const TAG_RULES: TagRules = { needsValues: true, refuse: refuseByModel(validationException) };
