import { BadInput } from '../../account/errors';
import {
  AssemblyError,
  type DeliveryChange,
  type DeployCause,
  type DeployCheck,
  type DeployRisk,
  deployCheck,
  type ReceiverReport,
} from '../../local';
import { counted } from '../../policy/format-text';
import { UnknownVerdict } from '../shared/command-line';
import type { Io } from '../shared/io';
import { writeJson } from '../shared/print';
import { folded } from '../shared/terminal-text';

interface DeployCheckCommandOptions {
  readonly operationSeconds: number;
  readonly seed: string;
  readonly parameter: Readonly<Record<string, string>>;
  readonly accept: readonly string[];
  readonly allowUnknown: readonly string[];
  readonly json?: boolean;
}

/** @throws UnknownVerdict, and an error for the verdict `unsafe` */
export async function runDeployCheck(
  before: string,
  after: string,
  options: DeployCheckCommandOptions,
  io: Io,
): Promise<void> {
  const { operationSeconds, seed, parameter: parameters, accept, allowUnknown, json = false } = options;
  const operationTime = { seconds: operationSeconds };
  const result = await checked(() =>
    deployCheck(before, after, { seed, parameters, operationTime, accept, allowUnknown }),
  );
  if (json) writeJson(io, result);
  else io.stdout.write(folded(textOf(result, allowUnknown), io.stdout));
  if (result.verdict === 'unsafe') throw new Error('the deployment is not safe');
  if (result.verdict === 'unknown') throw new UnknownVerdict('it is unknown whether the deployment is safe');
}

async function checked(act: () => Promise<DeployCheck>): Promise<DeployCheck> {
  try {
    return await act();
  } catch (error) {
    if (error instanceof AssemblyError) throw new BadInput(error.problems);
    throw error;
  }
}

function textOf(result: DeployCheck, allowed: readonly string[]): string {
  const { failure, updateSeconds, sent, refused, unreceived, receivers, risks, notFollowed, replacedFunctions } =
    result;
  const isPlayed = notFollowed.every(({ name }) => name !== 'update');
  const success = isPlayed ? `succeeds after ${updateSeconds} s` : 'cannot be played to its end';
  const end = failure === undefined ? success : `fails: ${failure}`;
  const lines = [`The update ${end}. ${counted(sent, 'message', 'messages')} sent.`];
  if (refused > 0) lines.push(`${counted(refused, 'message was', 'messages were')} refused: AWS did not take them.`);
  if (unreceived > 0) {
    lines.push(
      `${counted(unreceived, 'message was', 'messages were')} published to nobody: no subscription or rule took them.`,
    );
  }
  lines.push(
    '',
    ...(receivers.length === 0 ? ['Every message arrived as from the old version.'] : receivers.flatMap(linesOf)),
  );
  if (replacedFunctions.length > 0) {
    lines.push(
      '',
      `A handler of two seconds took the place of this code, which was not tried: ${replacedFunctions.join(', ')}`,
    );
  }
  const isGap = (risk: DeployRisk) => notFollowed.some(({ name, why }) => name === risk.resource && why === risk.why);
  const shown = risks.filter(risk => !isGap(risk));
  if (shown.length > 0) lines.push('', 'What the templates show:');
  for (const { severity, resource, why } of shown) lines.push(`  ${severity.padEnd(8)}${resource}: ${why}`);
  const gaps = [...notFollowed].sort((a, b) => Number(b.isOnTheWay) - Number(a.isOnTheWay));
  if (gaps.length > 0) lines.push('', 'What the check does not follow:');
  for (const { name, why, isOnTheWay } of gaps) {
    lines.push(`  ${isOnTheWay && !allowed.includes(name) ? 'unknown' : 'note'.padEnd(7)} ${name}: ${why}`);
  }
  lines.push('', verdictText(result), '');
  return lines.join('\n');
}

/** The templates can show a risk that the traffic of the simulation does not meet. */
function verdictText({ verdict, risks }: DeployCheck): string {
  if (verdict === 'unsafe') return 'Not safe.';
  if (verdict === 'unknown') {
    return 'Unknown: no message was lost, but the check cannot follow everything that may change that. --allow-unknown NAME accepts a gap.';
  }
  if (risks.every(({ severity }) => severity === 'note')) return 'Safe: every receiver gets what it gets today.';
  return 'Safe for the messages of the check. What the templates show can still stop those of other senders.';
}

const VERBS: Readonly<Record<DeliveryChange['kind'], string>> = {
  'stops-arriving': 'stop arriving: the new version does not deliver them',
  'runs-less-often': 'of a schedule are not sent any more',
  'loses-its-dead-letter-queue': 'what it does not take is lost. The old version keeps it in a dead-letter queue',
  lost: 'are lost',
  'dead-lettered': 'are dead-lettered during the update or after it',
  'left-behind': 'are left behind in a queue from which nothing receives',
  late: 'come more than a minute later',
  duplicated: 'come more than once',
};

/** What to do about a change that makes the deployment unsafe, if it is not a mistake of the new version. */
const ADVICE: Readonly<Partial<Record<DeliveryChange['kind'], string>>> = {
  'stops-arriving': 'If the new version is meant to do this',
  'runs-less-often': 'If the schedule is meant to run less often',
  'loses-its-dead-letter-queue': 'If what fails may be lost',
  lost: 'If these may be lost',
  'dead-lettered': 'If you redrive them after the deployment',
  'left-behind': 'If you move them by hand after the deployment',
};

const linesOf = ({ receiver, delivered, changes }: ReceiverReport): readonly string[] =>
  changes.flatMap(({ kind, messages, isAccepted, fromSeconds, toSeconds, causes }) => {
    const isOfTraffic = kind !== 'runs-less-often' && kind !== 'loses-its-dead-letter-queue';
    const all = counted(messages, 'message', 'messages');
    const counts = delivered === 0 || !isOfTraffic ? all : `${messages} of ${delivered} messages`;
    const count = kind === 'loses-its-dead-letter-queue' ? '' : `${counts} `;
    const advice = ADVICE[kind];
    const accepted = isAccepted
      ? ['  Accepted.']
      : advice === undefined
        ? []
        : [`  ${advice}: --accept ${receiver}:${kind}`];
    return [
      `${receiver}: ${count}${VERBS[kind]}.${isOfTraffic ? ` Sent from ${fromSeconds} s to ${toSeconds} s after the update began` : ''}`,
      ...causes.map(causeLine),
      ...accepted,
    ];
  });

const OPERATIONS = { CREATE: 'creates', UPDATE: 'updates', DELETE: 'deletes' } as const;

function causeLine({ becomes, messages, why, operation }: DeployCause): string {
  const end = becomes === 'published-to-nobody' ? ' published to nobody' : becomes === undefined ? '' : ` ${becomes}`;
  const what = `  ${messages}${end}: ${why}`;
  if (!operation) return what;
  const { verb, resource, fromSeconds, toSeconds } = operation;
  return `${what}; CloudFormation ${OPERATIONS[verb]} ${resource} from ${fromSeconds} s to ${toSeconds} s`;
}
