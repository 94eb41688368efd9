import { InvokeCommand, LambdaClient } from '@aws-sdk/client-lambda';
import type { Connection } from '../../account/connection/connection';
import { dloCommand, type Site } from '../../account/connection/printed-commands';
import type { RedriveCause } from '../../policy/redrive/redrive-decision';
import type { RedriveTrigger } from '../../policy/redrive/redrive-facts';
import { wrap } from '../wording';
import type { RedriveView } from './look';
import { decisionDocument } from './redrive-document';
import { decisionText, destinationText } from './wording';

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
