import { dloCommand, type Site } from '../../account/printed-commands';
import type { RedriveSwitchPlan, RunProspect } from '../../account/redrive/operate-redrive';
import { isChange, keptText, prospectOf } from '../../account/redrive/operate-redrive';
import type { RedriveView } from '../../account/redrive/redrive-state';
import { decisionText, destinationText } from '../../account/redrive/redrive-words';
import { wrap } from '../shared/terminal-text';
import { decisionDocument } from './redrive-documents';

const WIDTH = 100;

export function switchText(plan: RedriveSwitchPlan, isDone: boolean, site: Site): string {
  const { action, redrive, from, to, others, notes } = plan;
  const { name, settings } = redrive;
  if (!isChange(plan)) return `Nothing to do: the switch of ${name} is ${to} already.\n`;
  const shared = others.length === 0 ? [] : [`The same switch stops and starts ${others.join(', ')}.`];
  const command = dloCommand(['redrive', action, name, '--execute'], site);
  const end = isDone ? 'Done.' : `Nothing has been changed: ${command} does it.`;
  const lines = [
    `${action === 'stop' ? 'Stop' : 'Start'} ${name}, which sends messages to ${destinationText(settings)}.`,
    `  Switch now  ${from}`,
    `  Parameter   ${settings.switchParameter} becomes ${to}`,
    ...[...notes, ...shared].flatMap(note => wrap(`* ${note}`, WIDTH)),
    end,
  ];
  return `${lines.join('\n')}\n`;
}

/** The same for `--json`. */
export function switchDocument(plan: RedriveSwitchPlan, isDone: boolean) {
  const { action, redrive, from, to, others } = plan;
  const { name, settings } = redrive;
  const executed = isDone && isChange(plan);
  return { redrive: name, action, from, to, parameter: settings.switchParameter, others, executed };
}

/** Describes what would start, or was requested. */
export function askText(seen: RedriveView, isDone: boolean, site: Site): string {
  const { name, settings } = seen.redrive;
  const prospect = prospectOf(seen);
  const would = `  It ${decisionText(seen.ifAsked.decision)}`;
  const ends: Readonly<Record<RunProspect, string>> = {
    begins: isDone
      ? `Done: its function reads the state again and decides. ${dloCommand(['redrive', 'show', name], site)} shows the result.`
      : `Nothing has been done: ${dloCommand(['redrive', 'run', name, '--execute'], site)} does it.`,
    'nothing-to-do': 'Nothing to do.',
    kept: `No run would start: ${keptText(seen)}.`,
  };
  const lines = [
    `Run ${name}, which sends messages to ${destinationText(settings)}.`,
    ...wrap(would, WIDTH),
    ends[prospect],
  ];
  return `${lines.join('\n')}\n`;
}

/** The same for `--json`. */
export function askDocument(seen: RedriveView, isDone: boolean) {
  const prospect = prospectOf(seen);
  return {
    redrive: seen.redrive.name,
    prospect,
    decision: decisionDocument(seen.ifAsked.decision),
    executed: isDone && prospect === 'begins',
  };
}
