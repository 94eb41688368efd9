import { displayNameOf } from '../../policy/arn';
import { isObject, parseObject } from '../../policy/json-members';
import { knownValue } from '../../template/maybe-known';
import {
  type FunctionFacts,
  type Inventory,
  type InventoryPart,
  type MappingFacts,
  mayLack,
  type QueueFacts,
} from '../inventory/inventory';
import { functionOf, queueOf, unqualified } from '../inventory/look-ups';
import { commonText } from './cause';
import type { Evidence, FunctionEvidence, LogLine, MappingEvidence } from './evidence';

export interface Consumer {
  readonly inventory: Inventory;
  readonly sourceName: string;
  /** @default - the queue no longer exists */
  readonly queue?: QueueFacts;
  /** Whether what is not in the inventory does not exist. */
  readonly isAccountKnown: Readonly<Record<'queues' | 'mappings' | 'functions', boolean>>;
  readonly mapping?: MappingFacts;
  readonly state?: MappingEvidence;
  /** @default - the function no longer exists, or no mapping names one */
  readonly facts?: FunctionFacts;
  /** @default - unknown, or no mapping names one */
  readonly functionName?: string;
  readonly evidence?: FunctionEvidence;
  readonly kinds: readonly FailureKind[];
  /** Whether other sources invoke the function as well. `maybe` if that could not be read. */
  readonly isShared: boolean | 'maybe';
}

/** Whether a resource that is not in this list does not exist. */
function isListed(inventory: Inventory, part: InventoryPart): boolean {
  return inventory.isComplete && !mayLack(inventory, part);
}

/** Whether a function also gets events from other sources than a queue. */
function isInvokedBeside(functionArn: string, sourceArn: string, inventory: Inventory): boolean | 'maybe' {
  const { mappings, subscriptions, targets } = inventory;
  const others = [
    ...mappings.filter(it => knownValue(it.sourceArn) !== sourceArn).map(it => it.functionArn),
    ...subscriptions.map(it => it.endpoint),
    ...targets.map(it => it.targetArn),
  ];
  if (others.some(it => unqualified(knownValue(it) ?? '') === functionArn)) return true;
  return mayLack(inventory, 'mappings', 'subscriptions', 'targets') ? 'maybe' : false;
}

/**
 * Finds the consumer of a queue.
 * @param isCovered whether the logs that were read cover the time of the dead letters
 */
export function consumerOf(sourceArn: string, evidence: Evidence, isCovered: boolean): Consumer {
  const { inventory, mappings, functions } = evidence;
  const queue = queueOf(sourceArn, inventory);
  const mapping = inventory.mappings.find(it => knownValue(it.sourceArn) === sourceArn);
  const state = mappings.find(it => it.sourceArn === sourceArn);
  const named = (mapping && knownValue(mapping.functionArn)) ?? state?.functionArn;
  const functionArn = named === undefined ? undefined : unqualified(named);
  const facts = functionOf(functionArn, inventory);
  const own = isCovered ? functions.find(it => it.functionArn === functionArn) : undefined;
  return {
    inventory,
    sourceName: displayNameOf(sourceArn),
    isAccountKnown: {
      queues: isListed(inventory, 'queues'),
      mappings: isListed(inventory, 'mappings'),
      functions: isListed(inventory, 'functions'),
    },
    kinds: failureKinds(own?.lines ?? []),
    isShared: functionArn !== undefined && isInvokedBeside(functionArn, sourceArn, inventory),
    ...(functionArn !== undefined && { functionName: displayNameOf(functionArn) }),
    ...(queue && { queue }),
    ...(mapping && { mapping }),
    ...(state && { state }),
    ...(facts && { facts }),
    ...(own && { evidence: own }),
  };
}

/** A failed invocation in a function's log. */
interface LoggedFailure extends ReportedFailure {
  readonly line: string;
  readonly atMs: number;
}

interface FailureKind {
  readonly common: string;
  readonly count: number;
  readonly firstAtMs: number;
  /** The latest of them. */
  readonly last: LoggedFailure;
}

function failureIn({ atMs, message }: LogLine): LoggedFailure | undefined {
  const reported = readFailure(message);
  return reported && { ...reported, line: message.trim(), atMs };
}

/** Counts an invocation once if its code and Lambda both logged its end. */
function oncePerInvocation(failures: readonly LoggedFailure[]): readonly LoggedFailure[] {
  const reported = new Set<string>();
  return failures.filter(({ requestId, error }) => {
    if (requestId === undefined) return true;
    const run = `${requestId} ${commonText(error)}`;
    if (reported.has(run)) return false;
    reported.add(run);
    return true;
  });
}

