import {
  judge,
  type Outcome,
  type ProtocolRules,
  type Ruling,
  retry,
  type StatusRule,
  UNANSWERED,
} from '../outcome/outcome';
import type { RelaySettings } from './relay-settings';

/** Why the relay gives up a message. */
export const DEAD_LETTER_CAUSES = [
  /** The endpoint answered 410: it is gone for good. */
  'gone',
  /**
   * The endpoint refused the message: with another status of `deadStatuses`, or, in a FIFO relay, for as long as a message
   * may block its group.
   */
  'refused',
  /** The endpoint's URL has an address to which no relay may send. */
  'forbidden-address',
  /** The last attempt of the policy failed. */
  'retries-spent',
  /** The queue would delete the message before its next retry, or before its relay runs again. */
  'retention-spent',
  /** The message in the queue is not an SNS notification. */
  'not-an-envelope',
] as const;

export type DeadLetterCause = (typeof DEAD_LETTER_CAUSES)[number];

/** The verdict on an attempt that did not deliver. */
export type FailedAttempt =
  /** Another attempt may succeed. */
  | {
      readonly kind: 'retry';
      readonly reason: string;
      /**
       * Whether the endpoint answered, but neither took the message nor failed: a partner's bad deployment, an expired
       * token or a firewall rule refuses every message for a while.
       * @default false
       */
      readonly isClientError?: boolean;
    }
  /** No other attempt can succeed. */
  | { readonly kind: 'dead'; readonly cause: DeadLetterCause; readonly reason: string };

export type RelayVerdict = { readonly kind: 'delivered'; readonly reason: string } | FailedAttempt;

/** Retries the message: in the same invocation if `delaySeconds` is 0, else after that visibility timeout. */
export interface RetryStep {
  readonly kind: 'retry';
  /** The number of the next retry, counted from 1 over the whole policy; 0 if the initial attempt has not been made. */
  readonly retry: number;
  /** A whole number. */
  readonly delaySeconds: number;
  readonly reason: string;
}

/** Gives up the message. */
export interface DeadStep {
  readonly kind: 'dead';
  readonly cause: DeadLetterCause;
  readonly reason: string;
}

/** What to do with a message whose attempt failed. */
export type RelayStep = RetryStep | DeadStep;

/** The decision of a relay's rule. For a dead letter it includes the cause. */
type RelayRuling = RelayVerdict & Ruling;

/** What the verdict depends on, in addition to the outcome. */
export type VerdictContext = Pick<RelaySettings, 'deadStatuses'>;

function dead(cause: DeadLetterCause, reason: string): RelayRuling {
  return { kind: 'dead', cause, reason };
}

function at(statusCode: number, ruling: RelayRuling): StatusRule<RelayRuling> {
  return { from: statusCode, to: statusCode, ruling };
}

function clientError(reason: string): RelayRuling {
  return { kind: 'retry', reason, isClientError: true };
}

/**
 * The statuses that are the message's own fault: malformed, gone for good, too large, of a wrong type, or without
 * meaning for the endpoint. They are the default of `deadStatuses`.
 * @see https://www.rfc-editor.org/rfc/rfc9110#section-15.5
 */
export const DEFAULT_DEAD_STATUSES: readonly number[] = [400, 410, 413, 415, 422];

/** The status with which an endpoint says that it is gone for good. */
const GONE = 410;

/**
 * The verdict by HTTP status; the first match counts. SNS retries only 429 and 5xx. The relay retries every status that is
 * not the message's own fault, because an endpoint may refuse every message for a while.
 * @see https://www.rfc-editor.org/rfc/rfc9110#section-15
 * @see https://www.rfc-editor.org/rfc/rfc8470#section-5.2
 */
