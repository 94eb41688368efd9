import type { Clock } from '../../kernel/clock';
import type { Deployment } from './deployment';

export type LoggingLevel = 'OFF' | 'ERROR' | 'INFO';

export interface MethodSetting {
  /** `/orders`, or `/*` for every path. */
  readonly resourcePath: string;
  /** `POST`, or `*` for every method. */
  readonly httpMethod: string;
  readonly loggingLevel: LoggingLevel;
  /** Whether each method has metrics in addition to those of the stage. */
  readonly metricsEnabled: boolean;
  readonly throttle: { readonly burstLimit: number; readonly rateLimit: number } | undefined;
}

export interface AccessLog {
  readonly logGroupName: string;
  /** Text with `$context` variables. */
  readonly format: string;
}

/** A deployment that clients can call. */
export interface Stage {
  readonly name: string;
  readonly deployment: Deployment;
  readonly variables: Readonly<Record<string, string>>;
  readonly accessLog: AccessLog | undefined;
  /** Settings, the most specific first. */
  readonly methodSettings: readonly MethodSetting[];
  /** The name of its log stream: random digits, as on AWS. */
  readonly logStreamName: string;
  /** The tokens left for each throttled method, by `resource path/HTTP method`. */
  readonly tokenBuckets: Map<string, TokenBucket>;
}

export function settingFor(stage: Stage, resourcePath: string, httpMethod: string): MethodSetting | undefined {
  return stage.methodSettings.find(
    it =>
      (it.resourcePath === '/*' || it.resourcePath === resourcePath) &&
      (it.httpMethod === '*' || it.httpMethod === httpMethod),
  );
}

/**
 * A token bucket: lets requests through at a steady rate, with bursts.
 *
 * @see https://docs.aws.amazon.com/apigateway/latest/developerguide/api-gateway-request-throttling.html
 */
export class TokenBucket {
  private tokens: number;
  private filledAtMs: number;

  /**
   * @param rateLimit tokens added a second
   * @param burstLimit the maximum number of tokens
   */
  constructor(
    private readonly clock: Clock,
    private readonly rateLimit: number,
    private readonly burstLimit: number,
  ) {
    this.tokens = burstLimit;
    this.filledAtMs = clock.nowMs;
  }

  /** Takes one token; false when there is none. */
  take(): boolean {
    const elapsedSeconds = (this.clock.nowMs - this.filledAtMs) / 1_000;
    this.tokens = Math.min(this.burstLimit, this.tokens + elapsedSeconds * this.rateLimit);
    this.filledAtMs = this.clock.nowMs;
    if (this.tokens < 1) return false;
    this.tokens -= 1;
    return true;
  }
}
