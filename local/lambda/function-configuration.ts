import type { LogLevel } from './world/protocol';

/**
 * What a function is, in AWS's terms.
 *
 * @see https://docs.aws.amazon.com/lambda/latest/api/API_FunctionConfiguration.html
 */
export interface FunctionConfiguration {
  readonly functionName: string;
  readonly functionArn: string;
  /** For example `nodejs24.x`. The engine's own Node.js runs it. */
  readonly runtime: string;
  readonly handler: string;
  readonly roleArn: string;
  /** The folder with the function's code. */
  readonly folder: string;
  /** 1 to 900. */
  readonly timeoutSeconds: number;
  /** 128 to 10,240. */
  readonly memorySizeMb: number;
  readonly variables: Readonly<Record<string, string>>;
  readonly logging: LoggingConfiguration;
  /** A standard queue or a topic. */
  readonly deadLetterTargetArn?: string;
  /** Whether Lambda stops the function where it feeds itself, or lets it. */
  readonly recursiveLoop: 'Allow' | 'Terminate';
  /** How many may run at once; 0 switches the function off. @default what the account has left */
  readonly reservedConcurrentExecutions?: number;
}

/** @see https://docs.aws.amazon.com/lambda/latest/api/API_LoggingConfig.html */
export interface LoggingConfiguration {
  readonly logGroup: string;
  readonly logFormat: 'Text' | 'JSON';
  /** JSON only. */
  readonly applicationLogLevel: LogLevel;
  /** JSON only. */
  readonly systemLogLevel: 'DEBUG' | 'INFO' | 'WARN';
}

/**
 * What happens to events that were queued.
 *
 * @see https://docs.aws.amazon.com/lambda/latest/dg/invocation-async-configuring.html
 */
export interface EventInvokeConfiguration {
  /** 0 to 2. */
  readonly maximumRetryAttempts: number;
  /** 60 to 21,600. */
  readonly maximumEventAgeSeconds: number;
  readonly onSuccessArn?: string;
  readonly onFailureArn?: string;
}

export const DEFAULT_EVENT_INVOKE_CONFIGURATION: EventInvokeConfiguration = {
  maximumRetryAttempts: 2,
  maximumEventAgeSeconds: 21_600,
};
