import { type Command, CommanderError, InvalidArgumentError } from 'commander';
import { BadInput, EXIT, messageOf } from '../account/errors';
import type { Io } from './io';

/** Which AWS a command talks to, as its user says it. What is left out is looked up where the SDK looks. */
export interface ConnectionOptions {
  readonly profile?: string;
  readonly region?: string;
  readonly endpointUrl?: string;
}

/** A Region's name, whatever partition it is of: it becomes a part of host names. */
const REGION = /^[a-z]{2,}(-[a-z0-9]+)+$/;

/** Gives a command the options every command has that talks to AWS. */
export function addConnectionOptions(command: Command): Command {
  return command
    .option(
      '--profile <name>',
      'a profile of ~/.aws/config (default: AWS_PROFILE, else the usual chain of credentials)',
    )
    .option('--region <region>', "the Region (default: AWS_REGION, else the profile's)", regionOf)
    .option('--endpoint-url <url>', 'where AWS is, for example dlo local (default: AWS_ENDPOINT_URL, else AWS)', urlOf);
}

function regionOf(text: string): string {
  if (REGION.test(text)) return text;
  throw new InvalidArgumentError('It must be a Region, for example eu-central-1.');
}

function urlOf(text: string): string {
  if (URL.canParse(text) && ['http:', 'https:'].includes(new URL(text).protocol)) return text;
  throw new InvalidArgumentError('It must be an http or https URL, for example http://127.0.0.1:4566.');
}

/** What the help of a command says of how it ends. */
export const EXIT_CODES = 'Exit codes: 0 done, 1 could not, 2 bad input.';

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
