import type { Context, SQSBatchItemFailure, SQSEvent } from 'aws-lambda';
import { RELAY_METRICS } from '../../policy/metric-names';
import { paceMs } from '../../policy/relay/relay-settings';
import { emfLines, errorOf } from '../shared/log';
import { deliver } from './delivery';
import { type Invocation, Pacer, type RelayCounts, RelayTally } from './invocation';
import { type DeliveryResult, idsOf, isDone, type RelayMessage, relayMessageOf, visibilitySeconds } from './message';
import type { Ports, VisibilityChange } from './ports';

/** A batch of the queue, by Lambda or by the relay's breaker. */
export interface RelayEvent extends SQSEvent {
  /**
   * Whether the messages are given up without an attempt: the relay is stopped, and their queue is about to drop them.
   * @default false
   */
  readonly expiring?: boolean;
}

/** What Lambda is told of a batch, and beside it what came of the batch. */
export interface RelayAnswer extends RelayCounts {
  readonly batchItemFailures: readonly SQSBatchItemFailure[];
}

interface Ended {
  readonly relayMessage: RelayMessage;
  readonly ending: DeliveryResult;
}

/** What breaks is one message's own misfortune, whatever it was: the others go on. */
async function deliverSafely(relayMessage: RelayMessage, run: Invocation): Promise<Ended> {
  try {
    return { relayMessage, ending: await deliver(relayMessage, run) };
  } catch (error) {
    const { name, message: reason, stack } = errorOf(error);
    run.print({
      level: 'ERROR',
      message: 'the relay itself failed',
      ...idsOf(relayMessage),
      error: name,
      reason,
      stack,
    });
    return { relayMessage, ending: { kind: 'left', reason } };
  }
}

/** Those of one group, in their order. What is behind one that stays in the queue stays untried. */
async function deliverGroup(messages: readonly RelayMessage[], run: Invocation): Promise<readonly Ended[]> {
  const ended: Ended[] = [];
  for (const relayMessage of messages) {
    const isBehind = ended.some(({ ending }) => !isDone(ending));
    const untried: DeliveryResult = { kind: 'handed-back', reason: 'one before it in its group was not delivered' };
    ended.push(isBehind ? { relayMessage, ending: untried } : await deliverSafely(relayMessage, run));
  }
  return ended;
}

/** What is delivered in order, of a FIFO queue. */
function groupsOf(messages: readonly RelayMessage[]): readonly (readonly RelayMessage[])[] {
  const groups = new Map<string | undefined, RelayMessage[]>();
  for (const relayMessage of messages) {
    const group = groups.get(relayMessage.groupId);
    if (group) group.push(relayMessage);
    else groups.set(relayMessage.groupId, [relayMessage]);
  }
  return [...groups.values()];
}

async function deliverBatch(messages: readonly RelayMessage[], run: Invocation): Promise<readonly Ended[]> {
  if (!run.settings.fifo) return Promise.all(messages.map(relayMessage => deliverSafely(relayMessage, run)));
  return (await Promise.all(groupsOf(messages).map(group => deliverGroup(group, run)))).flat();
}

function hidingOf(
  { relayMessage: { messageId, receiptHandle }, ending }: Ended,
  nowMs: number,
): readonly VisibilityChange[] {
  const seconds = visibilitySeconds(ending, nowMs);
  return seconds === undefined ? [] : [{ messageId, receiptHandle, seconds }];
}

/** Sets when each message that stays is received again. What the queue refuses is left to its own visibility timeout. */
async function hide(ended: readonly Ended[], { queues, nowMs, print }: Invocation): Promise<void> {
  const hidings = ended.flatMap(it => hidingOf(it, nowMs()));
  if (hidings.length === 0) return;
  const refusals = await queues.changeVisibility(hidings);
  for (const { relayMessage } of ended) {
    const reason = refusals.get(relayMessage.messageId);
    if (reason === undefined) continue;
    const message = 'the next attempt waits for the queue’s own visibility timeout, for it could not be set';
    print({ level: 'ERROR', message, ...idsOf(relayMessage), reason });
  }
}

function tell({ tally, functionName, nowMs, print }: Invocation): void {
  const { namespace, dimension } = RELAY_METRICS;
  const event = { namespace, dimensions: { [dimension]: functionName }, nowMs: nowMs(), metrics: tally.metrics };
  for (const line of emfLines(event)) print(line);
}

/**
 * Delivers a batch of the relay's queue. A message leaves the queue once the endpoint or the dead-letter queue has it; every
 * other is reported as failed, and hidden until its next attempt is due.
 *
 * @see https://docs.aws.amazon.com/lambda/latest/dg/services-sqs-errorhandling.html
 */
export function relayHandler(
  ports: Ports,
): (event: RelayEvent, context: Pick<Context, 'getRemainingTimeInMillis'>) => Promise<RelayAnswer> {
  return async ({ Records, expiring: areExpiring = false }, context) => {
    const { settings, nowMs, wait } = ports;
    const tally = new RelayTally();
    const pacer = new Pacer(paceMs(settings), nowMs, wait);
    const remainingMs = () => context.getRemainingTimeInMillis();
    const run: Invocation = { ...ports, pacer, tally, remainingMs, areExpiring };
    const messages = Records.map(record => relayMessageOf(record, nowMs()));
    const ended = await deliverBatch(messages, run);
    for (const { ending } of ended) tally.ended(ending);
    await hide(ended, run);
    tell(run);
    const failed = ended.filter(({ ending }) => !isDone(ending));
    return {
      batchItemFailures: failed.map(({ relayMessage }) => ({ itemIdentifier: relayMessage.messageId })),
      ...tally.counts,
    };
  };
}
