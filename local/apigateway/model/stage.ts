import type { TokenBucket } from '../execute/token-bucket';
import type { Deployment } from './rest-api';

export type LoggingLevel = 'OFF' | 'ERROR' | 'INFO';

/** How a stage treats the requests of some of its methods. */
export interface MethodSetting {
  /** `/orders`, or `/*` for every path. */
  readonly resourcePath: string;
  /** `POST`, or `*` for every method. */
  readonly httpMethod: string;
  readonly loggingLevel: LoggingLevel;
  /** Metrics of each method beside those of the stage. */
  readonly metricsEnabled: boolean;
  readonly throttle: { readonly burstLimit: number; readonly rateLimit: number } | undefined;
}

export interface AccessLog {
  readonly logGroupName: string;
  /** Text with `$context` variables. */
  readonly format: string;
}

/** A deployment that requests can reach. */
export interface Stage {
  readonly name: string;
  readonly deployment: Deployment;
  readonly variables: Readonly<Record<string, string>>;
  readonly accessLog: AccessLog | undefined;
  /** The more specific ones first. */
  readonly methodSettings: readonly MethodSetting[];
  /** The stream of its logs; API Gateway names them by random digits. */
  readonly logStreamName: string;
  /** What is left to each throttled method, by `resource path/HTTP method`. */
  readonly tokenBuckets: Map<string, TokenBucket>;
}

/** The setting that holds for a method, if any does. */
export function settingFor(stage: Stage, resourcePath: string, httpMethod: string): MethodSetting | undefined {
  return stage.methodSettings.find(
    it =>
      (it.resourcePath === '/*' || it.resourcePath === resourcePath) &&
      (it.httpMethod === '*' || it.httpMethod === httpMethod),
  );
}
