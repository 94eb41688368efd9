import { BadInput } from '../../account/errors';
import { AssemblyError, type DeployCause, type DeployCheck, deployCheck, type ReceiverReport } from '../../local';
import { counted } from '../../policy/format-text';
import type { Io } from '../shared/io';
import { writeJson } from '../shared/print';
import { folded } from '../shared/terminal-text';

interface DeployCheckCommandOptions {
  readonly operationSeconds: number;
  readonly seed: string;
  readonly parameter: Readonly<Record<string, string>>;
  readonly json?: boolean;
}

export async function runDeployCheck(
  before: string,
  after: string,
  { operationSeconds, seed, parameter: parameters, json = false }: DeployCheckCommandOptions,
  io: Io,
): Promise<void> {
  const result = await checked(() =>
    deployCheck(before, after, { seed, parameters, operationTime: { seconds: operationSeconds } }),
  );
  if (json) writeJson(io, result);
  else io.stdout.write(folded(textOf(result), io.stdout));
  if (!result.isSafe) throw new Error('the deployment is not safe');
}

async function checked(act: () => Promise<DeployCheck>): Promise<DeployCheck> {
  try {
    return await act();
  } catch (error) {
    if (error instanceof AssemblyError) throw new BadInput(error.problems);
    throw error;
  }
}

function textOf(result: DeployCheck): string {
  const { failure, updateSeconds, sent, refused, unreceived, receivers, risks, notFollowed } = result;
  const end = failure === undefined ? `succeeds after ${updateSeconds} s` : `fails: ${failure}`;
  const lines = [`The update ${end}. ${counted(sent, 'message', 'messages')} sent.`];
  if (refused > 0) lines.push(`${counted(refused, 'message was', 'messages were')} refused: AWS did not take them.`);
  if (unreceived > 0) {
    lines.push(
      `${counted(unreceived, 'message was', 'messages were')} published to nobody: the topic had no subscription.`,
    );
  }
  lines.push(
    '',
    ...(receivers.length === 0 ? ['Every message arrived as without the update.'] : receivers.flatMap(linesOf)),
  );
  if (risks.length > 0) lines.push('', 'What the templates show:');
  for (const { severity, resource, why } of risks) lines.push(`  ${severity.padEnd(8)}${resource}: ${why}`);
  if (notFollowed.length > 0) lines.push('', 'What the check does not follow:', ...notFollowed.map(it => `  ${it}`));
  lines.push('', verdictOf(result), '');
  return lines.join('\n');
}

/** The templates can show a risk that the traffic of the simulation does not meet. */
function verdictOf({ isSafe, isStaticallySafe }: DeployCheck): string {
  if (!isSafe) return 'Not safe while messages flow.';
  if (isStaticallySafe) return 'No message is lost.';
  return 'The simulation loses no message. On AWS, what the templates show can still lose some.';
}

const EFFECTS: Readonly<Record<DeployCause['effect'], string>> = {
  lost: 'lost',
  leftBehind: 'left behind in a queue',
  doubled: 'doubled',
  delayed: 'delayed',
};

function linesOf({ receiver, fromSeconds, toSeconds, causes, ...counts }: ReceiverReport): readonly string[] {
  const said = Object.entries(EFFECTS).flatMap(([effect, what]) => {
    const count = counts[effect as DeployCause['effect']];
    return count > 0 ? [`${count} ${what}`] : [];
  });
  const sent = `sent from ${fromSeconds} s to ${toSeconds} s after the update began`;
  return [`${receiver}: ${said.join(', ')}, ${sent}`, ...causes.map(causeLine)];
}

const VERBS = { CREATE: 'creates', UPDATE: 'updates', DELETE: 'deletes' } as const;

function causeLine({ effect, messages, why, operation }: DeployCause): string {
  const what = `  ${messages} ${EFFECTS[effect]}: ${why}`;
  if (!operation) return what;
  const { verb, resource, fromSeconds, toSeconds } = operation;
  return `${what}; CloudFormation ${VERBS[verb]} ${resource} from ${fromSeconds} s to ${toSeconds} s`;
}
