import type { ManualRedrivePlan } from '../../diagnosis/manual-redrive/manual-redrive-plan';
import type { Selection } from '../../diagnosis/manual-redrive/selection';
import type { ManualRedriveVerdict } from '../../diagnosis/manual-redrive/verdict';
import { displayNameOf } from '../../policy/arn';
import { andMore, counted, formatDuration, messagesText } from '../../policy/format-text';
import { formatInstant } from '../../policy/instants';
import { totalOf } from '../../policy/redrive/budget';
import type { RedriveDestination } from '../../policy/redrive/redrive-settings';
import { queueNameOf } from '../names';
import { dloCommand } from '../printed-commands';
import { carrierText, depthText, stepText } from '../redrive/redrive-words';
import type { ManualRedriveEvent, ManualRedriveOutcome } from './carry-out';
import type { TypedRedrive } from './redrive-terms';

/** How many subscriptions are listed. `--json` has all of them. */
const MOST_ARNS = 5;

export function placeText({ kind, arn }: RedriveDestination): string {
  const name = kind === 'queue' ? queueNameOf(arn) : displayNameOf(arn);
  return `${kind} ${name}`;
}

function canaryText({ canary, settleMs, watchMs }: ManualRedrivePlan): string {
  if (!canary) return 'none';
  const watched = `${stepText(canary)}, watched for about ${formatDuration(watchMs / 1_000)} before the rest follows`;
  return settleMs > watchMs
    ? `${watched}; failed messages may return for ${formatDuration(settleMs / 1_000)}`
    : watched;
}

function bulkText(plan: ManualRedrivePlan): string {
  const { deadLetters, canary, messagesPerSecond, takesSeconds, filter, selection } = plan;
  if (canary && canary.messages >= totalOf(deadLetters.depth)) return 'nothing: the canary is all there is';
  const what =
    filter === undefined && !selection
      ? stepText({ messagesPerSecond })
      : `those that match, at ${messagesPerSecond} a second`;
  return `${what}: about ${formatDuration(takesSeconds)} of moving`;
}

function byText(plan: ManualRedrivePlan): string {
  const { whyNoTask, carrier } = plan;
  return whyNoTask === undefined || carrier === 'replay' ? carrierText(plan) : `${carrierText(plan)}: ${whyNoTask}`;
}

export function planRows(plan: ManualRedrivePlan): readonly (readonly [about: string, text: string])[] {
  const { deadLetters, destination, filter, selection } = plan;
  return [
    ['From', deadLetters.arn],
    ['To', destination.arn],
    ['By', byText(plan)],
    ['Messages', depthText(deadLetters.depth)],
    ...(selection ? [['Only', selectionText(selection)] as const] : []),
    ...(filter === undefined ? [] : [['Filter', filter] as const]),
    ['Canary', canaryText(plan)],
    ['Then', bulkText(plan)],
  ];
}

/** Which messages of a queue that several sources share are moved. */
function selectionText({ subscriptionArns, sourceArn }: Selection): string {
  const source = sourceArn === undefined ? [] : [`the messages that SQS moved from ${queueNameOf(sourceArn)}`];
  const named = subscriptionArns.length === 0 ? [] : [`the messages for ${andMore(subscriptionArns, MOST_ARNS)}`];
  return [...named, ...source].join(', and ');
}

/** `Move 12 messages from orders-dlq to queue orders.` */
export function headText({ deadLetters, destination, carrier, filter, selection }: ManualRedrivePlan): string {
  const verb = carrier === 'replay' ? 'Replay' : 'Move';
  const messages = messagesText(totalOf(deadLetters.depth));
  const which = filter === undefined && !selection ? messages : `what matches of ${messages}`;
  return `${verb} ${which} from ${deadLetters.name} to ${placeText(destination)}.`;
}

