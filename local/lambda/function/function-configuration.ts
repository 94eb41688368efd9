import { parseArn } from '../../../policy/arn';
import { arnIn, type Place } from '../../kernel/place';
import type { LogLevel } from '../environment/protocol';

/** The only version of a function that can be changed. */
export const LATEST = '$LATEST';

/**
 * The configuration of one version of a function, in AWS's terms. It is immutable: an update creates a new one.
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
  /** For example `nodejs24.x`. The code runs with the Node.js version of this process, whatever the runtime. */
  readonly runtime: string;
  readonly handler: string;
  readonly roleArn: string;
  /** The folder that contains the function's code. */
  readonly folder: string;
  /** 1 to 900. */
  readonly timeoutSeconds: number;
  /** 128 to 10,240. */
  readonly memorySizeMb: number;
  readonly variables: Readonly<Record<string, string>>;
  readonly logging: LoggingConfiguration;
  /** The ARN of a standard queue or a topic. */
  readonly deadLetterTargetArn?: string;
  /** Whether a request or template gave an environment, even an empty one. @default false */
  readonly hasEnvironment?: boolean;
  /** Only described. @default 'x86_64' */
  readonly architectures?: readonly Architecture[];
  /** 512 to 10,240. Only described. @default 512 */
  readonly ephemeralStorageMb?: number;
  /** Only described. @default 'PassThrough' */
  readonly tracingMode?: TracingMode;
}

export const ARCHITECTURES = ['x86_64', 'arm64'] as const;
type Architecture = (typeof ARCHITECTURES)[number];

export const TRACING_MODES = ['Active', 'PassThrough'] as const;
type TracingMode = (typeof TRACING_MODES)[number];

/** @see https://docs.aws.amazon.com/lambda/latest/api/API_EphemeralStorage.html */
export const LEAST_STORAGE_MB = 512;
export const MOST_STORAGE_MB = 10_240;

/** Whether Lambda stops a function in a recursive loop, or allows it. */
export type RecursiveLoop = 'Allow' | 'Terminate';

/** A function to create: its first configuration, and the settings that all versions share. */
export interface NewFunction extends Omit<FunctionConfiguration, 'version'> {
  readonly recursiveLoop: RecursiveLoop;
  /** The reserved concurrency; 0 prevents every invocation. @default the function shares the account's concurrency */
  readonly reservedConcurrentExecutions?: number;
  /** @default no tags */
  readonly tags?: Readonly<Record<string, string>>;
}

export const SYSTEM_LOG_LEVELS = ['DEBUG', 'INFO', 'WARN'] as const;

/** @see https://docs.aws.amazon.com/lambda/latest/api/API_LoggingConfig.html */
export interface LoggingConfiguration {
  readonly logGroup: string;
  readonly logFormat: 'Text' | 'JSON';
  /** Applies only to JSON logs. */
  readonly applicationLogLevel: LogLevel;
  /** Applies only to JSON logs. */
  readonly systemLogLevel: (typeof SYSTEM_LOG_LEVELS)[number];
}

/** The name of a function, with an optional version or alias. */
interface FunctionName {
  readonly name: string;
  readonly qualifier: string | undefined;
  /** Undefined for a name without an account. */
  readonly account: string | undefined;
  /** Undefined for a name that is not an ARN. */
  readonly region: string | undefined;
}

/**
 * Parses a function name in any form that AWS accepts: `name`, `name:alias`, `account:function:name`, or an ARN.
 *
 * @see https://docs.aws.amazon.com/lambda/latest/api/API_Invoke.html#lambda-Invoke-request-FunctionName
 */
export function parseFunctionName(text: string): FunctionName {
  const arn = parseArn(text);
  const [, inPartial] = arn ? [] : (/^(\d{12}):/.exec(text) ?? []);
  const resource = arn?.resource ?? text.slice(inPartial === undefined ? 0 : inPartial.length + 1);
  const [name = '', qualifier] = resource.replace(/^function:/, '').split(':');
  return { name, qualifier, account: arn?.account ?? inPartial, region: arn?.region };
}

export function functionArn(place: Place, name: string): string {
  return arnIn(place, 'lambda', `function:${name}`);
}

/** Appends a version or an alias to an ARN or a name. */
export function qualified(nameOrArn: string, qualifier: string | undefined): string {
  return qualifier === undefined ? nameOrArn : `${nameOrArn}:${qualifier}`;
}

/** Whether a qualifier is the name of an alias. Versions are numbers or `$LATEST`. */
export function isAliasName(qualifier: string): boolean {
  return qualifier !== '$LATEST' && !/^\d+$/.test(qualifier);
}
