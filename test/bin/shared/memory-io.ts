import { BadInput } from '../../../account/errors';
import type { FileOpening, FileWriter } from '../../../account/ports';
import type { Io, Output } from '../../../bin/shared/io';

/** Input and output in memory: files by name, `-` for standard input, and everything that was written. */
export class MemoryIo implements Io {
  readonly written = new Map<string, string>();
  private readonly said = { stdout: '', stderr: '' };
  readonly stdout = this.output('stdout');
  readonly stderr = this.output('stderr');

  /** Answers a question. @default - there is no terminal */
  answer: ((question: string) => string) | undefined;

  constructor(private readonly files: Readonly<Record<string, string>> = {}) {}

  get out(): string {
    return this.said.stdout;
  }

  get err(): string {
    return this.said.stderr;
  }

  private textOf(file: string): string | undefined {
    return this.written.get(file) ?? this.files[file];
  }

  async readText(file: string): Promise<string> {
    const text = this.textOf(file);
    if (text === undefined) throw new BadInput([`${file}: no such file`]);
    return text;
  }

  async writeText(file: string, text: string): Promise<void> {
    if (file.startsWith('/nowhere/')) throw new Error(`cannot write ${file}`);
    this.written.set(file, text);
  }

  async exists(file: string): Promise<boolean> {
    return this.textOf(file) !== undefined;
  }

  async *lines(file: string): AsyncIterable<string> {
    yield* (await this.readText(file)).split(/(?<=\n)/).filter(line => line !== '');
  }

  async writer(file: string, how: FileOpening): Promise<FileWriter> {
    if (how === 'create' && (await this.exists(file))) throw new Error(`${file}: is there by now`);
    if (how === 'replace') await this.writeText(file, '');
    return {
      write: async text => this.writeText(file, `${this.textOf(file) ?? ''}${text}`),
      close: async () => {},
    };
  }

  async rename(from: string, to: string): Promise<void> {
    await this.writeText(to, await this.readText(from));
    this.written.delete(from);
  }

  /** Edits a text. @default - there is no terminal */
  editor: ((text: string) => string) | undefined;

  async edit(text: string): Promise<string | undefined> {
    return this.editor?.(text);
  }

  async ask(question: string): Promise<string | undefined> {
    return this.answer?.(question);
  }

  /** Interrupts the command. */
  interrupt: () => void = () => {};

  interrupted(): Promise<void> {
    return new Promise(resolve => {
      this.interrupt = resolve;
    });
  }

  /** Called with everything that is written to standard error. @default - not called */
  watch: ((text: string) => void) | undefined;

  /** Whether standard output is a terminal. */
  isTerminal = false;

  private output(name: 'stdout' | 'stderr'): Output {
    const isWatched = () => name === 'stderr' && this.watch !== undefined;
    const isTerminal = () => name === 'stdout' && this.isTerminal;
    return {
      write: text => {
        this.said[name] += text;
        if (isWatched()) this.watch?.(text);
      },
      get isTTY() {
        return isWatched() || isTerminal();
      },
      hasColor: false,
    };
  }
}
