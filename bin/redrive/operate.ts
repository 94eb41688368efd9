import { InvokeCommand, LambdaClient } from '@aws-sdk/client-lambda';
import { ParameterNotFound, PutParameterCommand, SSMClient } from '@aws-sdk/client-ssm';
import type { Connection } from '../../account/connection/connection';
import { dloCommand, type Site } from '../../account/printed-commands';
import { hasSettings, type KnownRedrive, type Redrive } from '../../account/redrive/find-redrives';
import type { RedriveView } from '../../account/redrive/redrive-state';
import { readKillSwitch } from '../../mover/facts/resource-state';
import type { RedriveCause } from '../../policy/redrive/redrive-decision';
import type { RedriveFacts, RedriveTrigger } from '../../policy/redrive/redrive-facts';
import { wrap } from '../text';
import { decisionDocument } from './document';
import { decisionText, destinationText } from './text';

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

const ASK_WIDTH = 100;

/** What asking for a run comes to. */
export type RunProspect =
  /** A run begins. */
  | 'begins'
  /** One goes on already, or there is nothing to move. */
  | 'nothing-to-do'
  /** Something keeps it. */
  | 'kept';

const NOTHING: readonly RedriveCause[] = ['no-letters', 'nothing-to-do'];

/** What would come of asking for a run now. */
export function prospectOf({ redrive, ifAsked: { decision } }: RedriveView): RunProspect {
  switch (decision.kind) {
    case 'start':
      if (decision.step > 0) return 'nothing-to-do';
      return redrive.settings.enabled ? 'begins' : 'kept';
    case 'leave':
      return NOTHING.includes(decision.cause) ? 'nothing-to-do' : 'kept';
    // A run that was stopped, and whose outcome is not known yet.
    case 'stop':
      return 'kept';
    default:
      return 'nothing-to-do';
  }
}

/** What keeps a run from beginning. */
export function keptText({ redrive, ifAsked }: RedriveView): string {
  const { name, settings } = redrive;
  if (!settings.enabled) return `${name} is not enabled in its app: it would only write down what it would do`;
  const { decision } = ifAsked;
  const cause = 'cause' in decision ? `${decision.cause}: ` : '';
  return `${name} begins no run: ${cause}${decision.reason}`;
}

/**
 * Asks for a run: the function looks anew, and decides. It takes the permission `lambda:InvokeFunction`. It is not waited
 * for, as one that copies letters may take a quarter of an hour.
 */
export async function askForRun(aws: Connection, { redrive }: RedriveView): Promise<void> {
  const asked: { readonly trigger: RedriveTrigger } = { trigger: 'operator' };
  const Payload = JSON.stringify(asked);
  const command = new InvokeCommand({ FunctionName: redrive.name, InvocationType: 'Event', Payload });
  await aws.client(LambdaClient).send(command);
}

/** What is planned, or has been asked for. */
export function askText(seen: RedriveView, isDone: boolean, site: Site): string {
  const { name, settings } = seen.redrive;
  const prospect = prospectOf(seen);
  const would = `  It ${decisionText(seen.ifAsked.decision)}`;
  const ends: Readonly<Record<RunProspect, string>> = {
    begins: isDone
      ? `Done: its function looks anew, and decides. ${dloCommand(['redrive', 'show', name], site)} tells what comes of it.`
      : `Nothing has been done: ${dloCommand(['redrive', 'run', name, '--execute'], site)} does it.`,
    'nothing-to-do': 'Nothing to do.',
    kept: `Nothing would begin: ${keptText(seen)}.`,
  };
  const lines = [
    `Run ${name}, which sends letters to ${destinationText(settings)}.`,
    ...wrap(would, ASK_WIDTH),
    ends[prospect],
  ];
  return `${lines.join('\n')}\n`;
}

/** The same as `--json` prints it. */
export function askDocument(seen: RedriveView, isDone: boolean) {
  const prospect = prospectOf(seen);
  return {
    redrive: seen.redrive.name,
    prospect,
    decision: decisionDocument(seen.ifAsked.decision),
    executed: isDone && prospect === 'begins',
  };
}
