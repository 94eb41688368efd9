import path from 'node:path';
import { type IPty, spawn } from '@lydell/node-pty';
import { Terminal as Screen } from '@xterm/headless';

/** The command as a user has it: built before the tests run. */
const DLO = path.join(__dirname, '../../dist/bin/dlo.js');

/** A terminal and somebody in front of it: a real pseudo-terminal, whose output a real emulator draws. */
export class Terminal {
  private readonly screen: Screen;
  private readonly process: IPty;
  private readonly ended: Promise<number>;
  private drawn: Promise<void> = Promise.resolve();
  private readonly awaited = new Set<() => void>();

  constructor(args: readonly string[], environment: NodeJS.ProcessEnv = {}, { cols = 100, rows = 60 } = {}) {
    this.screen = new Screen({ cols, rows, allowProposedApi: true, scrollback: 10_000 });
    this.process = spawn(process.execPath, [DLO, ...args], { cols, rows, env: { ...process.env, ...environment } });
    this.process.onData(data => {
      this.drawn = new Promise(resolve => this.screen.write(data, resolve));
      void this.drawn.then(() => this.look());
    });
    this.ended = new Promise(resolve => this.process.onExit(({ exitCode }) => resolve(exitCode)));
  }

  /** What stands on it, line by line, as a person sees it. */
  get text(): string {
    const { active } = this.screen.buffer;
    const lines = Array.from({ length: active.length }, (_, row) => active.getLine(row)?.translateToString(true) ?? '');
    return lines.join('\n').trimEnd();
  }

  /** Types, as a person does: `\r` is the return key, `\x03` is Ctrl-C. */
  type(keys: string): void {
    this.process.write(keys);
  }

  /** Resolves once this stands on it; rejects where the command ends before. */
  async shows(text: string): Promise<void> {
    const shown = new Promise<void>(resolve => {
      const look = () => {
        if (!this.text.includes(text)) return;
        this.awaited.delete(look);
        resolve();
      };
      this.awaited.add(look);
      look();
    });
    const early = this.ends().then(() => {
      if (!this.text.includes(text)) throw new Error(`it ended without showing ${text}:\n${this.text}`);
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
