import { isObject, parseObject } from '../../policy/members';

/** What a line of a log tells of a failed invocation. */
export interface ReportedFailure {
  /** In the log's words, without what stands around it. */
  readonly error: string;
  readonly requestId?: string;
}

/** A way in which runtimes, and Lambda itself, write that an invocation failed. */
interface FailureFormat {
  /** What stands in each line of it, as a log is searched for it. */
  readonly phrase: string;
  /** Undefined where the line tells of no failure. */
  readonly read: (line: string) => ReportedFailure | undefined;
}

const UUID = /\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/i;

function errorOf(value: unknown): string | undefined {
  if (!isObject(value)) return undefined;
  const { errorType, errorMessage } = value;
  const parts = [errorType, errorMessage].filter(part => typeof part === 'string' && part !== '');
  return parts.length === 0 ? undefined : parts.join(': ');
}

/** Lambda's own report of a run, in JSON. */
function ofReport(line: string): ReportedFailure | undefined {
  const { type, record } = parseObject(line) ?? {};
  if (type !== 'platform.report' || !isObject(record) || record['status'] !== 'timeout') return undefined;
  const { requestId, metrics } = record;
  const { durationMs } = isObject(metrics) ? metrics : {};
  const seconds = typeof durationMs === 'number' ? (durationMs / 1_000).toFixed(2) : '?';
  return { error: `Task timed out after ${seconds} seconds`, ...(typeof requestId === 'string' && { requestId }) };
}

/** The error a handler threw, in JSON. */
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

/** Logs of JSON come first: what they quote may look like a line of text. */
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

/** What a log is searched for: lines that hold any of these tell of failures. */
export const FAILURE_PHRASES: readonly string[] = FORMATS.map(({ phrase }) => phrase);

/** What a line tells of a failed invocation; undefined where it tells of none. Only lines a search finds are read. */
export function reportedIn(line: string): ReportedFailure | undefined {
  for (const { phrase, read } of FORMATS) {
    const reported = line.includes(phrase) ? read(line) : undefined;
    if (reported) return reported;
  }
  return undefined;
}
