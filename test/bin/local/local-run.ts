import { Command } from 'commander';
import { localCommand } from '../../../bin/local/local-command';
import { run } from '../../../bin/shared/command-line';
import { eventually } from '../../local/wire/server/served-aws';
import { MemoryIo } from '../shared/memory-io';

/** `dlo local`, run in this process. */
export class LocalRun {
  readonly io = new MemoryIo();
  readonly exitCode: Promise<number>;
  private ended = false;

  constructor(args: readonly string[], folder?: string) {
    const program = new Command('dlo').addCommand(localCommand(this.io, folder));
    this.exitCode = run(program, ['local', ...args], this.io).finally(() => {
      this.ended = true;
    });
  }

  /** Where it listens, once it does. */
  async url(): Promise<string> {
    await this.said(/http:\/\/127\.0\.0\.1:\d+/);
    return /http:\/\/127\.0\.0\.1:\d+/.exec(this.io.out)?.[0] ?? '';
  }

  /** Resolves when the command has printed this, or has ended. */
  async said(what: RegExp): Promise<void> {
    await eventually(() => this.ended || what.test(this.io.out));
    expect(this.io.out).toMatch(what);
  }

  /** Interrupts the command, and returns how it ended. */
  async end(): Promise<{ exitCode: number; out: string; err: string }> {
    this.io.interrupt();
    return { exitCode: await this.exitCode, out: this.io.out, err: this.io.err };
  }
}
