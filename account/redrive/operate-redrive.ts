import { InvokeCommand, LambdaClient } from '@aws-sdk/client-lambda';
import { ParameterNotFound, PutParameterCommand, SSMClient } from '@aws-sdk/client-ssm';
import { readKillSwitch } from '../../mover/aws/resource-state';
import type { RedriveCause } from '../../policy/redrive/redrive-decision';
import type { RedriveFacts, RedriveTrigger } from '../../policy/redrive/redrive-facts';
import type { Connection } from '../connection/connection';
import type { FoundRedrive, KnownRedrive } from './find-redrives';
import { hasSettings } from './find-redrives';
import type { RedriveView } from './redrive-state';

export type RedriveSwitch = 'stop' | 'start';

const SWITCH_VALUES = { stop: 'off', start: 'on' } as const;

/** What stopping or starting a redrive would change. */
export interface RedriveSwitchPlan {
  readonly action: RedriveSwitch;
  readonly redrive: KnownRedrive;
  readonly from: RedriveFacts['killSwitch'];
  readonly to: 'on' | 'off';
  /** The other redrives with the same switch. */
  readonly others: readonly string[];
  /** What the operator should know before. */
  readonly notes: readonly string[];
}

function notesOf({ settings }: KnownRedrive, action: RedriveSwitch): string[] {
  if (action === 'stop') {
    return [
      'No run starts, and a running move is cancelled within a minute or two, when the function next checks.',
      'Messages that were moved stay moved. The others wait in the dead-letter queue.',
    ];
  }
  const disabled = settings.enabled ? [] : ['It is not enabled in its app, so it still does nothing.'];
  return ['It continues at its next trigger if all preconditions hold. This alone starts no run.', ...disabled];
}

async function stateOf(aws: Connection, { name, settings }: KnownRedrive) {
  try {
    return await readKillSwitch(aws.client(SSMClient), settings);
  } catch (error) {
    if (!(error instanceof ParameterNotFound)) throw error;
    const text = `${settings.switchParameter}, the switch of ${name}, does not exist: npx cdk deploy --revert-drift creates it again`;
    throw new Error(text, { cause: error });
  }
}

/**
 * Plans to stop or start a redrive. It needs the permission `ssm:GetParameter`.
 * @throws Error when the parameter does not exist
 */
export async function switchPlan(
  aws: Connection,
  redrive: KnownRedrive,
  all: readonly FoundRedrive[],
  action: RedriveSwitch,
): Promise<RedriveSwitchPlan> {
  const { switchParameter } = redrive.settings;
  const sharing = all.filter(other => hasSettings(other) && other.settings.switchParameter === switchParameter);
  const others = sharing.map(({ name }) => name).filter(name => name !== redrive.name);
  const from = await stateOf(aws, redrive);
  return { action, redrive, from, to: SWITCH_VALUES[action], others, notes: notesOf(redrive, action) };
}

export function isChange({ from, to }: RedriveSwitchPlan): boolean {
  return from !== to;
}

/** Sets the switch as planned. It needs the permission `ssm:PutParameter`. */
export async function executeRedriveSwitch(aws: Connection, plan: RedriveSwitchPlan): Promise<void> {
  if (!isChange(plan)) return;
  const { redrive, to: Value } = plan;
  const Name = redrive.settings.switchParameter;
  await aws.client(SSMClient).send(new PutParameterCommand({ Name, Type: 'String', Value, Overwrite: true }));
}

export type RunProspect =
  /** A run starts. */
  | 'begins'
  /** A run is under way, or there is nothing to move. */
  | 'nothing-to-do'
  /** A precondition fails. */
  | 'kept';

const NOTHING: readonly RedriveCause[] = ['no-dead-letters', 'nothing-to-do'];

export function prospectOf({ redrive, ifAsked: { decision } }: RedriveView): RunProspect {
  switch (decision.kind) {
    case 'start':
      if (decision.step > 0) return 'nothing-to-do';
      return redrive.settings.enabled ? 'begins' : 'kept';
    case 'leave':
      return NOTHING.includes(decision.cause) ? 'nothing-to-do' : 'kept';
    // A run that was stopped, but whose outcome is not known yet.
    case 'stop':
      return 'kept';
    default:
      return 'nothing-to-do';
  }
}

/** Why no run would start. */
export function keptText({ redrive, ifAsked }: RedriveView): string {
  const { name, settings } = redrive;
  if (!settings.enabled) return `${name} is not enabled in its app: it would only log what it would do`;
  const { decision } = ifAsked;
  const cause = 'cause' in decision ? `${decision.cause}: ` : '';
  return `${name} starts no run: ${cause}${decision.reason}`;
}

/**
 * Requests a run: the function reads the state again and decides. It needs the permission `lambda:InvokeFunction`. The call does
 * not wait, because copying messages can take 15 minutes.
 */
export async function askForRun(aws: Connection, { redrive }: RedriveView): Promise<void> {
  const request: { readonly trigger: RedriveTrigger } = { trigger: 'operator' };
  const Payload = JSON.stringify(request);
  const command = new InvokeCommand({ FunctionName: redrive.name, InvocationType: 'Event', Payload });
  await aws.client(LambdaClient).send(command);
}
