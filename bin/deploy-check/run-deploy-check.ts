import { BadInput } from '../../account/errors';
import { AssemblyError, type DeployCheck, deployCheck, type ReceiverReport } from '../../local';
import { counted } from '../../policy/format-text';
import type { Io } from '../shared/io';
import { writeJson } from '../shared/print';
import { folded } from '../shared/terminal-text';

interface DeployCheckCommandOptions {
  readonly operationSeconds: number;
  readonly seed: string;
  readonly json?: boolean;
}

/**
 * @throws BadInput when an assembly cannot be deployed
 * @throws Error when the deployment loses messages, or fails
 */
export async function runDeployCheck(
  before: string,
  after: string,
  { operationSeconds, seed, json = false }: DeployCheckCommandOptions,
  io: Io,
): Promise<void> {
  const result = await checked(() =>
    deployCheck(before, after, { seed, operationTime: { seconds: operationSeconds } }),
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

function textOf({ failure, updateSeconds, sent, refused, receivers, risks, isSafe }: DeployCheck): string {
  const end = failure === undefined ? `succeeds after ${updateSeconds} s` : `fails: ${failure}`;
  const lines = [`The update ${end}. ${counted(sent, 'message', 'messages')} sent.`];
  if (refused > 0) lines.push(`${counted(refused, 'message was', 'messages were')} refused: AWS did not take them.`);
  lines.push(
    '',
    ...(receivers.length === 0 ? ['Every message arrived as without the update.'] : receivers.map(lineOf)),
  );
  if (risks.length > 0) lines.push('', 'What the templates show:');
  for (const { severity, resource, why } of risks) lines.push(`  ${severity.padEnd(8)}${resource}: ${why}`);
  lines.push('', isSafe ? 'No message is lost.' : 'Not safe while messages flow.', '');
  return lines.join('\n');
}

function lineOf({ receiver, lost, leftBehind, doubled, delayed, fromSeconds, toSeconds }: ReceiverReport): string {
  const counts = { lost, 'left behind in a queue': leftBehind, doubled, delayed };
  const said = Object.entries(counts).flatMap(([what, count]) => (count > 0 ? [`${count} ${what}`] : []));
  return `${receiver}: ${said.join(', ')}, sent from ${fromSeconds} s to ${toSeconds} s after the update began`;
}
