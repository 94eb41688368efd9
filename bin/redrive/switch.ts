import { ParameterNotFound, PutParameterCommand, SSMClient } from '@aws-sdk/client-ssm';
import type { Connection } from '../../account/connection/connection';
import { dloCommand, type Site } from '../../account/connection/printed-commands';
import { readKillSwitch } from '../../lambda/redrive/kill-switch';
import type { RedriveFacts } from '../../policy/redrive/redrive-facts';
import { wrap } from '../wording';
import { hasSettings, type KnownRedrive, type Redrive } from './redrive';
import { destinationText } from './wording';

const WIDTH = 100;

export type Switch = 'stop' | 'start';

const SAYS = { stop: 'off', start: 'on' } as const;

/** What a switch comes to. */
export interface SwitchPlan {
  readonly action: Switch;
  readonly redrive: KnownRedrive;
  readonly from: RedriveFacts['killSwitch'];
  readonly to: 'on' | 'off';
  /** The redrives that have the same switch, beside this one. */
  readonly others: readonly string[];
  /** What is to be known before. */
  readonly notes: readonly string[];
}

function notesOf({ settings }: KnownRedrive, action: Switch): string[] {
  if (action === 'stop') {
    return [
      'Nothing begins then, and what it is moving is cancelled at its next look, within a minute or two.',
      'What it has moved stays where it is; the letters it has not wait in the dead-letter queue.',
    ];
  }
  const disabled = settings.enabled ? [] : ['It is not enabled in its app: it does nothing even so.'];
  return ['It goes on by its triggers, and through all its gates; nothing begins by this alone.', ...disabled];
}

/** @throws Error where there is no parameter to switch */
async function stateOf(aws: Connection, { name, settings }: KnownRedrive) {
  try {
    return await readKillSwitch(aws.client(SSMClient), settings);
  } catch (error) {
    if (!(error instanceof ParameterNotFound)) throw error;
    const text = `${settings.switchParameter}, the switch of ${name}, is not there: npx cdk deploy --revert-drift makes it anew`;
    throw new Error(text, { cause: error });
  }
}

/**
 * What stopping or starting a redrive comes to. It takes the permission `ssm:GetParameter`.
 * @throws Error where there is no parameter to switch
 */
export async function switchPlan(
  aws: Connection,
  redrive: KnownRedrive,
  all: readonly Redrive[],
  action: Switch,
): Promise<SwitchPlan> {
  const { switchParameter } = redrive.settings;
  const sharing = all.filter(other => hasSettings(other) && other.settings.switchParameter === switchParameter);
  const others = sharing.map(({ name }) => name).filter(name => name !== redrive.name);
  const from = await stateOf(aws, redrive);
  return { action, redrive, from, to: SAYS[action], others, notes: notesOf(redrive, action) };
}

/** Whether there is anything to do. */
export function isChange({ from, to }: SwitchPlan): boolean {
  return from !== to;
}

/** Sets the switch as planned. It takes the permission `ssm:PutParameter`. */
export async function carryOut(aws: Connection, plan: SwitchPlan): Promise<void> {
  if (!isChange(plan)) return;
  const { redrive, to: Value } = plan;
  const Name = redrive.settings.switchParameter;
  await aws.client(SSMClient).send(new PutParameterCommand({ Name, Type: 'String', Value, Overwrite: true }));
}

/** What is planned, or has been done. */
export function switchText(plan: SwitchPlan, isDone: boolean, site: Site): string {
  const { action, redrive, from, to, others, notes } = plan;
  const { name, settings } = redrive;
  if (!isChange(plan)) return `Nothing to do: the switch of ${name} is ${to} already.\n`;
  const shared = others.length === 0 ? [] : [`The same switch stops and starts ${others.join(', ')}.`];
  const command = dloCommand(['redrive', action, name, '--execute'], site);
  const end = isDone ? 'Done.' : `Nothing has been changed: ${command} does it.`;
  const lines = [
    `${action === 'stop' ? 'Stop' : 'Start'} ${name}, which sends letters to ${destinationText(settings)}.`,
    `  Switch now  ${from}`,
    `  Parameter   ${settings.switchParameter} becomes ${to}`,
    ...[...notes, ...shared].flatMap(note => wrap(`* ${note}`, WIDTH)),
    end,
  ];
  return `${lines.join('\n')}\n`;
}

/** The same as `--json` prints it. */
export function switchDocument(plan: SwitchPlan, isDone: boolean) {
  const { action, redrive, from, to, others } = plan;
  const { name, settings } = redrive;
  const executed = isDone && isChange(plan);
  return { redrive: name, action, from, to, parameter: settings.switchParameter, others, executed };
}