const STATUSES: readonly StatusRule<RelayRuling>[] = [
  { from: 200, to: 299, ruling: { kind: 'delivered', reason: 'the endpoint took it' } },
  at(408, retry('the endpoint waited too long for the request')),
  at(425, retry('the endpoint will not risk a request that comes too early')),
  at(429, retry('the endpoint asks for fewer requests')),
  { from: 500, to: 599, ruling: retry('the endpoint failed') },
  { from: 300, to: 399, ruling: clientError('the endpoint redirects, and redirects are not followed') },
  { from: 400, to: 499, ruling: clientError('the endpoint refuses it') },
];

function deadRuling(status: number): RelayRuling {
  if (status === GONE) return dead('gone', 'the endpoint is gone for good');
  return dead('refused', 'the endpoint refuses it');
}

/** The rules of one relay: its `deadStatuses` first, then those that all relays share. */
function relayRules({ deadStatuses }: VerdictContext): ProtocolRules<RelayRuling> {
  return {
    errors: [],
    statuses: [...deadStatuses.map(status => at(status, deadRuling(status))), ...STATUSES],
    otherwise: clientError('the answer is not a final answer to a request'),
    unanswered: {
      ...UNANSWERED,
      // Only names are resolved here. A name may resolve to another address later, so a retry can succeed.
      'forbidden-address': retry('the endpoint is at an address that is not public'),
    },
  };
}

export function relayVerdict(outcome: Outcome, context: VerdictContext): RelayVerdict {
  return judge(relayRules(context), outcome);
}

const DELAY_SECONDS = /^\d+$/;

/** The three date formats every recipient must accept. @see https://www.rfc-editor.org/rfc/rfc9110#section-5.6.7 */
const HTTP_DATES: readonly RegExp[] = [
  /^[A-Z][a-z]{2}, (?<day>\d{2}) (?<month>[A-Z][a-z]{2}) (?<year>\d{4}) (?<time>\d{2}:\d{2}:\d{2}) GMT$/,
  /^[A-Z][a-z]{5,8}, (?<day>\d{2})-(?<month>[A-Z][a-z]{2})-(?<year>\d{2}) (?<time>\d{2}:\d{2}:\d{2}) GMT$/,
  /^[A-Z][a-z]{2} (?<month>[A-Z][a-z]{2}) (?<day>[ \d]\d) (?<time>\d{2}:\d{2}:\d{2}) (?<year>\d{4})$/,
];

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

/** Expands a two-digit year: it is in this century unless that would be more than fifty years ahead. */
function wholeYear(year: string, nowMs: number): number {
  if (year.length === 4) return Number(year);
  const now = new Date(nowMs).getUTCFullYear();
  const inThisCentury = now - (now % 100) + Number(year);
  return inThisCentury > now + 50 ? inThisCentury - 100 : inThisCentury;
}

/** Parses an HTTP date. Returns undefined for any other text, and for a day or time that does not exist. */
function httpDateMs(text: string, nowMs: number): number | undefined {
  const parts = HTTP_DATES.map(form => form.exec(text)?.groups).find(groups => groups !== undefined);
  if (!parts) return undefined;
  const { day = '', month = '', year = '', time = '' } = parts;
  const [hours = 0, minutes = 0, seconds = 0] = time.split(':').map(Number);
  const ms = Date.UTC(wholeYear(year, nowMs), MONTHS.indexOf(month), Number(day), hours, minutes, seconds);
  const date = new Date(ms);
  // Date.UTC turns a day or time that does not exist into a later one.
  const isSame = date.getUTCDate() === Number(day) && date.toISOString().includes(`T${time}.`);
  return isSame && MONTHS.includes(month) ? ms : undefined;
}

/**
 * Returns the whole seconds that `Retry-After` asks to wait: 0 if its time has passed, undefined if it cannot be read.
 * @see https://www.rfc-editor.org/rfc/rfc9110#section-10.2.3
 */
export function retryAfterSeconds(header: string | undefined, nowMs: number): number | undefined {
  const text = header?.trim() ?? '';
  if (DELAY_SECONDS.test(text)) return Number(text);
  const ms = httpDateMs(text, nowMs);
  return ms === undefined ? undefined : Math.max(0, Math.ceil((ms - nowMs) / 1_000));
}
