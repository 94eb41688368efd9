import path from 'node:path';
import { type IPty, spawn } from '@lydell/node-pty';
import { Terminal as Screen } from '@xterm/headless';

/** The command as a user installs it. It is built before the tests run. */
export const DLO = path.join(__dirname, '../../dist/bin/dlo.js');

/** A control sequence that no emulator knows: it draws nothing. */
const EXIT_CODE_SEQUENCE = 7_700;

/**
 * Runs a command and writes its exit code into the terminal, after all its output. The shell then keeps the terminal
 * open until it is killed: node-pty drops what it has not read 200 ms after its process ended. Ctrl-C interrupts the
 * command, and not the shell.
 *
 * The terminal does not draw `^C` when Ctrl-C is typed: Linux first sends the signal and then draws it, so that on a busy
 * machine it comes after the last output of the command.
 */
const WITH_EXIT_CODE = `stty -echoctl; trap : INT; "$@"; code=$?; trap '' INT; printf '\\033]${EXIT_CODE_SEQUENCE};%s\\007' $code; exec sleep 86400`;

/** A terminal and its user: a real pseudo-terminal, whose output a real emulator draws. */
export class Terminal {
  private readonly screen: Screen;
  private readonly process: IPty;
  private readonly ended: Promise<number>;
  private drawn: Promise<void> = Promise.resolve();
  private written = '';
  private readonly awaited = new Set<() => void>();

  constructor(args: readonly string[], environment: NodeJS.ProcessEnv = {}, { cols = 100, rows = 60 } = {}) {
    this.screen = new Screen({ cols, rows, allowProposedApi: true, scrollback: 10_000 });
    const command = ['-c', WITH_EXIT_CODE, 'sh', process.execPath, DLO, ...args];
    this.process = spawn('sh', command, { cols, rows, env: { ...process.env, ...environment } });
    this.process.onData(data => {
      this.written += data;
      this.drawn = new Promise(resolve => this.screen.write(data, resolve));
      void this.drawn.then(() => this.look());
    });
    this.ended = new Promise((resolve, reject) => {
      this.screen.parser.registerOscHandler(EXIT_CODE_SEQUENCE, exitCode => {
        resolve(Number(exitCode));
        this.process.kill();
        return true;
      });
      this.process.onExit(() => reject(new Error(`the terminal was closed before the command ended:\n${this.text}`)));
    });
  }

  /** The text on the screen, line by line, as a person sees it. */
  get text(): string {
    return this.lines.join('\n').trimEnd();
  }

  /** Wrapped lines, joined again. */
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

  /** The colors of a text on the screen, by its first character. */
  paintOf(text: string): { readonly bold: boolean; readonly colour: number | undefined } {
    const row = this.lines.findIndex(line => line.includes(text));
    const cell = this.screen.buffer.active.getLine(row)?.getCell(this.lines[row]?.indexOf(text) ?? 0);
    if (!cell) throw new Error(`${text} is not on the screen:\n${this.text}`);
    return { bold: cell.isBold() !== 0, colour: cell.isFgDefault() ? undefined : cell.getFgColor() };
  }

  /** What is left of the cursor, and sequences that change the terminal's modes. It is empty if the command ended as it should. */
  get untidy(): string {
    const { active } = this.screen.buffer;
    const lastLine = this.lines[active.baseY + active.cursorY]?.slice(0, active.cursorX).padEnd(active.cursorX) ?? '';
    const modes = this.written.split('\u{1b}').filter(it => it.startsWith('[?'));
    return lastLine + modes.join('');
  }

  private get lines(): readonly string[] {
    const { active } = this.screen.buffer;
    return Array.from({ length: active.length }, (_, row) => active.getLine(row)?.translateToString(true) ?? '');
  }

  /** Types text: `\r` is the return key, `\x03` is Ctrl-C. */
  type(keys: string): void {
    this.process.write(keys);
  }

  /** Resolves when this text is on the screen, even for a moment. Rejects if the command ends before. */
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
      if (!isShown()) throw new Error(`the command ended without showing ${wanted}:\n${this.text}`);
    });
    await Promise.race([shown, early]);
  }

  /** Resolves with the exit code when the command has ended and all its output is drawn. */
  async ends(): Promise<number> {
    const exitCode = await this.ended;
    await this.drawn;
    return exitCode;
  }

  private look(): void {
    for (const look of this.awaited) look();
  }
}
