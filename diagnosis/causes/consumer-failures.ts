import { commonText } from './death';
import type { LogLine } from './evidence';
import { type ReportedFailure, reportedIn } from './failure-formats';

/** What a function's log says of an invocation that failed. */
export interface LoggedFailure extends ReportedFailure {
  /** The line itself. */
  readonly line: string;
  readonly atMs: number;
}

/** Failures that are alike. */
export interface FailureKind {
  /** What all of them say. */
  readonly common: string;
  readonly count: number;
  readonly firstAtMs: number;
  /** The last of them. */
  readonly last: LoggedFailure;
}

function failureIn({ atMs, message }: LogLine): LoggedFailure | undefined {
  const reported = reportedIn(message);
  return reported && { ...reported, line: message.trim(), atMs };
}

/** A run whose end is told twice, by its code and by Lambda, is one. */
function onceARun(failures: readonly LoggedFailure[]): readonly LoggedFailure[] {
  const reported = new Set<string>();
  return failures.filter(({ requestId, error }) => {
    if (requestId === undefined) return true;
    const run = `${requestId} ${commonText(error)}`;
    if (reported.has(run)) return false;
    reported.add(run);
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
