import { spawnSync } from 'node:child_process';
import { createReadStream, existsSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { BadInput, messageOf } from '../../account/errors';
import type { FileOpening, Files, FileWriter } from '../../account/ports';
import { type ColorChoice, hasColor, isDrawn, widthOf } from './terminal-settings';

/** A stream that text is written to. */
export interface Output {
  write(text: string): void;
  /** Whether it is a terminal that understands control sequences. */
  readonly isTTY: boolean;
  /** The current width of the terminal, or COLUMNS. @default - unlimited */
  readonly columns?: number | undefined;
  /** Whether text is highlighted. @default - only on a terminal */
  readonly hasColor?: boolean;
}

/** The streams, files and questions of a command. A test brings its own. */
export interface Io extends Files {
  readonly stdout: Output;
  readonly stderr: Output;
  /**
   * Reads a whole file, or standard input for `-`.
   * @throws BadInput when it cannot be read
   */
  readText(file: string): Promise<string>;
  /**
   * Writes a whole file.
   * @throws Error that says in words why it cannot be written
   */
  writeText(file: string, text: string): Promise<void>;
  /**
   * Asks the user on the terminal. No answer is an empty answer.
   * @returns undefined when there is no terminal
   */
  ask(question: string): Promise<string | undefined>;
  /**
   * Lets the user edit a text in VISUAL or EDITOR, in a file that only the user can read.
   * @returns undefined when there is no terminal
   * @throws Error when the editor fails
   */
  edit(text: string): Promise<string | undefined>;
  /**
   * From now on, an interrupt (Ctrl-C, SIGTERM, a closed terminal) does not end the process. It resolves the returned promise,
   * and the command ends by itself. A second interrupt ends the process.
   */
  interrupted(): Promise<void>;
}

const FILE_FAILURES: Readonly<Record<string, string>> = {
  ENOENT: 'no such file or folder',
  ENOTDIR: 'is below a file, not a folder',
  EISDIR: 'is a directory, not a file',
  EACCES: 'may not be read or written',
  EROFS: 'is on a read-only file system',
  EEXIST: 'exists already: another process has just created it',
  ENOSPC: 'no space is left on the device',
};

function codeOf(error: unknown): string {
  const { code = '' } = Object(error) as { readonly code?: unknown };
  return String(code);
}

function fileFailure(file: string, error: unknown): string {
  return `${file}: ${FILE_FAILURES[codeOf(error)] ?? messageOf(error)}`;
}

/** The reader has ended, as `head` does, or the terminal was closed. */
const READER_GONE = /^(EPIPE|EIO)$/;

/** What the user has chosen for the terminal. It is known once the arguments are parsed. */
export interface TerminalSettings {
  color: ColorChoice;
}

/** A reader that ends, such as `head`, is not an error. The rest of the output is dropped. */
function outputOf(stream: NodeJS.WriteStream, name: string, settings: TerminalSettings): Output {
  stream.on('error', error => {
    if (READER_GONE.test(codeOf(error))) return;
    process.stderr.write(`dlo: ${fileFailure(name, error)}\n`);
    process.exit(EXIT.couldNot);
  });
  return {
    write: chunk => void stream.write(chunk),
    isTTY: isDrawn(stream.isTTY ?? false, process.env),
    get columns() {
      return widthOf(stream.columns, process.env);
    },
    get hasColor() {
      return hasColor(settings.color, stream.isTTY ?? false, process.env);
    },
  };
}

/** Messages can hold confidential data. */
const OWNER_ONLY = 0o600;

const FLAGS: Readonly<Record<FileOpening, string>> = { replace: 'w', append: 'a', create: 'ax' };

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
        if (how !== 'replace') await handle.datasync();
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

/** The question goes to standard error, so that standard output has only the result. */
async function askOnTerminal(question: string): Promise<string | undefined> {
  if (!process.stdin.isTTY) return undefined;
  const lines = createInterface({ input: process.stdin, output: process.stderr });
  try {
    return await new Promise<string>(resolve => {
      // After Ctrl-C or the end of input, later output begins on a line of its own.
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

/** Runs the user's editor on a temporary file. */
async function editOnTerminal(before: string): Promise<string | undefined> {
  if (!process.stdin.isTTY) return undefined;
  const folder = mkdtempSync(path.join(tmpdir(), 'dlo-edit-'));
  try {
    const file = path.join(folder, 'message.json');
    writeFileSync(file, before, { mode: OWNER_ONLY });
    const editor = process.env['VISUAL'] || process.env['EDITOR'] || 'vi';
    // The variable can have arguments, such as `code --wait`.
    const { status, error } = spawnSync(`${editor} "${file}"`, { shell: true, stdio: 'inherit' });
    if (status !== 0) throw new Error(`the editor ${editor} failed${error ? `: ${error.message}` : ''}`);
    return readFileSync(file, 'utf8');
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Signals that end a process, and the exit codes that shells use for them. */
const INTERRUPTS = { SIGHUP: 129, SIGINT: 130, SIGTERM: 143 } as const;

const SIGNALS = Object.keys(INTERRUPTS) as readonly (keyof typeof INTERRUPTS)[];

const LINE_CLEARED = '\r\u{1b}[K';

/** Clears a half-drawn progress bar. */
function clearLine(): void {
  if (isDrawn(process.stderr.isTTY, process.env)) process.stderr.write(LINE_CLEARED);
}

/** Whether the user has pressed Ctrl-C. */
export interface Interrupt {
  readonly isAsked: boolean;
}

/** From now on, an interrupt does not end the process. The command checks it, ends what it has begun, and cleans up. */
export function interruptOf(io: Io): Interrupt {
  let isAsked = false;
  void io.interrupted().then(() => {
    isAsked = true;
  });
  return {
    get isAsked() {
      return isAsked;
    },
  };
}

/**
 * From now on, an interrupt ends the process with its exit handlers, which remove temporary files. A command that has more to
 * clean up uses `io.interrupted()`.
 */
export function endOnInterrupt(): void {
  for (const signal of SIGNALS) {
    process.removeAllListeners(signal).once(signal, () => {
      clearLine();
      process.exit(INTERRUPTS[signal]);
    });
  }
}

/** The first interrupt resolves the promise. The second ends the process. */
function firstInterrupt(): Promise<void> {
  return new Promise(resolve => {
    for (const signal of SIGNALS) {
      process.removeAllListeners(signal).once(signal, () => {
        clearLine();
        if (process.stderr.isTTY) process.stderr.write('Stopping. Press Ctrl-C again to stop at once.\n');
        endOnInterrupt();
        // A closed terminal sends the signal twice: by the system and by the shell.
        process.removeAllListeners('SIGHUP').on('SIGHUP', () => {});
        resolve();
      });
    }
  });
}

export function processIo(settings: TerminalSettings = { color: 'auto' }): Io {
  return {
    stdout: outputOf(process.stdout, 'standard output', settings),
    stderr: outputOf(process.stderr, 'standard error', settings),
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
    edit: editOnTerminal,
    interrupted: firstInterrupt,
  };
}

/** Commands with a verdict end with `done` for yes, `couldNot` for no, and `unknown`. */
export const EXIT = { done: 0, couldNot: 1, badInput: 2, unknown: 3 } as const;
