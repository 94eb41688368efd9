import type { Destination, NoAnswer, OutgoingRequest, Reply } from '../../network/network';

/**
 * The messages between the engine and a worker thread. They are data only, so that the same inputs give the same
 * outputs. The engine sends one input and waits. The worker runs until nothing in it is left to run, and sends one
 * report. Every input contains the virtual time, which stands still until the next input.
 */
export type ThreadInput = ThreadEvent & {
  /** Virtual time, in milliseconds since the Unix epoch. */
  readonly nowMs: number;
};

export type ThreadEvent =
  /** Load the handler: the init phase. */
  | { readonly kind: 'load' }
  | { readonly kind: 'invoke'; readonly invocation: ThreadInvocation }
  /** Timers are due. */
  | { readonly kind: 'timers' }
  /** The addresses of a host name; empty when the host does not exist. */
  | { readonly kind: 'addresses'; readonly query: number; readonly addresses: readonly string[] }
  /** A connection was established, or failed. */
  | { readonly kind: 'connection'; readonly connection: number; readonly failure?: NoAnswer }
  /** The outcome of a request. */
  | { readonly kind: 'reply'; readonly exchange: number; readonly reply: Exclude<Reply, { kind: 'silence' }> };

/** The input of the handler. */
export interface ThreadInvocation {
  readonly requestId: string;
  /** The event, a JSON document. */
  readonly payload: string;
  readonly functionArn: string;
  /** The invocation's `X-Amzn-Trace-Id`. */
  readonly traceHeader: string;
  /** The virtual instant at which the function times out. */
  readonly deadlineMs: number;
  /** JSON, as the caller sent it. */
  readonly clientContext?: string;
}

/** The data with which a worker starts. */
export interface ThreadSettings {
  /** The folder that contains the function's code. */
  readonly folder: string;
  /** For example `index.handler`. */
  readonly handler: string;
  /** The environment variables of the function, including those that Lambda sets. */
  readonly variables: Readonly<Record<string, string>>;
  /** The function's memory size, which its code can also read. */
  readonly memorySizeMb: number;
  /** The seed of all randomness in the worker. */
  readonly seed: string;
  readonly nowMs: number;
  readonly logFormat: 'Text' | 'JSON';
  /** The lowest level that is logged. Applies only to JSON logs. */
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

/** The events in the worker, in order. */
export type ThreadOutput =
  /** One log event for the function's log group. */
  | { readonly kind: 'log'; readonly message: string }
  | { readonly kind: 'loaded' }
  | { readonly kind: 'load-failed'; readonly error: FunctionError }
  | { readonly kind: 'lookup'; readonly query: number; readonly hostName: string }
  | { readonly kind: 'connect'; readonly connection: number; readonly destination: Destination }
  | { readonly kind: 'request'; readonly exchange: number; readonly request: OutgoingRequest }
  /** The code no longer waits for this reply: it gave up, or closed the connection. */
  | { readonly kind: 'request-ended'; readonly exchange: number }
  /** The handler returned. `payload` is its response as JSON. */
  | { readonly kind: 'answered'; readonly requestId: string; readonly payload: string }
  | { readonly kind: 'failed'; readonly requestId: string; readonly error: FunctionError };

/** What V8 compiled of a file of a function. */
export interface CompiledFile {
  /** Of the path, which V8 stores in it, and the text. V8 itself compares only the length of the text. */
  readonly sha1: string;
  /** In memory that all threads share. */
  readonly bytes: Uint8Array;
}

/** How far the worker came. */
export type ThreadReport =
  | {
      readonly kind: 'rest';
      readonly outputs: readonly ThreadOutput[];
      /** When the next timer is due; undefined when none is set. */
      readonly wakeAtMs?: number;
    }
  /** The process ended: by `process.exit()`, or by an uncaught error. */
  | { readonly kind: 'exit'; readonly outputs: readonly ThreadOutput[]; readonly reason: ExitReason }
  /** The watchdog stopped an endless loop. */
  | { readonly kind: 'stuck' };

/** The reports that a worker posts itself. The engine detects the others from outside. */
export type PostedReport =
  | { readonly kind: 'compiled'; readonly file: CompiledFile }
  | Extract<ThreadReport, { kind: 'rest' }>
  | { readonly kind: 'exit'; readonly outputs: readonly ThreadOutput[]; readonly exitStatus: number };

export type ExitReason =
  | { readonly kind: 'status'; readonly exitStatus: number }
  /** The function used more memory than it has. */
  | { readonly kind: 'out-of-memory' };
