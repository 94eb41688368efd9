import { dloCommand, type Site } from '../../account/printed-commands';
import type { RedriveSwitchPlan, RunProspect } from '../../account/redrive/operate-redrive';
import { isChange, keptText, prospectOf } from '../../account/redrive/operate-redrive';
import type { RedriveView } from '../../account/redrive/redrive-state';
import { decisionText, destinationText } from '../../account/redrive/redrive-words';
import type { PlannedChange } from '../shared/planned-change';
import { wrap } from '../shared/terminal-text';
import { decisionDocument } from './redrive-documents';

const WIDTH = 100;

/** The plan as a command prints it. */
export function plannedSwitch(plan: RedriveSwitchPlan): Omit<PlannedChange, 'work'> {
  const { action, redrive, from, to, others, notes } = plan;
  const { name, settings } = redrive;
  const { switchParameter: parameter } = settings;
  const shared = others.length === 0 ? [] : [`The same switch stops and starts ${others.join(', ')}.`];
  return {
    words: ['redrive', action, name],
    title: `${action === 'stop' ? 'Stop' : 'Start'} ${name}, which sends messages to ${destinationText(settings)}.`,
    facts: [
      ['Switch now', from],
      ['Parameter', `${parameter} becomes ${to}`],
    ],
    notes: [...notes, ...shared],
    change: { command: `redrive ${action}`, resource: parameter, details: { redrive: name, from, to } },
    document: { redrive: name, action, from, to, parameter, others },
    nothing: isChange(plan) ? undefined : `the switch of ${name} is ${to} already`,
  };
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
