import { isObject, objectOf } from '../members';
import { commonText } from './death';
import type { LogLine } from './evidence';

/** What a function's log says of an invocation that failed. */
export interface LoggedFailure {
  /** In the log's words, without what stands around it. */
  readonly error: string;
  /** The line itself. */
  readonly line: string;
  readonly atMs: number;
  readonly requestId?: string;
}

/** What is read out of a line. */
type Told = Pick<LoggedFailure, 'error' | 'requestId'>;

/** Failures that are alike. */
export interface FailureKind {
  /** What all of them say. */
  readonly common: string;
  readonly count: number;
  readonly firstAtMs: number;
  /** The last of them. */
  readonly last: LoggedFailure;
}

const UUID = /\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/i;

function errorOf(value: unknown): string | undefined {
  if (!isObject(value)) return undefined;
  const { errorType, errorMessage } = value;
  const parts = [errorType, errorMessage].filter(part => typeof part === 'string' && part !== '');
  return parts.length === 0 ? undefined : parts.join(': ');
}

/** What a line of JSON says: Lambda's own report of a run, or the error a handler threw. */
function ofJson(line: string): Told | undefined {
  const members = objectOf(line);
  if (!members) return undefined;
  const { type, record, requestId, message, level } = members;
  if (type === 'platform.report' && isObject(record)) {
    const { status, requestId: id } = record;
    if (status !== 'timeout') return undefined;
    const { durationMs } = isObject(record['metrics']) ? record['metrics'] : {};
    const seconds = typeof durationMs === 'number' ? (durationMs / 1_000).toFixed(2) : '?';
    return { error: `Task timed out after ${seconds} seconds`, ...(typeof id === 'string' && { requestId: id }) };
  }
  const error = errorOf(message) ?? errorOf(members);
  const isError = level === 'ERROR' || level === 'FATAL';
  if (!isError || error === undefined) return undefined;
  return { error, ...(typeof requestId === 'string' && { requestId }) };
}

/** How runtimes write into a log of text that a handler failed, and what Lambda writes for it; the group is the error. */
const TEXTS: readonly RegExp[] = [
  /(Task timed out after [\d.]+ seconds)/,
  /\bUn(?:caught Exception|handled Promise Rejection)\s*(\{.*)/s,
  /\bInvoke Error\s*(\{.*)/s,
  /^\[ERROR\]\s+(?:[\d:.TZ-]+\s+)?(?:[\da-f-]{36}\s+)?(\S.*)/,
  /(Error: Runtime exited with error: .*)/,
  /(?:^|\s)Error Type: (Runtime\.\w+)/,
];

function ofText(line: string): Told | undefined {
  const found = TEXTS.map(pattern => pattern.exec(line)?.[1]).find(text => text !== undefined);
  if (found === undefined) return undefined;
  const [requestId] = UUID.exec(line) ?? [];
  const error = errorOf(objectOf(found)) ?? found.split('\n')[0] ?? '';
  return { error: error.trim(), ...(requestId !== undefined && { requestId }) };
}

/** What a line tells of a failed invocation; undefined where it tells of none. */
export function failureIn({ atMs, message }: LogLine): LoggedFailure | undefined {
  const found = ofJson(message) ?? ofText(message);
  return found && { ...found, line: message.trim(), atMs };
}

/** A run whose end is told twice, by its code and by Lambda, is one. */
function onceARun(failures: readonly LoggedFailure[]): readonly LoggedFailure[] {
  const told = new Set<string>();
  return failures.filter(({ requestId, error }) => {
    if (requestId === undefined) return true;
    const run = `${requestId} ${commonText(error)}`;
    if (told.has(run)) return false;
    told.add(run);
    return true;
  });
}

/** The failures in a log, by what they have in common, the most frequent first. */
export function failureKinds(lines: readonly LogLine[]): readonly FailureKind[] {
  const kinds = new Map<string, FailureKind>();
  for (const failure of onceARun(lines.flatMap(line => failureIn(line) ?? []))) {
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
