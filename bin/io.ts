import { readFileSync, writeFileSync } from 'node:fs';
import { text } from 'node:stream/consumers';
import { BadInput, EXIT, messageOf } from './errors';

/** Somewhere text goes. */
export interface Output {
  write(text: string): void;
  /** Whether a person is looking at it. */
  readonly isTTY: boolean;
  /** How wide the terminal is, at this moment. @default - it is none, or does not tell */
  readonly columns?: number | undefined;
}

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
  /** From now on an interrupt (Ctrl-C, SIGTERM) does not end the process, but resolves this: the command ends by itself. */
  interrupted(): Promise<void>;
}

const FILE_FAILURES: Readonly<Record<string, string>> = {
  ENOENT: 'no such file or folder',
  ENOTDIR: 'is below a file, not a folder',
  EISDIR: 'is a directory, not a file',
  EACCES: 'may not be read or written',
  EROFS: 'is on a file system that cannot be written to',
  ENOSPC: 'no space is left for it',
};

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : '';
}

/** What is wrong with a file, in words. */
function fileFailure(file: string, error: unknown): string {
  return `${file}: ${FILE_FAILURES[codeOf(error)] ?? messageOf(error)}`;
}

/** A reader that has gone away, as `head` does, is no error of ours: what is left to write is dropped. */
function outputOf(stream: NodeJS.WriteStream, name: string): Output {
  stream.on('error', error => {
    if (codeOf(error) === 'EPIPE') return;
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

/** Signals that ask a process to end. */
const INTERRUPTS = ['SIGINT', 'SIGTERM'] as const;

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
    interrupted: () =>
      new Promise(resolve => {
        for (const signal of INTERRUPTS) process.removeAllListeners(signal).once(signal, () => resolve());
      }),
  };
}
