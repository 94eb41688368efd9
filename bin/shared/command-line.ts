import { type Command, CommanderError, InvalidArgumentError, Option } from 'commander';
import type { ConnectionOptions } from '../../account/connection/connection';
import type { RetryClock } from '../../account/connection/retries';
import type { ServerClock } from '../../account/connection/server-clock';
import { BadInput, messageOf } from '../../account/errors';
import type { Wait } from '../../mover/aws/clock';
import { isHostName } from '../../policy/host-header';
import { meantUrl, webUrlOf } from '../../policy/web-url';
import { EXIT, type Interrupt, type Io } from './io';
import { COLOR_CHOICES } from './terminal-settings';

/** A Region name of any partition. It becomes part of host names. */
const REGION = /^[a-z]{2,}(-[a-z0-9]+)+$/;

export function addConnectionOptions(command: Command): Command {
  return command
    .option('--profile <name>', 'a profile of ~/.aws/config (default: AWS_PROFILE, else the default credential chain)')
    .option('--region <region>', "the Region (default: AWS_REGION, else the profile's)", regionOf)
    .option('--role-arn <arn>', 'a role to assume with these credentials, for example of another account', roleOf)
    .option(
      '--endpoint-url <url>',
      'the endpoint to call, for example of dlo local (default: AWS_ENDPOINT_URL, else AWS)',
      urlOf,
    );
}

/** The option of every command that says whether its output is highlighted. */
export function colorOption(): Option {
  return new Option('--color <when>', 'highlight: auto (in a terminal, unless NO_COLOR is set), always or never')
    .choices(COLOR_CHOICES)
    .default('auto');
}

const ROLE = /^arn:[\w-]+:iam::\d{12}:role\/.+$/;

export function roleOf(text: string): string {
  if (ROLE.test(text)) return text;
  throw new InvalidArgumentError('It must be the ARN of a role, for example arn:aws:iam::123456789012:role/Operator.');
}

export function regionOf(text: string): string {
  if (REGION.test(text)) return text;
  throw new InvalidArgumentError('It must be a Region, for example eu-central-1.');
}

function urlOf(text: string): string {
  if (webUrlOf(text)) return text;
  throw new InvalidArgumentError(
    `It must be an http or https URL, for example ${meantUrl(text) ?? 'http://127.0.0.1:4566'}.`,
  );
}

export function portOf(text: string): number {
  const port = Number(text);
  if (/^\d+$/.test(text) && port <= 65_535) return port;
  throw new InvalidArgumentError('It must be a whole number from 0 to 65535.');
}

/** Reads a whole number from 1 on. */
export const countUpTo =
  (max: number) =>
  (text: string): number => {
    if (/^[1-9]\d{0,5}$/.test(text) && Number(text) <= max) return Number(text);
    throw new InvalidArgumentError(`It must be a whole number from 1 to ${max}.`);
  };

export const countOf = countUpTo(999_999);

/** The option of each command that opens a port. */
export function allowHostOption(): Option {
  return new Option(
    '--allow-host <name>',
    'a host name under which the port answers, such as that of a container (repeatable; default: addresses, localhost, endpoints)',
  )
    .argParser((name: string, others: readonly string[]): readonly string[] => {
      if (isHostName(name)) return [...others, name];
      throw new InvalidArgumentError('It must be a host name such as aws, without scheme, port and wildcards.');
    })
    .default([], '');
}

type Texts = Readonly<Record<string, string>>;

/** Reads an option that is repeatable and takes a name and a value, such as `Name=Value`. */
export const pairOf =
  (form: string) =>
  (text: string, others: Texts): Texts => {
    const equals = text.indexOf('=');
    if (equals > 0) return { ...others, [text.slice(0, equals)]: text.slice(equals + 1) };
    throw new InvalidArgumentError(`It must be ${form}.`);
  };

/** The last line of every help. */
export const EXIT_CODES = 'Exit codes: 0 success, also where a part of the answer is unknown; 1 failure; 2 bad input.';

/** The last line of the help of a command with a verdict. */
export const VERDICT_EXIT_CODES = 'Exit codes: 0 yes; 1 no, or failure; 2 bad input; 3 unknown.';

/** The verdict of a command that is neither yes nor no. It has been printed. */
export class UnknownVerdict extends Error {}

/** Reads an option that is repeatable. */
export const listOf = (text: string, others: readonly string[]): readonly string[] => [...others, text];

/** Makes a command and its subcommands write to `io`, and throw instead of ending the process. */
function harness(command: Command, io: Io, name = command.name()): void {
  // `--color` of `dlo` is in the help of each command.
  command
    .exitOverride()
    .configureHelp({ showGlobalOptions: true })
    .configureOutput({
      writeOut: text => io.stdout.write(text),
      writeErr: text => io.stderr.write(text),
      outputError: (text, write) => write(text.replace(/^error:/, `${name}:`)),
    });
  for (const child of command.commands) harness(child, io, name);
}

/**
 * Runs a command with the user's arguments.
 * @returns the exit code. Errors have been printed to stderr, without a stack trace.
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
    if (error instanceof UnknownVerdict) return EXIT.unknown;
    return badInput ? EXIT.badInput : EXIT.couldNot;
  }
}

export interface CommandOptions extends ConnectionOptions {
  readonly json?: boolean;
}

/** What a command needs from outside. A test brings its own. */
export interface CommandContext {
  readonly io: Io;
  readonly nowMs: () => number;
  readonly wait: Wait;
  /**
   * How long a receive waits while the queue has no visible message, in seconds. More than 0 makes SQS ask all its servers. A
   * test in which time stands still needs 0.
   * @default 1
   */
  readonly pollSeconds?: number;
  /** When a command that changes something must end early. @default - on Ctrl-C */
  readonly interrupt?: Interrupt;
  /** The clock of AWS, which `nowMs` and `wait` go by. @default - they are a test's own */
  readonly serverClock?: ServerClock;
  /** The time that retries of calls go by. @default - the machine's */
  readonly retryClock?: RetryClock;
}

/** What the user can do about an unavailable port, by Node's error code. */
const ADVICE: Readonly<Record<string, string>> = {
  EADDRINUSE: 'is in use: choose another --port, or 0 for any free port',
  EACCES: 'is not allowed: choose another --port',
  EADDRNOTAVAIL: 'is not an address of this machine: choose another --bind',
  ENOTFOUND: 'has an unknown host name: choose another --bind',
};

/** The error to show for a port that cannot be opened; undefined for any other error. */
export function unavailablePort(error: unknown, port: number, host: string): Error | undefined {
  const advice = ADVICE[typeof error === 'object' && error !== null && 'code' in error ? String(error.code) : ''];
  return advice === undefined ? undefined : new Error(`port ${port} of ${host} ${advice}`, { cause: error });
}
