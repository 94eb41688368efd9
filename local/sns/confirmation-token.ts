import type { Random } from '../kernel/random';

const LENGTH = 288;

/**
 * How long a token opens what it is for; an unconfirmed subscription is deleted as soon.
 * @see https://docs.aws.amazon.com/sns/latest/api/API_Subscribe.html
 */
const LIFETIME_MS = 2 * 86_400_000;

/** Whatever is none of SNS's making. */
const FORM = /^[0-9a-f]+$/;

/** What whoever confirms a subscription, or restores one, must show. */
export interface ConfirmationToken {
  readonly text: string;
  /** First instant, in milliseconds since the Unix epoch, at which it opens nothing any more. */
  readonly expiresAtMs: number;
}

export function newToken(random: Random, nowMs: number): ConfirmationToken {
  return { text: random.hex(LENGTH), expiresAtMs: nowMs + LIFETIME_MS };
}

/** The same, for two days from now. */
export function renewed({ text }: ConfirmationToken, nowMs: number): ConfirmationToken {
  return { text, expiresAtMs: nowMs + LIFETIME_MS };
}

/** Whether a text looks as tokens do. */
export function isTokenText(text: string): boolean {
  return FORM.test(text);
}
