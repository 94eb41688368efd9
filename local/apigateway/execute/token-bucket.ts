import type { Clock } from '../../kernel/clock';

/**
 * Lets requests through at a steady rate, with bursts.
 *
 * @see https://docs.aws.amazon.com/apigateway/latest/developerguide/api-gateway-request-throttling.html
 */
export class TokenBucket {
  private tokens: number;
  private filledAtMs: number;

  /**
   * @param rateLimit tokens that come back a second
   * @param burstLimit tokens it holds at most
   */
  constructor(
    private readonly clock: Clock,
    private readonly rateLimit: number,
    private readonly burstLimit: number,
  ) {
    this.tokens = burstLimit;
    this.filledAtMs = clock.nowMs;
  }

  /** Takes one token if there is one. */
  take(): boolean {
    const elapsedSeconds = (this.clock.nowMs - this.filledAtMs) / 1_000;
    this.tokens = Math.min(this.burstLimit, this.tokens + elapsedSeconds * this.rateLimit);
    this.filledAtMs = this.clock.nowMs;
    if (this.tokens < 1) return false;
    this.tokens -= 1;
    return true;
  }
}
