import { BadInput } from '../../../bin/errors';
import type { Io, Output } from '../../../bin/io';

/** A world in memory: files to read by name, `-` for standard input, and all that was written. */
export class MemoryIo implements Io {
  readonly written = new Map<string, string>();
  private readonly said = { stdout: '', stderr: '' };
  readonly stdout = this.output('stdout');
  readonly stderr = this.output('stderr');

  constructor(private readonly files: Readonly<Record<string, string>> = {}) {}

  get out(): string {
    return this.said.stdout;
  }

  get err(): string {
    return this.said.stderr;
  }

  async readText(file: string): Promise<string> {
    const text = this.files[file];
    if (text === undefined) throw new BadInput([`${file}: no such file`]);
    return text;
  }

  async writeText(file: string, text: string): Promise<void> {
    if (file.startsWith('/nowhere/')) throw new Error(`cannot write ${file}`);
    this.written.set(file, text);
  }

  /** Whoever interrupts a command in a test calls this. */
  interrupt: () => void = () => {};

  interrupted(): Promise<void> {
    return new Promise(resolve => {
      this.interrupt = resolve;
    });
  }

  /** Whoever looks at a terminal in a test is told here what is written to standard error. @default - nobody does */
  watch: ((text: string) => void) | undefined;

  private output(name: 'stdout' | 'stderr'): Output {
    const isWatched = () => name === 'stderr' && this.watch !== undefined;
    return {
      write: text => {
        this.said[name] += text;
        if (isWatched()) this.watch?.(text);
      },
      get isTTY() {
        return isWatched();
      },
    };
  }
}
