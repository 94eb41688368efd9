import {
  Annotations,
  AspectPriority,
  Aspects,
  type Duration,
  Fn,
  Stage,
  Token,
  TokenComparison,
  Tokenization,
} from 'aws-cdk-lib';
import type { IConstruct } from 'constructs';
import { formatProblem, type Problem } from '../../policy/problem';
import { isAcknowledged } from './cdk-features';

/**
 * The prefix of every warning id. `Annotations.of(scope).acknowledgeWarning('dead-letter-office:…')` acknowledges a
 * warning.
 */
const WARNING_NAMESPACE = 'dead-letter-office';

/** Throws one error with all problems and the construct's path, if there are any. */
export function throwProblems(path: string, problems: readonly Problem[]): void {
  if (problems.length === 0) return;
  const count = problems.length === 1 ? '1 problem' : `${problems.length} problems`;
  throw new Error([`${path} has ${count}:`, ...problems.map(problem => `  - ${formatProblem(problem)}`)].join('\n'));
}

/** The path of a construct before it is created. Properties are checked before anything is created. */
export function pathOf(scope: IConstruct, id: string): string {
  return scope.node.path === '' ? id : `${scope.node.path}/${id}`;
}

/**
 * Adds a warning about something that is legal but loses messages or hides a loss. Users can acknowledge it by its id.
 */
export function warn(scope: IConstruct, id: WarningId, message: string): void {
  const warning = `${WARNING_NAMESPACE}:${id}`;
  if (!isAcknowledged(scope, warning)) Annotations.of(scope).addWarningV2(warning, message);
}

/** The inclusive range of a value, in the unit that its name says. */
export interface Range {
  readonly min: number;
  readonly max: number;
  /** @default - the value has no unit */
  readonly unit?: string;
}

function outside(value: number, { min, max }: Range): boolean {
  return !Number.isInteger(value) || value < min || value > max;
}

function rangeRule({ min, max, unit }: Range): string {
  const number = (n: number) => n.toLocaleString('en-US');
  return `must be a whole number from ${number(min)} to ${number(max)}${unit ? ` ${unit}` : ''}`;
}

/** A problem if `value` is out of range; none if it is absent or not known before deployment. */
export function integerProblems(property: string, value: number | undefined, range: Range): Problem[] {
  if (value === undefined || Token.isUnresolved(value)) return [];
  return outside(value, range) ? [{ property, rule: rangeRule(range), value }] : [];
}

/** The seconds of `duration`, fractions included, or undefined where it is absent or not known before deployment. */
export function knownSeconds(duration: Duration | undefined): number | undefined {
  if (duration === undefined || duration.isUnresolved()) return undefined;
  return duration.toMilliseconds() / 1000;
}

/** A problem if `duration` is not a whole number of seconds in range; none if absent or not known before deployment. */
export function secondsProblems(property: string, duration: Duration | undefined, range: Range): Problem[] {
  return integerProblems(property, knownSeconds(duration), { ...range, unit: 'seconds' });
}

/**
 * A problem if `value` is present although it would be ignored or rejected. `reason` says why, for example `if fifo is
 * not true` or `, because a topic has one`.
 */
export function absentProblems(property: string, value: unknown, reason: string): Problem[] {
  const rule = `must be absent${reason.startsWith(',') ? '' : ' '}${reason}`;
  return value === undefined ? [] : [{ property, rule, value }];
}

/** Prefixes the property of each problem with `property` and a dot. */
export function problemsWithin(property: string, problems: readonly Problem[]): Problem[] {
  return problems.map(problem => ({ ...problem, property: `${property}.${problem.property}` }));
}

/** A problem if two values are known and differ. */
export function mismatchProblems(property: string, rule: string, wanted: string, got: string): Problem[] {
  const differs = Token.compareStrings(wanted, got) === TokenComparison.DIFFERENT;
  return differs ? [{ property, rule: `${rule} ${wanted}`, value: got }] : [];
}

/**
 * The id of every warning, without the prefix `dead-letter-office:`. Users acknowledge warnings by id, so a released id
 * must stay. docs/warnings.md and the docstring of the construct that raises it describe each.
 */
export const WARNING_IDS = [
  'age-alarm-never-fires',
  'alarm-action-of-another-account',
  'alarm-tells-nobody',
  'alarm-topic-closed',
  'alarm-topic-fifo',
  'breaker-alarm-full',
  'confirmation-needed',
  'cross-region-unsupported',
  'dashboard-shows-nothing',
  'dead-letter-queue-of-another-type',
  'dead-letters-expire-early',
  'dead-letters-kept-too-short',
  'dead-letters-unencrypted',
  'dead-letters-unwatched',
  'delivery-policy-overridden',
  'delivery-policy-without-effect',
  'duration-not-known',
  'endpoint-unreachable',
  'expires-before-last-receive',
  'feeder-unknown',
  'fifo-subscriptions-quota',
  'filter-policies-quota',
  'filters-delete-messages',
  'function-keeps-nothing',
  'function-policy-not-writable',
  'key-of-another-account',
  'key-policy-not-writable',
  'logging-unused',
  'logging-without-role',
  'losses-counted-elsewhere',
  'no-dead-letter-queue',
  'ops-topic-unheard',
  'phone-number-without-country-code',
  'policy-nearly-too-large',
  'private-ranges-without-vpc',
  'queue-keeps-nothing',
  'queue-policy-not-writable',
  'redrive-after-expiry',
  'redrive-bars-itself',
  'redrive-by-hand-alone',
  'redrive-judged-too-soon',
  'redrive-reorders',
  'redrive-shut-without-data',
  'redrive-source-unknown',
  'relay-without-tls',
  'sms-without-dead-letter-queue',
  'stack-nearly-full',
  'too-few-receives',
  'topic-of-another-account',
  'visibility-too-short',
] as const;

/** The id by which a warning is acknowledged. */
export type WarningId = (typeof WARNING_IDS)[number];

/** Something that is legal but may lose messages or hide a loss. */
export interface Warning {
  readonly id: WarningId;
  readonly message: string;
}

/** Calls `look` at synthesis, when constructs that were created after `construct` are known too. */
export function atSynthesis(construct: IConstruct, look: () => void): void {
  const visit = (node: IConstruct) => {
    if (node === construct) look();
  };
  Aspects.of(construct).add({ visit }, { priority: AspectPriority.READONLY });
}

/** The last construct that aspects of `scope` visit. They do not enter another stage. */
function lastVisited(scope: IConstruct): IConstruct {
  const last = scope.node.children.filter(it => !Stage.isStage(it)).at(-1);
  return last ? lastVisited(last) : scope;
}

/**
 * Calls `look` at the end of synthesis, when other aspects, such as tags, have changed all constructs. Whatever resolves
 * the properties of other constructs has to wait that long, because CDK keeps the first value of most lazy ones.
 */
export function atEndOfSynthesis(stage: IConstruct, look: () => void): void {
  let last: IConstruct | undefined;
  const visit = (node: IConstruct) => {
    last ??= lastVisited(stage);
    if (node === last) look();
  };
  Aspects.of(stage).add({ visit }, { priority: AspectPriority.READONLY });
}

/**
 * The milliseconds of a duration, as a number. CloudFormation cannot multiply, so a token of whole seconds becomes
 * milliseconds by appending three zeros.
 */
export function milliseconds(duration: Duration): number {
  if (!duration.isUnresolved() || duration.unitLabel() === 'millis') return duration.toMilliseconds();
  return Token.asNumber(Fn.join('', [Tokenization.stringifyNumber(duration.toSeconds()), '000']));
}
