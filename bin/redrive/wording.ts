import { queueNameOf } from '../../account/connection/queue-name';
import { displayNameOf } from '../../policy/arn';
import type { RedriveDecision, RedriveRun } from '../../policy/redrive/redrive-decision';
import type { QueueDepth } from '../../policy/redrive/redrive-facts';
import type { RedriveSettings, RedriveStep } from '../../policy/redrive/redrive-settings';
import { formatNumber, messagesText } from '../../policy/wording';
import { formatInstant } from '../wording';
import type { RedriveView } from './look';

const CARRIERS = {
  task: 'a move task of SQS',
  copy: 'copying',
  replay: 'invoking it with each event anew',
} as const satisfies Record<RedriveSettings['carrier'], string>;

/** Who moves the letters, in words. */
export function carrierText({ carrier }: Pick<RedriveSettings, 'carrier'>): string {
  return CARRIERS[carrier];
}

/** Where letters go. */
export function destinationText({ destination }: RedriveSettings): string {
  if (destination.kind === 'queue') return `queue ${queueNameOf(destination.arn)}`;
  return `function ${displayNameOf(destination.arn)}`;
}

/** `10 letters at 1 a second`. */
export function stepText({ messages, messagesPerSecond }: RedriveStep): string {
  const quantity = messages === undefined ? 'all that are left' : messagesText(messages);
  return `${quantity} at ${messagesPerSecond} a second`;
}

export function depthText(depth: QueueDepth | undefined): string {
  if (!depth) return 'the queue is not there';
  const { visible, inFlight, delayed } = depth;
  const late = delayed > 0 ? `, ${formatNumber(delayed)} delayed` : '';
  return `${formatNumber(visible)} visible, ${formatNumber(inFlight)} in flight${late}`;
}

function startText(decision: Extract<RedriveDecision, { kind: 'start' }>): string {
  const { step, messages, messagesPerSecond } = decision;
  const what = step === 0 ? 'begins a run with its canary' : `goes on with step ${step + 1}`;
  const limited = Number.isFinite(messages) ? { messages, messagesPerSecond } : { messagesPerSecond };
  return `${what}: ${stepText(limited)}, by ${carrierText(decision)}`;
}

/** What a redrive does, and why: `leaves the letters (alarm-firing): the alarm Errors is in ALARM`. */
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
      return `has ended a run well: ${reason}`;
    case 'stop':
      return `has stopped (${decision.cause}): ${reason}`;
    case 'leave':
      return `leaves the letters (${decision.cause}): ${reason}`;
  }
}

/** How it stands: `stopped (came-back)`. */
export function stateText({ redrive, byItself }: RedriveView): string {
  const { state, run } = byItself;
  const cause = state === 'stopped' ? run?.ending?.cause : undefined;
  const stands = cause === undefined ? state : `${state} (${cause})`;
  return redrive.settings.enabled ? stands : `${stands}, not enabled`;
}

/** What is known of the last run: when it began, what it moved, how it ended. */
export function runText(run: RedriveRun | undefined): string {
  if (!run) return 'none that SQS tells of';
  const { startedAtMs, moved, returned, ending } = run;
  const back = returned === undefined ? '' : `, ${formatNumber(returned)} came back`;
  const end = ending?.cause === undefined ? '' : `; stopped: ${ending.cause}`;
  return `${formatInstant(startedAtMs)}: ${formatNumber(moved)} moved${back}${end}`;
}
