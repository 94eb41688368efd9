import { Command } from 'commander';
import { run } from '../../../bin/command-line';
import { policyCommand } from '../../../bin/policy/command';
import { MemoryIo } from './memory-io';

/** Runs `dlo` in this process, in a world of its own, with `args` split at spaces. */
export async function dlo(args: string, files: Record<string, string> = {}) {
  const io = new MemoryIo(files);
  const program = new Command('dlo').addCommand(policyCommand(io));
  const exitCode = await run(program, args.split(' ').filter(Boolean), io);
  return { exitCode, out: io.out, err: io.err, written: io.written };
}
