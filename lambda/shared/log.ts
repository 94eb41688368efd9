/** One line of a function's log, as JSON. */
export interface LogLine {
  readonly level: 'INFO' | 'WARN' | 'ERROR';
  readonly message: string;
  readonly [detail: string]: unknown;
}

export type Log = (line: LogLine) => void;

/** Lambda keeps what a function prints, a line an event of the log. */
export const log: Log = line => console.log(JSON.stringify(line));

/** Whatever was thrown, as an error. */
export function errorOf(thrown: unknown): Error {
  return thrown instanceof Error ? thrown : new Error(String(thrown));
}
