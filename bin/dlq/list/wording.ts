import { queueNameOf } from '../../../account/connection/queue-name';
import type { QueueFeeder } from '../../../diagnosis/inventory/feeders';
import type { MoveFacts } from '../../../policy/redrive/redrive-facts';
import { andMore, formatNumber, roughDuration } from '../../../policy/wording';
import { foreignText, formatInstant } from '../../wording';
import { type ListedQueue, messagesOf } from './listed-queue';

const KINDS: Readonly<Record<QueueFeeder['kind'], string>> = {
  subscription: 'subscription',
  queue: 'queue',
  function: 'function',
  destination: 'failures of',
  mapping: 'mapping',
  rule: 'rule',
  schedule: 'schedule',
};

/** As much as is told of one in a line. */
const MOST_FEEDER_CHARACTERS = 60;

/** `subscription orders to work`. */
export function feederText({ kind, resource, qualifier }: QueueFeeder): string {
  const of = qualifier === undefined || qualifier === '$LATEST' ? '' : `:${qualifier}`;
  return `${KINDS[kind]} ${foreignText(`${resource.name}${of}`, MOST_FEEDER_CHARACTERS)}`;
}

/** The first, and how many more there are. */
export function feedersText({ feeders }: ListedQueue): string {
  return andMore(feeders.map(feederText), 1);
}

/** What stands for what nobody knows. */
export const UNKNOWN = '?';

/** Of a time nobody knows, or one that is none. */
function noTime(queue: ListedQueue): string {
  return messagesOf(queue) > 0 ? UNKNOWN : '-';
}

export function oldestText(queue: ListedQueue, nowMs: number): string {
  const { heldSinceMs } = queue;
  return heldSinceMs === undefined ? noTime(queue) : roughDuration(nowMs - heldSinceMs);
}

/** When the first letter expires: `in 4 d`, `in 10 d to 14 d`, `now to in 3 h`. */
export function expiryText(queue: ListedQueue, nowMs: number): string {
  const { expiry } = queue;
  if (!expiry) return noTime(queue);
  const [earliest, latest] = [expiry.earliestMs, expiry.latestMs].map(atMs => roughDuration(atMs - nowMs));
  if (expiry.latestMs <= nowMs) return 'at any moment';
  if (expiry.earliestMs <= nowMs) return `at any moment, in ${latest} at latest`;
  return earliest === latest ? `in ${latest}` : `in ${earliest} to ${latest}`;
}

/** `worked-dlq: 120 of about 1,000 moved to work since 2026-01-05 02:00 UTC, at 10 a second`. */
export function moveText({ name }: ListedQueue, move: MoveFacts): string {
  const { status, moved, toMove, destinationArn, messagesPerSecond, startedAtMs } = move;
  const of = toMove === undefined ? '' : ` of about ${formatNumber(toMove)}`;
  const to = destinationArn === undefined ? 'back to their queues' : `to ${queueNameOf(destinationArn)}`;
  const rate = messagesPerSecond === undefined ? '' : `, at ${formatNumber(messagesPerSecond)} a second`;
  const cancelling = status === 'CANCELLING' ? '; it is being cancelled' : '';
  return `${name}: ${formatNumber(moved)}${of} moved ${to} since ${formatInstant(startedAtMs)}${rate}${cancelling}`;
}
