import type { Destination, NoAnswer, OutgoingRequest, Reply } from '../../network/network';

/**
 * What engine and worker say to each other: data only, so that the same inputs give the same outputs. The engine sends
 * one input and waits; the worker runs until nothing in it is left to run and answers with one report. Every input
 * carries the virtual time, which stands still until the next one.
 */
export type WorldInput = WorldEvent & {
  /** Virtual time, in milliseconds since the Unix epoch. */
  readonly nowMs: number;
};

export type WorldEvent =
  /** Load the handler: the init phase. */
  | { readonly kind: 'load' }
  | { readonly kind: 'invoke'; readonly invocation: WorldInvocation }
  /** Timers are due. */
  | { readonly kind: 'timers' }
  /** What a host name resolves to; none when there is no such host. */
  | { readonly kind: 'addresses'; readonly query: number; readonly addresses: readonly string[] }
  /** A connection stands, or why it does not. */
  | { readonly kind: 'connection'; readonly connection: number; readonly failure?: NoAnswer }
  /** What a request met with. */
  | { readonly kind: 'reply'; readonly exchange: number; readonly reply: Exclude<Reply, { kind: 'silence' }> };

/** What the handler is called with. */
export interface WorldInvocation {
  readonly requestId: string;
  /** The event, a JSON document. */
  readonly payload: string;
  readonly functionArn: string;
  /** `X-Amzn-Trace-Id` of this invocation. */
  readonly traceHeader: string;
  /** Virtual instant at which the function times out. */
  readonly deadlineMs: number;
  /** JSON, as the caller gave it. */
  readonly clientContext?: string;
}

/** Everything a worker is started with. */
export interface WorldSettings {
  /** The folder that holds the function's code. */
  readonly folder: string;
  /** For example `index.handler`. */
  readonly handler: string;
  /** The environment variables of the function, Lambda's own included. */
  readonly variables: Readonly<Record<string, string>>;
  /** What the function is given, and what its code is told of memory. */
  readonly memorySizeMb: number;
  /** The seed of everything random in there. */
  readonly seed: string;
  readonly nowMs: number;
  readonly logFormat: 'Text' | 'JSON';
  /** Least level that is logged; only JSON logs have one. */
  readonly logLevel: LogLevel;
}

export const LOG_LEVELS = ['TRACE', 'DEBUG', 'INFO', 'WARN', 'ERROR', 'FATAL'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

/** An error as the Node.js runtime reports it. */
export interface FunctionError {
  readonly errorType: string;
  readonly errorMessage: string;
  readonly trace?: readonly string[];
}

/** What happened in the worker, in order. */
export type WorldOutput =
  /** One event for the function's log group. */
  | { readonly kind: 'log'; readonly message: string }
  | { readonly kind: 'loaded' }
  | { readonly kind: 'load-failed'; readonly error: FunctionError }
  | { readonly kind: 'lookup'; readonly query: number; readonly hostName: string }
  | { readonly kind: 'connect'; readonly connection: number; readonly destination: Destination }
  | { readonly kind: 'request'; readonly exchange: number; readonly request: OutgoingRequest }
  /** The code no longer waits for this reply: it gave up, or closed the connection. */
  | { readonly kind: 'request-ended'; readonly exchange: number }
  /** The handler answered; `payload` is its JSON. */
  | { readonly kind: 'answered'; readonly requestId: string; readonly payload: string }
  | { readonly kind: 'failed'; readonly requestId: string; readonly error: FunctionError };

/** How far the worker came. */
export type WorldReport =
  | {
      readonly kind: 'rest';
      readonly outputs: readonly WorldOutput[];
      /** When the next timer is due. Absent when none is set. */
      readonly wakeAtMs?: number;
    }
  /** The process ended: `process.exit()`, or an error nobody caught. */
  | { readonly kind: 'exit'; readonly outputs: readonly WorldOutput[]; readonly reason: ExitReason }
  /** It neither came to rest nor ended for so long, by the wall clock, that it was stopped. */
  | { readonly kind: 'stuck' };

/** What a report a worker can post itself looks like; the engine sees the others from outside. */
export type PostedReport =
  | Extract<WorldReport, { kind: 'rest' }>
  | { readonly kind: 'exit'; readonly outputs: readonly WorldOutput[]; readonly exitStatus: number };

export type ExitReason =
  | { readonly kind: 'status'; readonly exitStatus: number }
  /** More memory than the function has. */
  | { readonly kind: 'out-of-memory' };
