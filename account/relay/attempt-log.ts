import { CloudWatchLogsClient } from '@aws-sdk/client-cloudwatch-logs';
import type { LogLine } from '../../diagnosis/causes/evidence';
import { parseObject } from '../../policy/json-members';
import type { RelayAttemptRecord } from '../../policy/messages/delivery-status';
import { type MaybeKnown, mapKnown } from '../../template/maybe-known';
import type { Connection } from '../connection/connection';
import { LOG, logLines, type Window } from '../evidence/logs';
import type { Relay } from './find-relays';

export interface LoggedAttempt {
  readonly atMs: number;
  readonly record: RelayAttemptRecord;
}

/** The attempts of a relay, the newest first. */
export interface AttemptLog {
  readonly attempts: readonly LoggedAttempt[];
  readonly sinceMs: number;
}

/** How many attempts are read. A page of CloudWatch Logs has 10,000. */
const MOST_ATTEMPTS = 5_000;

function attemptsIn(lines: readonly LogLine[]): LoggedAttempt[] {
  return lines.flatMap(({ atMs, message }) => {
    const record = parseObject(message);
    if (!record || !('delivery' in record) || !('relay' in record)) return [];
    return [{ atMs, record: record as unknown as RelayAttemptRecord }];
  });
}

/** Reads the newest attempts of a relay. It needs the permission `logs:FilterLogEvents`. */
export async function attemptLog(
  aws: Connection,
  { logGroupName: group }: Relay,
  window: Window,
): Promise<MaybeKnown<AttemptLog>> {
  let isCut = false;
  const query = { group, pattern: '{ $.relay.verdict = * }', window, max: MOST_ATTEMPTS };
  const gaps = {
    note: () => {
      isCut = true;
    },
  };
  const lines = await aws.unread.read(LOG, group, () => logLines(aws.client(CloudWatchLogsClient), query, gaps));
  return mapKnown(lines, read => {
    const attempts = attemptsIn(read).sort((one, other) => other.atMs - one.atMs);
    return { attempts, sinceMs: isCut ? (attempts.at(-1)?.atMs ?? window.fromMs) : window.fromMs };
  });
}

export interface WaitingMessages {
  readonly messages: number;
  readonly firstDueMs: number;
}

/**
 * Which attempt the messages of a relay wait for, as its log shows: the last attempt of each says when the next is due.
 *
 * @param attempts the newest first
 * @returns by the number of the attempt they wait for. 1 is the initial attempt.
 */
export function waitingByAttempt(attempts: readonly LoggedAttempt[]): ReadonlyMap<number, WaitingMessages> {
  const seen = new Set<string>();
  const waiting = new Map<number, WaitingMessages>();
  for (const { atMs, record } of attempts) {
    const { deliveryId, attempts: number = 1 } = record.delivery;
    if (seen.has(deliveryId)) continue;
    seen.add(deliveryId);
    const { verdict, nextRetryInSeconds } = record.relay;
    if (verdict !== 'retry' || nextRetryInSeconds === undefined) continue;
    const next = number + 1;
    const dueMs = atMs + nextRetryInSeconds * 1_000;
    const { messages, firstDueMs } = waiting.get(next) ?? { messages: 0, firstDueMs: dueMs };
    waiting.set(next, { messages: messages + 1, firstDueMs: Math.min(firstDueMs, dueMs) });
  }
  return waiting;
}

export interface AttemptLatency {
  readonly medianMs: number;
  readonly p95Ms: number;
  readonly attempts: number;
}

/** Of the attempts that the endpoint answered. Undefined if it answered none. */
export function latencyOf(attempts: readonly LoggedAttempt[]): AttemptLatency | undefined {
  const answered = attempts.filter(({ record }) => record.delivery.statusCode !== undefined);
  const sorted = answered.map(({ record }) => record.relay.latencyMs).sort((one, other) => one - other);
  const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))];
  const medianMs = at(0.5);
  const p95Ms = at(0.95);
  if (medianMs === undefined || p95Ms === undefined) return undefined;
  return { medianMs, p95Ms, attempts: sorted.length };
}
