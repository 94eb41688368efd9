import path from 'node:path';
import { type IPty, spawn } from '@lydell/node-pty';
import { Terminal as Screen } from '@xterm/headless';

/** The command as a user has it: built before the tests run. */
export const DLO = path.join(__dirname, '../../dist/bin/dlo.js');

/** A terminal and somebody in front of it: a real pseudo-terminal, whose output a real emulator draws. */
export class Terminal {
  private readonly screen: Screen;
  private readonly process: IPty;
  private readonly ended: Promise<number>;
  private drawn: Promise<void> = Promise.resolve();
  private written = '';
  private readonly awaited = new Set<() => void>();

  constructor(args: readonly string[], environment: NodeJS.ProcessEnv = {}, { cols = 100, rows = 60 } = {}) {
    this.screen = new Screen({ cols, rows, allowProposedApi: true, scrollback: 10_000 });
    this.process = spawn(process.execPath, [DLO, ...args], { cols, rows, env: { ...process.env, ...environment } });
    this.process.onData(data => {
      this.written += data;
      this.drawn = new Promise(resolve => this.screen.write(data, resolve));
      void this.drawn.then(() => this.look());
    });
    // As a shell tells of who was ended by a signal.
    this.ended = new Promise(resolve =>
      this.process.onExit(({ exitCode, signal = 0 }) => resolve(signal === 0 ? exitCode : 128 + signal)),
    );
  }

  /** What stands on it, line by line, as a person sees it. */
  get text(): string {
    return this.lines.join('\n').trimEnd();
  }

  /** Lines that were too long for it, whole. */
  get overlong(): readonly string[] {
    const { active } = this.screen.buffer;
    const found: string[] = [];
    for (const [row, line] of this.lines.entries()) {
      if (!active.getLine(row)?.isWrapped) continue;
      const isFirst = !active.getLine(row - 1)?.isWrapped;
      found.push(`${isFirst ? this.lines[row - 1] : found.pop()}${line}`);
    }
    return found;
  }

  /** How a text on it is painted, by its first letter. */
  paintOf(text: string): { readonly bold: boolean; readonly colour: number | undefined } {
    const row = this.lines.findIndex(line => line.includes(text));
    const cell = this.screen.buffer.active.getLine(row)?.getCell(this.lines[row]?.indexOf(text) ?? 0);
    if (!cell) throw new Error(`${text} does not stand on it:\n${this.text}`);
    return { bold: cell.isBold() !== 0, colour: cell.isFgDefault() ? undefined : cell.getFgColor() };
  }

  /** Whether whoever types next begins a line of their own, as they always could. */
  get isTidy(): boolean {
    return this.screen.buffer.active.cursorX === 0 && !this.written.includes('\u{1b}[?');
  }

  private get lines(): readonly string[] {
    const { active } = this.screen.buffer;
    return Array.from({ length: active.length }, (_, row) => active.getLine(row)?.translateToString(true) ?? '');
  }

  /** Types, as a person does: `\r` is the return key, `\x03` is Ctrl-C. */
  type(keys: string): void {
    this.process.write(keys);
  }

  /** Resolves once this stands on it, even for a moment; rejects where the command ends before. */
  async shows(wanted: string | RegExp): Promise<void> {
    const isShown = () => (typeof wanted === 'string' ? this.text.includes(wanted) : wanted.test(this.text));
    const shown = new Promise<void>(resolve => {
      const look = () => {
        if (!isShown()) return;
        this.awaited.delete(look);
        resolve();
      };
      this.awaited.add(look);
      look();
    });
    const early = this.ends().then(() => {
      if (!isShown()) throw new Error(`it ended without showing ${wanted}:\n${this.text}`);
    });
    await Promise.race([shown, early]);
  }

  /** Resolves with the exit code when the command is over, and all of it is drawn. */
  async ends(): Promise<number> {
    const exitCode = await this.ended;
    await this.drawn;
    return exitCode;
  }

  private look(): void {
    for (const look of this.awaited) look();
  }
}
