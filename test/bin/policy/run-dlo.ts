import { Command } from 'commander';
import { policyCommand } from '../../../bin/policy/policy-command';
import { run } from '../../../bin/shared/command-line';
import { MemoryIo } from '../shared/memory-io';

/** Runs `dlo` in this process with these files. `args` is split at spaces. */
export async function dlo(args: string, files: Record<string, string> = {}) {
  const io = new MemoryIo(files);
  const program = new Command('dlo').addCommand(policyCommand(io));
  const exitCode = await run(program, args.split(' ').filter(Boolean), io);
  return { exitCode, out: io.out, err: io.err, written: io.written };
}
