import { depthsDocument, queueDocument } from '../../../account/documents/json-documents';
import { planIdOf } from '../../../account/manual-redrive/plan-id';
import { queueNameOf } from '../../../account/names';
import type { Selection } from '../../../diagnosis/manual-redrive/manual-redrive-facts';
import type { ManualRedrivePlan } from '../../../diagnosis/manual-redrive/manual-redrive-plan';
import { displayNameOf } from '../../../policy/arn';
import { andMore, formatDuration, messagesText } from '../../../policy/format-text';
import { totalOf } from '../../../policy/redrive/budget';
import type { RedriveDestination } from '../../../policy/redrive/redrive-settings';
import { carrierText, depthText, stepText } from '../../redrive/redrive-text';
import { aboutLines, foreignText, wrap } from '../../shared/terminal-text';

/** A filter expression can be long. */
const MOST_CHARACTERS = 500;

/** How many subscriptions are listed. `--json` has all of them. */
const MOST_ARNS = 5;

/** Marks of the risks. */
const SIGNS = { blocks: '!', danger: '!', note: '*' } as const;

/** The destination of the messages. */
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

/**
 * What is planned.
 * @param width of prose
 */
export function planText(plan: ManualRedrivePlan, width: number): string {
  const { deadLetters, destination, filter, selection, risks } = plan;
  const rows: (readonly [string, string])[] = [
    ['From', deadLetters.arn],
    ['To', destination.arn],
    ['By', byText(plan)],
    ['Messages', depthText(deadLetters.depth)],
    ...(selection ? [['Only', selectionText(selection)] as const] : []),
    ...(filter === undefined ? [] : [['Filter', foreignText(filter, MOST_CHARACTERS)] as const]),
    ['Canary', canaryText(plan)],
    ['Then', bulkText(plan)],
  ];
  const lines = [
    headText(plan),
    ...aboutLines(rows).map(line => `  ${line}`),
    ...risks.flatMap(({ weight, says }) => wrap(`${SIGNS[weight]} ${says}.`, width)),
  ];
  return `${lines.join('\n')}\n`;
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

/** Says how to carry out the plan. */
export function howText(plan: ManualRedrivePlan, command: string): string {
  if (totalOf(plan.deadLetters.depth) === 0) return 'Nothing to do: the queue is empty.\n';
  if (plan.risks.some(({ weight }) => weight === 'blocks'))
    return 'Nothing has been moved, and the plan cannot be carried out.\n';
  return `Nothing has been moved. This command does it, if nothing changes before:\n  ${command} --execute ${planIdOf(plan)}\n`;
}

/** The plan for `--json`. */
export function planDocument(plan: ManualRedrivePlan, command: string) {
  const { deadLetters, destination, carrier, whyNoTask, form, messagesPerSecond, canary, filter, selection, risks } =
    plan;
  return {
    plan: planIdOf(plan),
    ...queueDocument(deadLetters),
    depths: depthsDocument(deadLetters.depth),
    destination: { kind: destination.kind, arn: destination.arn },
    carrier,
    ...(whyNoTask !== undefined && { whyNoTask }),
    form,
    messagesPerSecond,
    canary: canary ?? null,
    ...(filter !== undefined && { filter }),
    ...(selection && { selection }),
    settleSeconds: plan.settleMs / 1_000,
    watchSeconds: plan.watchMs / 1_000,
    takesSeconds: plan.takesSeconds,
    risks,
    command: `${command} --execute ${planIdOf(plan)}`,
  };
}
