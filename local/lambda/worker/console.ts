import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { format } from 'node:util';
import { LOG_LEVELS, type LogLevel, type ThreadSettings } from '../environment/protocol';
import type { VirtualClock } from './clock';
import { asOnLambda, jsonError, loggedError } from './errors';

const METHODS: Readonly<Record<string, LogLevel>> = {
  trace: 'TRACE',
  debug: 'DEBUG',
  log: 'INFO',
  info: 'INFO',
  warn: 'WARN',
  error: 'ERROR',
  fatal: 'FATAL',
};

type Emit = (output: { kind: 'log'; message: string }) => void;

/**
 * The console of Lambda's Node.js runtime. Each call writes one log event, as text or as JSON.
 *
 * @see https://docs.aws.amazon.com/lambda/latest/dg/nodejs-logging.html
 */
export class LambdaConsole {
  /** The request id in log lines; undefined during the init phase, as on AWS. */
  requestId: string | undefined;
  /** Incomplete lines by file descriptor: 1 is stdout, 2 is stderr. */
  private readonly unfinished = new Map<number, string>();

  constructor(
    private readonly settings: Pick<ThreadSettings, 'folder' | 'logFormat' | 'logLevel'>,
    private readonly clock: VirtualClock,
    private readonly emit: Emit,
  ) {}

  /** Replaces `console`, stdout and stderr. */
  install(): void {
    for (const [method, level] of Object.entries(METHODS)) {
      Object.assign(console, { [method]: (...given: unknown[]) => this.log(level, given) });
    }
    Object.assign(process.stdout, { write: (...given: unknown[]) => this.write(1, given) });
    Object.assign(process.stderr, { write: (...given: unknown[]) => this.write(2, given) });
    this.interceptDescriptors();
    process.removeAllListeners('warning');
    process.on('warning', warning => this.lines(2, `(node:${process.pid}) ${warning}\n`));
  }

  /** Logs an error that ended an invocation or the process, as the runtime does. */
  failure(title: string, thrown: unknown): void {
    if (this.settings.logFormat === 'JSON') console.error(thrown);
    else console.error(title, `\t${loggedError(thrown)}`);
  }

  /** Writes incomplete lines when the code has ended. */
  flush(): void {
    for (const line of this.unfinished.values()) if (line) this.event(line);
    this.unfinished.clear();
  }

  private log(level: LogLevel, given: readonly unknown[]): void {
    const timestamp = new Date(this.clock.nowMs).toISOString();
    if (this.settings.logFormat === 'Text') {
      this.event([timestamp, String(this.requestId), level, format(...given)].join('\t'));
    } else if (LOG_LEVELS.indexOf(level) >= LOG_LEVELS.indexOf(this.settings.logLevel)) {
      this.event(jsonLine({ timestamp, level, requestId: this.requestId }, given));
    }
  }

  private write(descriptor: number, [chunk, encoding, last]: readonly unknown[]): boolean {
    this.lines(descriptor, typeof chunk === 'string' ? chunk : Buffer.from(chunk as Uint8Array).toString());
    const done = typeof encoding === 'function' ? encoding : last;
    if (typeof done === 'function') process.nextTick(done as () => void);
    return true;
  }

  /**
   * Intercepts writes to the file descriptors of stdout and stderr, which some loggers use. Otherwise they would reach
   * the engine's own.
   */
  private interceptDescriptors(): void {
    const { writeSync, write } = fs;
    const isOurs = (descriptor: unknown): boolean => descriptor === 1 || descriptor === 2;
    const take = (descriptor: number, chunk: unknown): number => {
      const bytes = typeof chunk === 'string' ? Buffer.from(chunk) : Buffer.from(chunk as Uint8Array);
      this.lines(descriptor, bytes.toString());
      return bytes.byteLength;
    };
    Object.assign(fs, {
      writeSync: (...given: Parameters<typeof writeSync>) =>
        isOurs(given[0]) ? take(given[0], given[1]) : writeSync(...given),
      write: (...given: Parameters<typeof write>) => {
        if (!isOurs(given[0])) return write(...given);
        const done: unknown = given.at(-1);
        const taken = take(given[0], given[1]);
        if (typeof done === 'function') process.nextTick(done as () => void, null, taken, given[1]);
      },
    });
    syncBuiltinESMExports();
  }

  private lines(descriptor: number, text: string): void {
    const lines = `${this.unfinished.get(descriptor) ?? ''}${text}`.split('\n');
    this.unfinished.set(descriptor, lines.pop() ?? '');
    for (const line of lines) this.event(line);
  }

  private event(message: string): void {
    this.emit({ kind: 'log', message: asOnLambda(message, this.settings.folder) });
  }
}

function jsonLine(head: object, given: readonly unknown[]): string {
  const [message, ...params] = given;
  if (params.length === 0) {
    const withErrors = (_: string, value: unknown): unknown =>
      value instanceof Error ? { ...jsonError(value), ...value } : value;
    try {
      return JSON.stringify({ ...head, message }, withErrors);
    } catch {
      // For a circular structure or a BigInt, the runtime logs what `console.log` would print.
      return JSON.stringify({ ...head, message: format(message) });
    }
  }
  const error = params.find(param => param instanceof Error);
  return JSON.stringify({
    ...head,
    message: format(message, ...params),
    ...(error instanceof Error && jsonError(error)),
  });
}
