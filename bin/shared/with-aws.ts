import { type Connection, type ConnectionOptions, connected, REAL_CLOCK } from '../../account/connection/connection';
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

/** What a command needs to talk to AWS. */
export type AwsContext = Pick<CommandContext, 'io' | 'retryClock' | 'serverClock'>;

/** Runs a command with a connection to AWS, and reports at its end what it could not read, also after an error. */
export async function withAws<T>(
  options: ConnectionOptions,
  { io, retryClock = REAL_CLOCK, serverClock }: AwsContext,
  work: (aws: Connection) => Promise<T>,
): Promise<T> {
  const reporting = async (aws: Connection) => {
    try {
      return await work(aws);
    } finally {
      reportUnknowns(io, aws.unread);
      warn(io, [serverClock?.skewText ?? []].flat());
    }
  };
  await serverClock?.attach(options.endpointUrl ?? process.env['AWS_ENDPOINT_URL']);
  return connected(options, reporting, { ...retryClock, ...(serverClock && { answered: serverClock.answered }) });
}
