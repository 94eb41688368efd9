import { isUnreachable } from '../../account/connection/calls';
import { type Connection, type ConnectionOptions, connected, REAL_CLOCK } from '../../account/connection/connection';
import type { RetryClock } from '../../account/connection/retries';
import { missingPermissions, type UnreadCalls } from '../../account/connection/unread-calls';
import type { CommandContext } from './command-line';
import type { Io } from './io';
import { warn } from './print';

/** What a command could not read, for its end. */
export type Unknowns = Pick<UnreadCalls, 'all' | 'texts'>;

/** Prints what is unknown, and the policy statement that would make it known. Prints nothing when everything was read. */
export function reportUnknowns(io: Io, { all, texts }: Unknowns): void {
  if (texts.length === 0) return;
  const lines = ['dlo: a part of the answer is unknown:', ...texts.map(text => `  ${text}`)];
  const Action = missingPermissions(all);
  if (Action.length > 0) {
    lines.push('dlo: this statement grants the missing permissions:');
    lines.push(`  ${JSON.stringify({ Effect: 'Allow', Action, Resource: '*' })}`);
  }
  io.stderr.write(`${lines.join('\n')}\n`);
}

export type AwsContext = Pick<CommandContext, 'io' | 'retryClock' | 'serverClock'>;

/** Runs a command with a connection to AWS, and reports at its end what it could not read, also after an error. */
export async function withAws<T>(
  options: ConnectionOptions,
  context: AwsContext,
  work: (aws: Connection) => Promise<T>,
): Promise<T> {
  const { io } = context;
  const reporting = async (aws: Connection) => {
    let isDown = false;
    try {
      return await work(aws);
    } catch (error) {
      // The error says it. That everything else is unknown too is no news.
      isDown = [error, ...aws.unread.all.map(it => it.error)].every(isUnreachableError);
      throw error;
    } finally {
      if (!isDown) reportUnknowns(io, aws.unread);
      reportSkew(context);
    }
  };
  return connected(options, reporting, await clockFor(options, context));
}

const isUnreachableError = (error: unknown) => error instanceof Error && isUnreachable(error);

/** The clock that the calls of a command go by. The clock of its context learns AWS's time from their answers. */
export async function clockFor(
  { endpointUrl }: Pick<ConnectionOptions, 'endpointUrl'>,
  { retryClock = REAL_CLOCK, serverClock }: AwsContext,
): Promise<RetryClock> {
  if (!serverClock) return retryClock;
  await serverClock.attach(endpointUrl ?? process.env['AWS_ENDPOINT_URL']);
  return { ...retryClock, answered: serverClock.answered };
}

/** Warns if the clock of this machine is wrong. */
export function reportSkew({ io, serverClock }: AwsContext): void {
  warn(io, [serverClock?.skewText ?? []].flat());
}
