import { type Command, CommanderError } from 'commander';
import { BadInput, EXIT, messageOf } from './errors';
import type { Io } from './io';

/** Makes `command` and all below it speak through `io` and throw where they would end the process. */
function harness(command: Command, io: Io, name = command.name()): void {
  command.exitOverride().configureOutput({
    writeOut: text => io.stdout.write(text),
    writeErr: text => io.stderr.write(text),
    outputError: (text, write) => write(text.replace(/^error:/, `${name}:`)),
  });
  for (const child of command.commands) harness(child, io, name);
}

/**
 * Runs a command with the user's arguments.
 * @returns the exit code; whatever went wrong has been said on stderr, without a stack trace
 */
export async function run(program: Command, args: readonly string[], io: Io): Promise<number> {
  harness(program, io);
  try {
    await program.parseAsync(args, { from: 'user' });
    return EXIT.done;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.done : EXIT.badInput;
    const badInput = error instanceof BadInput;
    for (const message of badInput ? error.messages : [messageOf(error)]) {
      io.stderr.write(`${program.name()}: ${message}\n`);
    }
    return badInput ? EXIT.badInput : EXIT.couldNot;
  }
}
