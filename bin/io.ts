import { createReadStream, existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { BadInput, EXIT, messageOf } from '../account/errors';
import { LINE_WIPED } from './progress';

/** Somewhere text goes. */
export interface Output {
  write(text: string): void;
  /** Whether a person is looking at it. */
  readonly isTTY: boolean;
  /** How wide the terminal is, at this moment. @default - it is none, or does not tell */
  readonly columns?: number | undefined;
}

/** A file that is written piece by piece. */
export interface FileWriter {
  /** @throws Error that says in words why it cannot be written */
  write(text: string): Promise<void>;
  /** What was written is on the disk then. */
  close(): Promise<void>;
}

/** How a file is written: whatever was there before goes, or stays, or must not have been. */
export type FileOpening = 'anew' | 'append' | 'begin';

/** Everything a command may ask of the world, so that a test can stand in for it. */
export interface Io {
  readonly stdout: Output;
  readonly stderr: Output;
  /**
   * The whole text of a file, or of standard input for `-`.
   * @throws BadInput when it cannot be read
   */
  readText(file: string): Promise<string>;
  /**
   * Writes a whole file.
   * @throws Error that says in words why it cannot be written
   */
  writeText(file: string, text: string): Promise<void>;
  exists(file: string): Promise<boolean>;
  /**
   * The lines of a file, each with its end, so that one that is cut can be told; never the whole file at once.
   * @throws BadInput when it cannot be read
   */
  lines(file: string): AsyncIterable<string>;
  /**
   * Writes a file that only its owner may read. What is appended, or begins a file that must not be there yet, is on the disk
   * once it is written.
   * @throws Error that says in words why it cannot be written
   */
  writer(file: string, how: FileOpening): Promise<FileWriter>;
  /**
   * Has a file take the place of another, if there is one.
   * @throws Error that says in words why it cannot
   */
  rename(from: string, to: string): Promise<void>;
  /**
   * Asks whoever sits before the terminal; who answers nothing gives an empty answer.
   * @returns undefined where nobody does
   */
  ask(question: string): Promise<string | undefined>;
  /**
   * From now on an interrupt (Ctrl-C, SIGTERM, a terminal that is closed) does not end the process, but resolves this: the command ends by itself. A second
   * one ends the process.
   */
  interrupted(): Promise<void>;
}

const FILE_FAILURES: Readonly<Record<string, string>> = {
  ENOENT: 'no such file or folder',
  ENOTDIR: 'is below a file, not a folder',
  EISDIR: 'is a directory, not a file',
  EACCES: 'may not be read or written',
  EROFS: 'is on a file system that cannot be written to',
  EEXIST: 'is there by now: somebody else has just begun it',
  ENOSPC: 'no space is left for it',
};

function codeOf(error: unknown): string {
  const { code = '' } = Object(error) as { readonly code?: unknown };
  return String(code);
}

/** What is wrong with a file, in words. */
function fileFailure(file: string, error: unknown): string {
  return `${file}: ${FILE_FAILURES[codeOf(error)] ?? messageOf(error)}`;
}

/** A reader that has gone away, as `head` does, or a terminal that was closed. */
const READER_GONE = /^(EPIPE|EIO)$/;

/** A reader that has gone away is no error of ours: what is left to write is dropped. */
function outputOf(stream: NodeJS.WriteStream, name: string): Output {
  stream.on('error', error => {
    if (READER_GONE.test(codeOf(error))) return;
    process.stderr.write(`dlo: ${fileFailure(name, error)}\n`);
    process.exit(EXIT.couldNot);
  });
  return {
    write: chunk => void stream.write(chunk),
    isTTY: stream.isTTY ?? false,
    get columns() {
      return stream.columns;
    },
  };
}

/** Letters hold what is nobody else's business. */
const OWNER_ONLY = 0o600;

const FLAGS: Readonly<Record<FileOpening, string>> = { anew: 'w', append: 'a', begin: 'ax' };

async function writerOf(file: string, how: FileOpening): Promise<FileWriter> {
  const inWords = async <T>(work: () => Promise<T>): Promise<T> => {
    try {
      return await work();
    } catch (error) {
      throw new Error(fileFailure(file, error), { cause: error });
    }
  };
  const handle = await inWords(() => open(file, FLAGS[how], OWNER_ONLY));
  return {
    write: text =>
      inWords(async () => {
        await handle.appendFile(text);
        if (how !== 'anew') await handle.datasync();
      }),
    close: () =>
      inWords(async () => {
        await handle.sync();
        await handle.close();
      }),
  };
}

async function* linesOf(file: string): AsyncIterable<string> {
  let rest = '';
  try {
    for await (const chunk of createReadStream(file, 'utf8')) {
      const lines = `${rest}${chunk}`.split(/(?<=\n)/);
      rest = lines.at(-1)?.endsWith('\n') ? '' : (lines.pop() ?? '');
      yield* lines;
    }
  } catch (error) {
    throw codeOf(error) === '' ? error : new BadInput([fileFailure(file, error)]);
  }
  if (rest !== '') yield rest;
}

/** The question goes to standard error, so that standard output stays what was asked for. */
async function askOnTerminal(question: string): Promise<string | undefined> {
  if (!process.stdin.isTTY) return undefined;
  const lines = createInterface({ input: process.stdin, output: process.stderr });
  try {
    return await new Promise<string>(resolve => {
      // Ctrl-C, or the end of input. What is said of it begins a line of its own.
      lines
        .once('SIGINT', () => {
          process.stderr.write('\n');
          resolve('');
        })
        .once('close', () => resolve(''));
      lines.question(question, resolve);
    });
  } finally {
    lines.close();
  }
}

/** Signals that ask a process to end, and what it ends with, as shells have it. */
const INTERRUPTS = { SIGHUP: 129, SIGINT: 130, SIGTERM: 143 } as const;

const SIGNALS = Object.keys(INTERRUPTS) as readonly (keyof typeof INTERRUPTS)[];

/** Takes a bar away that is half drawn. */
function wipeLine(): void {
  if (process.stderr.isTTY) process.stderr.write(LINE_WIPED);
}

/**
 * From now on an interrupt ends the process in the ordinary way, so that what was made for the occasion goes with it. A
 * command that has more to end than that asks for it: `io.interrupted()`.
 */
export function endOnInterrupt(): void {
  for (const signal of SIGNALS) {
    process.removeAllListeners(signal).once(signal, () => {
      wipeLine();
      process.exit(INTERRUPTS[signal]);
    });
  }
}

/** The first is told, and ends nothing; a second ends the process at once. */
function firstInterrupt(): Promise<void> {
  return new Promise(resolve => {
    for (const signal of SIGNALS) {
      process.removeAllListeners(signal).once(signal, () => {
        wipeLine();
        if (process.stderr.isTTY) process.stderr.write('Ending in good order. Ctrl-C once more ends it at once.\n');
        endOnInterrupt();
        // A terminal that is closed says so twice, by the system and by the shell.
        process.removeAllListeners('SIGHUP').on('SIGHUP', () => {});
        resolve();
      });
    }
  });
}

/** The process's own streams and files. */
export function processIo(): Io {
  return {
    stdout: outputOf(process.stdout, 'standard output'),
    stderr: outputOf(process.stderr, 'standard error'),
    readText: async file => {
      try {
        return file === '-' ? await text(process.stdin) : readFileSync(file, 'utf8');
      } catch (error) {
        throw new BadInput([fileFailure(file === '-' ? 'standard input' : file, error)]);
      }
    },
    writeText: async (file, contents) => {
      try {
        writeFileSync(file, contents);
      } catch (error) {
        throw new Error(fileFailure(file, error), { cause: error });
      }
    },
    exists: async file => existsSync(file),
    lines: linesOf,
    writer: writerOf,
    rename: async (from, to) => {
      try {
        renameSync(from, to);
      } catch (error) {
        throw new Error(fileFailure(to, error), { cause: error });
      }
    },
    ask: askOnTerminal,
    interrupted: firstInterrupt,
  };
}
