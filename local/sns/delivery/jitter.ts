import type { Random } from '../../kernel/random';

/** The largest share of a delay that jitter adds or takes. */
const JITTER_SHARE = 0.1;

/** Spreads a delay, or leaves it as it is. */
export type Jitter = (delaySeconds: number) => number;

/** The schedule to the millisecond: what a simulation is easiest to read with. */
export const noJitter: Jitter = delaySeconds => delaySeconds;

/**
 * Anywhere within 10 % of the delay, each instant as likely as the other. SNS applies jitter and does not publish how much:
 * the share and the even spread are our choice.
 * @see https://docs.aws.amazon.com/sns/latest/dg/sns-message-delivery-retries.html
 */
export function seededJitter(random: Random): Jitter {
  return delaySeconds => delaySeconds * (1 - JITTER_SHARE + 2 * JITTER_SHARE * random.fraction());
}
