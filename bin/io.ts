import { readFileSync, writeFileSync } from 'node:fs';
import { text } from 'node:stream/consumers';
import { BadInput, messageOf } from './errors';

/** Somewhere text goes. */
export interface Output {
  write(text: string): void;
  /** Whether a person is looking at it. */
  readonly isTTY: boolean;
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
  /** Writes a whole file. */
  writeText(file: string, text: string): Promise<void>;
}

const READ_FAILURES: Readonly<Record<string, string>> = {
  ENOENT: 'no such file',
  EISDIR: 'is a directory, not a file',
  EACCES: 'may not be read',
};

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : '';
}

/** A reader that has gone away, as `head` does, is no error of ours: what is left to write is dropped. */
function outputOf(stream: NodeJS.WriteStream): Output {
  stream.on('error', error => {
    if (codeOf(error) !== 'EPIPE') throw error;
  });
  return { write: chunk => void stream.write(chunk), isTTY: stream.isTTY ?? false };
}

/** The process's own streams and files. */
export function processIo(): Io {
  return {
    stdout: outputOf(process.stdout),
    stderr: outputOf(process.stderr),
    readText: async file => {
      try {
        return file === '-' ? await text(process.stdin) : readFileSync(file, 'utf8');
      } catch (error) {
        throw new BadInput([
          `${file === '-' ? 'standard input' : file}: ${READ_FAILURES[codeOf(error)] ?? messageOf(error)}`,
        ]);
      }
    },
    writeText: async (file, contents) => writeFileSync(file, contents),
  };
}