/** Says how the canary went, when the other messages follow. */
function canaryEndText(verdict: Extract<ManualRedriveVerdict, { kind: 'succeeded' | 'unknown' }>): string {
  if (verdict.kind === 'succeeded') return 'The canary succeeded.';
  return verdict.untilMs === undefined
    ? 'What became of the canary cannot be determined.'
    : `Of the canary, ${unknownText(verdict)}.`;
}

export function eventText(event: ManualRedriveEvent): string {
  switch (event.kind) {
    case 'canary-starts':
      return `Canary: ${stepText(event.canary)}.`;
    case 'canary-passed':
      return canaryEndText(event.verdict);
    case 'rest-starts':
      return `Now ${stepText({ messagesPerSecond: event.messagesPerSecond })}.`;
    case 'watch-starts': {
      const watch = formatDuration(event.watchMs / 1_000);
      return `${messagesText(event.moved)} moved. Watching for about ${watch} for messages that return.`;
    }
    case 'read-failed':
      return event.reason;
  }
}

export function reasonText({ kind, reason }: ManualRedriveOutcome): string {
  return kind === 'not-consumed' ? `${reason}, which --canary 0 skips` : reason;
}

/** Says that messages are in flight that no answer brought. */
export function hiddenText({ atMost, untilMs }: NonNullable<ManualRedriveOutcome['hidden']>): string {
  const until = `in flight until ${formatInstant(untilMs)}`;
  return `SQS may have returned up to ${messagesText(atMost)} in answers that were lost: these are ${until}`;
}

/** The command that continues. Undefined when there is nothing left to do. */
export function nextCommand(
  { kind, inQueue = 1, left, verdict }: ManualRedriveOutcome,
  { deadLetters: { name } }: ManualRedrivePlan,
  { command, site }: TypedRedrive,
): string | undefined {
  if (kind === 'unseen') return dloCommand(['dlq', 'watch', name], site);
  if (kind === 'returned' || kind === 'not-consumed' || verdict?.kind === 'returned')
    return dloCommand(['dlq', 'why', name], site);
  const staying = left.reduce((sum, { messages }) => sum + messages, 0);
  if ((kind === 'moved' || kind === 'partly') && inQueue <= staying) return undefined;
  return command;
}

/** Says that a message may arrive twice. Undefined if none will. */
export function duplicateText(
  { unsure, undeleted }: ManualRedriveOutcome,
  { destination }: ManualRedrivePlan,
): string | undefined {
  if (unsure + undeleted === 0) return undefined;
  const dropped = destination.arn.endsWith('.fifo')
    ? ' SQS drops a message that it has when it is sent again within 5 minutes of the first time.'
    : '';
  return `The next redrive sends a second time what moved and is still in the dead-letter queue.${dropped}`;
}

/** Says until when messages may return. */
function unknownText({ untilMs }: Extract<ManualRedriveVerdict, { kind: 'unknown' }>): string {
  return untilMs === undefined
    ? 'what became of them cannot be determined'
    : `none returned so far; some may return until ${formatInstant(untilMs)}`;
}

function notConsumedText({ waiting, isRead }: Extract<ManualRedriveVerdict, { kind: 'not-consumed' }>): string {
  const waitingText = `${messagesText(waiting)} may still be in the destination`;
  return isRead
    ? `${waitingText}: its consumer is too slow, or does not work`
    : `${waitingText}: no enabled event source mapping reads it, and no other consumer has taken them`;
}

/** What became of the moved messages, as a clause without a full stop. */
export function verdictText(verdict: ManualRedriveVerdict | undefined): string {
  switch (verdict?.kind) {
    case 'returned':
      return `${counted(verdict.returned, 'message', 'messages')} returned, or as many others were dead-lettered meanwhile`;
    case 'not-consumed':
      return notConsumedText(verdict);
    case 'unknown':
      return unknownText(verdict);
    case 'succeeded':
      return 'none returned';
    default:
      return 'not watched for returning messages';
  }
}