/** The failures in a log, grouped by their common text, the most frequent first. */
export function failureKinds(lines: readonly LogLine[]): readonly FailureKind[] {
  const kinds = new Map<string, FailureKind>();
  for (const failure of oncePerInvocation(lines.flatMap(line => failureIn(line) ?? []))) {
    const common = failure.error.startsWith('Task timed out') ? failure.error : commonText(failure.error);
    const { count = 0, firstAtMs = failure.atMs, last = failure } = kinds.get(common) ?? {};
    kinds.set(common, {
      common,
      count: count + 1,
      firstAtMs: Math.min(firstAtMs, failure.atMs),
      last: failure.atMs >= last.atMs ? failure : last,
    });
  }
  return [...kinds.values()].sort((one, other) => other.count - one.count);
}

/** A failed invocation in a log line. */
interface ReportedFailure {
  /** The error, without the rest of the line. */
  readonly error: string;
  readonly requestId?: string;
}

/** A format in which a runtime or Lambda logs a failed invocation. */
interface FailureFormat {
  /** A text that every line of this format contains, to search the log for. */
  readonly phrase: string;
  /** Returns undefined if the line shows no failure. */
  readonly read: (line: string) => ReportedFailure | undefined;
}

const UUID = /\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/i;

function errorOf(value: unknown): string | undefined {
  if (!isObject(value)) return undefined;
  const { errorType, errorMessage } = value;
  const parts = [errorType, errorMessage].filter(part => typeof part === 'string' && part !== '');
  return parts.length === 0 ? undefined : parts.join(': ');
}

/** Lambda's report of an invocation, in JSON. */
function ofReport(line: string): ReportedFailure | undefined {
  const { type, record } = parseObject(line) ?? {};
  if (type !== 'platform.report' || !isObject(record) || record['status'] !== 'timeout') return undefined;
  const { requestId, metrics } = record;
  const { durationMs } = isObject(metrics) ? metrics : {};
  const seconds = typeof durationMs === 'number' ? (durationMs / 1_000).toFixed(2) : '?';
  return { error: `Task timed out after ${seconds} seconds`, ...(typeof requestId === 'string' && { requestId }) };
}

/** The error that a handler threw, in JSON. */
function ofThrown(line: string): ReportedFailure | undefined {
  const members = parseObject(line);
  if (!members) return undefined;
  const { requestId, message, level } = members;
  const error = errorOf(message) ?? errorOf(members);
  const isError = level === 'ERROR' || level === 'FATAL';
  if (!isError || error === undefined) return undefined;
  return { error, ...(typeof requestId === 'string' && { requestId }) };
}

/** @param pattern its group is the error */
function ofText(pattern: RegExp): FailureFormat['read'] {
  return line => {
    const found = pattern.exec(line)?.[1];
    if (found === undefined) return undefined;
    const [requestId] = UUID.exec(line) ?? [];
    const error = errorOf(parseObject(found)) ?? found.split('\n')[0] ?? '';
    return { error: error.trim(), ...(requestId !== undefined && { requestId }) };
  };
}

/** JSON formats come first: a JSON line may quote a line of text. */
const FORMATS: readonly FailureFormat[] = [
  { phrase: '"status":"timeout"', read: ofReport },
  { phrase: 'errorMessage', read: ofThrown },
  { phrase: 'Task timed out', read: ofText(/(Task timed out after [\d.]+ seconds)/) },
  { phrase: 'Uncaught Exception', read: ofText(/\bUncaught Exception\s*(\{.*)/s) },
  { phrase: 'Unhandled Promise Rejection', read: ofText(/\bUnhandled Promise Rejection\s*(\{.*)/s) },
  { phrase: 'Invoke Error', read: ofText(/\bInvoke Error\s*(\{.*)/s) },
  { phrase: '[ERROR]', read: ofText(/^\[ERROR\]\s+(?:[\d:.TZ-]+\s+)?(?:[\da-f-]{36}\s+)?(\S.*)/) },
  { phrase: 'Runtime exited with error', read: ofText(/(Error: Runtime exited with error: .*)/) },
  { phrase: 'Error Type:', read: ofText(/(?:^|\s)Error Type: (Runtime\.\w+)/) },
];

/** The texts to search a log for: a line with one of them shows a failure. */
export const FAILURE_PHRASES: readonly string[] = FORMATS.map(({ phrase }) => phrase);

/** Reads the failed invocation from a log line; undefined if it shows none. Only lines found by the search are read. */
function readFailure(line: string): ReportedFailure | undefined {
  for (const { phrase, read } of FORMATS) {
    const reported = line.includes(phrase) ? read(line) : undefined;
    if (reported) return reported;
  }
  return undefined;
}
