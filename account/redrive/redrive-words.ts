import { displayNameOf } from '../../policy/arn';
import { formatNumber, messagesText } from '../../policy/format-text';
import { formatInstant } from '../../policy/instants';
import type { RedriveDecision, RedriveRun } from '../../policy/redrive/redrive-decision';
import type { QueueDepth } from '../../policy/redrive/redrive-facts';
import type { RedriveSettings, RedriveStep } from '../../policy/redrive/redrive-settings';
import { queueNameOf } from '../names';
import type { RedriveView, RepeatedRecord } from './redrive-state';

const CARRIERS = {
  task: 'a move task of SQS',
  copy: 'copying',
  replay: 'invoking it again with each event',
} as const satisfies Record<RedriveSettings['carrier'], string>;

export function carrierText({ carrier }: Pick<RedriveSettings, 'carrier'>): string {
  return CARRIERS[carrier];
}

export function destinationText({ destination }: RedriveSettings): string {
  if (destination.kind === 'queue') return `queue ${queueNameOf(destination.arn)}`;
  return `function ${displayNameOf(destination.arn)}`;
}

/** `10 messages at 1 a second`. */
export function stepText({ messages, messagesPerSecond }: RedriveStep): string {
  const quantity = messages === undefined ? 'all that are left' : messagesText(messages);
  return `${quantity} at ${messagesPerSecond} a second`;
}

export function depthText(depth: QueueDepth | undefined): string {
  if (!depth) return 'the queue does not exist';
  const { visible, inFlight, delayed } = depth;
  const late = delayed > 0 ? `, ${formatNumber(delayed)} delayed` : '';
  return `${formatNumber(visible)} visible, ${formatNumber(inFlight)} in flight${late}`;
}

function startText(decision: Extract<RedriveDecision, { kind: 'start' }>): string {
  const { step, messages, messagesPerSecond } = decision;
  const what = step === 0 ? 'starts a run with its canary' : `continues with step ${step + 1}`;
  const limited = Number.isFinite(messages) ? { messages, messagesPerSecond } : { messagesPerSecond };
  return `${what}: ${stepText(limited)}, by ${carrierText(decision)}`;
}

/** The decision of a redrive, and why: `leaves the messages (alarm-firing): the alarm Errors is in ALARM`. */
export function decisionText(decision: RedriveDecision): string {
  const { reason } = decision;
  switch (decision.kind) {
    case 'start':
      return `${startText(decision)}; ${reason}`;
    case 'cancel':
      return `cancels the move (${decision.cause}): ${reason}`;
    case 'wait':
      return `waits: ${reason}`;
    case 'finish':
      return `has completed a run: ${reason}`;
    case 'stop':
      return `has stopped (${decision.cause}): ${reason}`;
    case 'leave':
      return `leaves the messages (${decision.cause}): ${reason}`;
  }
}

/** The state of a redrive: `stopped (returned)`. */
export function stateText({ redrive, byItself }: RedriveView): string {
  const { state, run } = byItself;
  const cause = state === 'stopped' ? run?.ending?.cause : undefined;
  const stands = cause === undefined ? state : `${state} (${cause})`;
  return redrive.settings.enabled ? stands : `${stands}, not enabled`;
}

/** The last run: when it began, what it moved, how it ended. */
export function runText(run: RedriveRun | undefined): string {
  if (!run) return 'none that SQS lists';
  const { startedAtMs, moved, returned, ending } = run;
  const back = returned === undefined ? '' : `, ${formatNumber(returned)} returned`;
  const end = ending?.cause === undefined ? '' : `; stopped: ${ending.cause}`;
  return `${formatInstant(startedAtMs)}: ${formatNumber(moved)} moved${back}${end}`;
}

/** What an invocation of the function did: `schedule tick alarm-firing left`. */
export function recordWords({ record: { trigger, did, cause, outcome } }: RepeatedRecord): string {
  return [trigger, did, ...(cause === undefined ? [] : [cause]), outcome].join(' ');
}

/** Whether an operator should look at it. */
export function needsAttention({ facts, byItself }: RedriveView): boolean {
  return byItself.state === 'stopped' || facts.killSwitch !== 'on' || facts.deadLetters === undefined;
}
