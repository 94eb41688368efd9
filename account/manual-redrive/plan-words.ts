import type { ManualRedrivePlan } from '../../diagnosis/manual-redrive/manual-redrive-plan';
import type { Selection } from '../../diagnosis/manual-redrive/selection';
import { displayNameOf } from '../../policy/arn';
import { andMore, formatDuration, messagesText } from '../../policy/format-text';
import { totalOf } from '../../policy/redrive/budget';
import type { RedriveDestination } from '../../policy/redrive/redrive-settings';
import { queueNameOf } from '../names';
import { carrierText, depthText, stepText } from '../redrive/redrive-words';

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
