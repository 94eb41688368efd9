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

/** Why a message is given up. */
export const DEAD_LETTER_CAUSES = [
  /** The endpoint answered 410: it is gone for good. */
  'gone',
  /** The endpoint answered with another client error. */
  'refused',
  /** The endpoint redirects, and redirects are not followed. */
  'redirected',
  /** The answer was no final answer to a request: 1xx, or no status of HTTP at all. */
  'not-final',
  /** The endpoint's URL names an address no relay may send to. */
  'forbidden-address',
  /** The last attempt of the policy failed. */
  'retries-spent',
  /** The queue would drop the message before its next retry, or before its relay runs again. */
  'retention-spent',
  /** What the queue holds is no notification of SNS. */
  'not-an-envelope',
] as const;

export type DeadLetterCause = (typeof DEAD_LETTER_CAUSES)[number];

/** What an attempt that did not deliver comes to. */
export type FailedAttempt =
  /** Another attempt may fare better. */
  | { readonly kind: 'retry'; readonly reason: string }
  /** None will. */
  | { readonly kind: 'dead'; readonly cause: DeadLetterCause; readonly reason: string };

/** What one attempt comes to. */
export type RelayVerdict = { readonly kind: 'delivered'; readonly reason: string } | FailedAttempt;

/** Tries again: at once, in the same invocation, where `delaySeconds` is 0; else when that visibility timeout is over. */
export interface RetryStep {
  readonly kind: 'retry';
  /** The number of the retry to come, counted from 1 over the whole policy; 0 where the initial attempt is yet to be made. */
  readonly retry: number;
  /** A whole number. */
  readonly delaySeconds: number;
  readonly reason: string;
}

/** Gives the message up. */
export interface DeadStep {
  readonly kind: 'dead';
  readonly cause: DeadLetterCause;
  readonly reason: string;
}

/** What to do with a message whose attempt failed. */
export type RelayStep = RetryStep | DeadStep;

/** What a rule of the relay decides; of a dead letter it also says the cause. */
type RelayRuling = RelayVerdict & Ruling;

/** What the judgment on an attempt depends on, besides its outcome. */
export type VerdictContext = Pick<RelaySettings, 'retriedStatuses'>;

function dead(cause: DeadLetterCause, reason: string): RelayRuling {
  return { kind: 'dead', cause, reason };
}

function at(statusCode: number, ruling: RelayRuling): StatusRule<RelayRuling> {
  return { from: statusCode, to: statusCode, ruling };
}

/**
 * Statuses, by what HTTP says of them, the first match first. SNS retries 429 and 5xx alone; that 408 and 425 are tried
 * again too, and that 410 has a cause of its own, is our choice.
 * @see https://www.rfc-editor.org/rfc/rfc9110#section-15
 * @see https://www.rfc-editor.org/rfc/rfc8470#section-5.2
 */
const STATUSES: readonly StatusRule<RelayRuling>[] = [
  { from: 200, to: 299, ruling: { kind: 'delivered', reason: 'the endpoint took it' } },
  at(408, retry('the endpoint waited too long for the request')),
  at(410, dead('gone', 'the endpoint is gone for good')),
  at(425, retry('the endpoint will not risk a request that comes too early')),
  at(429, retry('the endpoint asks for fewer requests')),
  { from: 500, to: 599, ruling: retry('the endpoint failed') },
  { from: 300, to: 399, ruling: dead('redirected', 'the endpoint redirects, and redirects are not followed') },
  { from: 400, to: 499, ruling: dead('refused', 'the endpoint refuses it') },
];

/** The rules of one relay: those all have in common, behind what it is told to try again. */
function relayRules({ retriedStatuses }: VerdictContext): ProtocolRules<RelayRuling> {
  return {
    errors: [],
    statuses: [
      ...retriedStatuses.map(status => at(status, retry('the relay is to try this status again'))),
      ...STATUSES,
    ],
    otherwise: dead('not-final', 'the answer is no final answer to a request'),
    unanswered: {
      ...UNANSWERED,
      // Only a name comes so far, and it may come to stand for another address.
      'forbidden-address': retry('the endpoint is at an address that is not public'),
    },
  };
}

/** What one attempt of a relay comes to. */
export function relayVerdict(outcome: Outcome, context: VerdictContext): RelayVerdict {
  return judge(relayRules(context), outcome);
}

const DELAY_SECONDS = /^\d+$/;

/** The three forms every recipient must read. @see https://www.rfc-editor.org/rfc/rfc9110#section-5.6.7 */
const HTTP_DATES: readonly RegExp[] = [
  /^[A-Z][a-z]{2}, (?<day>\d{2}) (?<month>[A-Z][a-z]{2}) (?<year>\d{4}) (?<time>\d{2}:\d{2}:\d{2}) GMT$/,
  /^[A-Z][a-z]{5,8}, (?<day>\d{2})-(?<month>[A-Z][a-z]{2})-(?<year>\d{2}) (?<time>\d{2}:\d{2}:\d{2}) GMT$/,
  /^[A-Z][a-z]{2} (?<month>[A-Z][a-z]{2}) (?<day>[ \d]\d) (?<time>\d{2}:\d{2}:\d{2}) (?<year>\d{4})$/,
];

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

/** A year of two digits is of this century, unless that were more than fifty years ahead. */
function wholeYear(year: string, nowMs: number): number {
  if (year.length === 4) return Number(year);
  const now = new Date(nowMs).getUTCFullYear();
  const inThisCentury = now - (now % 100) + Number(year);
  return inThisCentury > now + 50 ? inThisCentury - 100 : inThisCentury;
}

/** The instant a date of HTTP names; undefined of any other text, and of a day or a time that there never is. */
function httpDateMs(text: string, nowMs: number): number | undefined {
  const parts = HTTP_DATES.map(form => form.exec(text)?.groups).find(groups => groups !== undefined);
  if (!parts) return undefined;
  const { day = '', month = '', year = '', time = '' } = parts;
  const [hours = 0, minutes = 0, seconds = 0] = time.split(':').map(Number);
  const ms = Date.UTC(wholeYear(year, nowMs), MONTHS.indexOf(month), Number(day), hours, minutes, seconds);
  const date = new Date(ms);
  // What does not exist rolls over into what does.
  const isSame = date.getUTCDate() === Number(day) && date.toISOString().includes(`T${time}.`);
  return isSame && MONTHS.includes(month) ? ms : undefined;
}

/**
 * The whole seconds an answer's `Retry-After` asks to wait; 0 where its time is past, undefined where it says nothing that
 * can be read.
 * @see https://www.rfc-editor.org/rfc/rfc9110#section-10.2.3
 */
export function retryAfterSeconds(header: string | undefined, nowMs: number): number | undefined {
  const text = header?.trim() ?? '';
  if (DELAY_SECONDS.test(text)) return Number(text);
  const ms = httpDateMs(text, nowMs);
  return ms === undefined ? undefined : Math.max(0, Math.ceil((ms - nowMs) / 1_000));
}
