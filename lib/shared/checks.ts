import {
  Annotations,
  AspectPriority,
  Aspects,
  type Duration,
  Fn,
  Token,
  TokenComparison,
  Tokenization,
} from 'aws-cdk-lib';
import type { IConstruct } from 'constructs';
import { formatProblem, type Problem } from '../../policy/problem';

/** Where a warning's id begins; `Annotations.of(scope).acknowledgeWarning('dead-letter-office:…')` silences one. */
const WARNING_NAMESPACE = 'dead-letter-office';

/** Throws one error that carries every problem and the construct's path. Nothing happens when there are none. */
export function throwProblems(path: string, problems: readonly Problem[]): void {
  if (problems.length === 0) return;
  const count = problems.length === 1 ? '1 problem' : `${problems.length} problems`;
  throw new Error([`${path} has ${count}:`, ...problems.map(problem => `  - ${formatProblem(problem)}`)].join('\n'));
}

/** The path of a construct that is about to be created: problems are found before anything is. */
export function pathOf(scope: IConstruct, id: string): string {
  return scope.node.path === '' ? id : `${scope.node.path}/${id}`;
}

/** Warns of what is legal but loses messages. The id can be acknowledged, with `Annotations.acknowledgeWarning`. */
export function warn(scope: IConstruct, id: WarningId, message: string): void {
  Annotations.of(scope).addWarningV2(`${WARNING_NAMESPACE}:${id}`, message);
}

/** The inclusive range a value must lie in, in the unit its name says. */
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
 * A problem if `value` is there, which would be ignored or rejected; `reason` says beside what, or why, as in `where fifo
 * is not true` and `, for a topic has one`.
 */
export function absentProblems(property: string, value: unknown, reason: string): Problem[] {
  const rule = `must be absent${reason.startsWith(',') ? '' : ' '}${reason}`;
  return value === undefined ? [] : [{ property, rule, value }];
}

/** Problems of what `property` names, each with the name before its own. */
export function problemsWithin(property: string, problems: readonly Problem[]): Problem[] {
  return problems.map(problem => ({ ...problem, property: `${property}.${problem.property}` }));
}

/** A problem if two places that must share a value do not; none where it is not known of both. */
export function mismatchProblems(property: string, rule: string, wanted: string, got: string): Problem[] {
  const differs = Token.compareStrings(wanted, got) === TokenComparison.DIFFERENT;
  return differs ? [{ property, rule: `${rule} ${wanted}`, value: got }] : [];
}

/**
 * The id of every warning, without `dead-letter-office:` before it. Users acknowledge warnings by their ids: one that has
 * been released stays. Each is told of in a docstring of what raises it, and in docs/warnings.md.
 */
export const WARNING_IDS = [
  'age-alarm-never-fires',
  'alarm-action-of-another-account',
  'alarm-tells-nobody',
  'alarm-topic-closed',
  'alarm-topic-fifo',
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
  'no-billing-endpoint',
  'no-dead-letter-queue',
  'ops-topic-unheard',
  'phone-number-without-country-code',
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
  'too-few-receives',
  'topic-of-another-account',
  'visibility-too-short',
] as const;

/** What a warning is acknowledged by. */
export type WarningId = (typeof WARNING_IDS)[number];

/** What is legal, and may lose messages or tell nobody. */
export interface Warning {
  readonly id: WarningId;
  readonly message: string;
}

/** Looks at an app once it is whole: what is made later than `construct` counts too. */
export function atSynthesis(construct: IConstruct, look: () => void): void {
  const visit = (node: IConstruct) => {
    if (node === construct) look();
  };
  Aspects.of(construct).add({ visit }, { priority: AspectPriority.READONLY });
}

/**
 * The milliseconds of a duration, as a number. CloudFormation cannot multiply: of whole seconds it knows only when it
 * deploys, it makes milliseconds by writing three zeros behind them.
 */
export function milliseconds(duration: Duration): number {
  if (!duration.isUnresolved() || duration.unitLabel() === 'millis') return duration.toMilliseconds();
  return Token.asNumber(Fn.join('', [Tokenization.stringifyNumber(duration.toSeconds()), '000']));
}
