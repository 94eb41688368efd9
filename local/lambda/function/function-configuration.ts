import { parseArn } from '../../../policy/arn';
import { arnIn, type Place } from '../../kernel/place';
import type { LogLevel } from '../world/protocol';

/** The version of a function that can still be changed. */
export const LATEST = '$LATEST';

/**
 * What one version of a function is, in AWS's terms. It never changes: an update makes another one.
 *
 * @see https://docs.aws.amazon.com/lambda/latest/api/API_FunctionConfiguration.html
 */
export interface FunctionConfiguration {
  readonly functionName: string;
  /** Without a version. */
  readonly functionArn: string;
  /** `$LATEST`, or the number of a published version, from 1. */
  readonly version: string;
  readonly description: string;
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
}

/** Whether Lambda stops a function where it feeds itself, or lets it. */
export type RecursiveLoop = 'Allow' | 'Terminate';

/** A function that is to be created: its first configuration, and what all of its versions share. */
export interface NewFunction extends Omit<FunctionConfiguration, 'version'> {
  readonly recursiveLoop: RecursiveLoop;
  /** How many may run at once; 0 switches the function off. @default what the account has left */
  readonly reservedConcurrentExecutions?: number;
  /** @default no tags */
  readonly tags?: Readonly<Record<string, string>>;
}

export const SYSTEM_LOG_LEVELS = ['DEBUG', 'INFO', 'WARN'] as const;

/** @see https://docs.aws.amazon.com/lambda/latest/api/API_LoggingConfig.html */
export interface LoggingConfiguration {
  readonly logGroup: string;
  readonly logFormat: 'Text' | 'JSON';
  /** JSON only. */
  readonly applicationLogLevel: LogLevel;
  /** JSON only. */
  readonly systemLogLevel: (typeof SYSTEM_LOG_LEVELS)[number];
}

/** A function by name, with the version or alias asked for. */
export interface FunctionName {
  readonly name: string;
  readonly qualifier: string | undefined;
}

/**
 * Reads any form in which AWS lets one name a function: `name`, `name:alias`, `account:function:name`, an ARN.
 *
 * @see https://docs.aws.amazon.com/lambda/latest/api/API_Invoke.html#lambda-Invoke-request-FunctionName
 */
export function parseFunctionName(text: string): FunctionName {
  const resource = parseArn(text)?.resource ?? text.replace(/^\d{12}:/, '');
  const [name = '', qualifier] = resource.replace(/^function:/, '').split(':');
  return { name, qualifier };
}

/** @param qualifier a version or an alias. @default none */
export function functionArn(place: Place, name: string, qualifier?: string): string {
  return qualified(arnIn(place, 'lambda', `function:${name}`), qualifier);
}

/** An ARN, or a name, with the version or alias behind it. */
export function qualified(nameOrArn: string, qualifier: string | undefined): string {
  return qualifier === undefined ? nameOrArn : `${nameOrArn}:${qualifier}`;
}

/** Whether a qualifier names an alias: versions are numbers, or `$LATEST`. */
export function isAliasName(qualifier: string): boolean {
  return qualifier !== '$LATEST' && !/^\d+$/.test(qualifier);
}
