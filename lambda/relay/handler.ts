import type { Context, SQSBatchItemFailure, SQSEvent } from 'aws-lambda';
import { RELAY_METRICS } from '../../policy/metric-names';
import { paceMs } from '../../policy/relay/relay-settings';
import { emfLines, errorOf } from '../shared/log';
import type { VisibilityChange } from '../shared/queue-calls';
import { deliver } from './delivery';
import { Pacer, type RelayCounts, type RelayInvocation, RelayTally } from './invocation';
import { type DeliveryResult, idsOf, isDone, type RelayMessage, relayMessageOf, visibilitySeconds } from './message';
import type { RelayPorts } from './ports';

/** A batch of the relay's queue, sent by Lambda or by the relay's breaker. */
export interface RelayEvent extends SQSEvent {
  /**
   * Whether to send the messages to the dead-letter queue without an attempt: the relay is stopped, and the messages are about
   * to expire in its queue.
   * @default false
   */
  readonly expiring?: boolean;
}

/** Lambda's partial batch response, with counts for the breaker. */
export interface RelayAnswer extends RelayCounts {
  readonly batchItemFailures: readonly SQSBatchItemFailure[];
}

interface Delivered {
  readonly relayMessage: RelayMessage;
  readonly result: DeliveryResult;
}

/**
 * Delivers a batch of the relay's queue. A message leaves the queue once the endpoint or the dead-letter queue has it. Every other
 * message is reported as a batch item failure, and hidden until its next attempt is due.
 *
 * @see https://docs.aws.amazon.com/lambda/latest/dg/services-sqs-errorhandling.html
 */
export function relayHandler(
  ports: RelayPorts,
): (event: RelayEvent, context: Pick<Context, 'getRemainingTimeInMillis'>) => Promise<RelayAnswer> {
  return async ({ Records, expiring: areExpiring = false }, context) => {
    const { settings, nowMs, wait } = ports;
    const tally = new RelayTally();
    const pacer = new Pacer(paceMs(settings), nowMs, wait);
    const remainingMs = () => context.getRemainingTimeInMillis();
    const invocation: RelayInvocation = { ...ports, pacer, tally, remainingMs, areExpiring };
    const messages = Records.map(record => relayMessageOf(record, nowMs()));
    const delivered = await deliverBatch(messages, invocation);
    for (const { result } of delivered) tally.ended(result);
    await hideUntilDue(delivered, invocation);
    printMetrics(invocation);
    const failed = delivered.filter(({ result }) => !isDone(result));
    return {
      batchItemFailures: failed.map(({ relayMessage }) => ({ itemIdentifier: relayMessage.messageId })),
      ...tally.counts,
    };
  };
}

async function deliverBatch(
  messages: readonly RelayMessage[],
  invocation: RelayInvocation,
): Promise<readonly Delivered[]> {
  if (!invocation.settings.fifo) return Promise.all(messages.map(message => deliverSafely(message, invocation)));
  return (await Promise.all(groupsOf(messages).map(group => deliverGroup(group, invocation)))).flat();
}

function groupsOf(messages: readonly RelayMessage[]): readonly (readonly RelayMessage[])[] {
  const groups = new Map<string | undefined, RelayMessage[]>();
  for (const relayMessage of messages) {
    const group = groups.get(relayMessage.groupId);
    if (group) group.push(relayMessage);
    else groups.set(relayMessage.groupId, [relayMessage]);
  }
  return [...groups.values()];
}

/** Delivers the messages of a FIFO group in order. It does not try a message behind one that stays in the queue. */
async function deliverGroup(
  messages: readonly RelayMessage[],
  invocation: RelayInvocation,
): Promise<readonly Delivered[]> {
  const delivered: Delivered[] = [];
  for (const relayMessage of messages) {
    const isBehind = delivered.some(({ result }) => !isDone(result));
    const untried: DeliveryResult = { kind: 'handed-back', reason: 'one before it in its group was not delivered' };
    delivered.push(isBehind ? { relayMessage, result: untried } : await deliverSafely(relayMessage, invocation));
  }
  return delivered;
}

/** An error in one message must not fail the rest of the batch. */
async function deliverSafely(relayMessage: RelayMessage, invocation: RelayInvocation): Promise<Delivered> {
  try {
    return { relayMessage, result: await deliver(relayMessage, invocation) };
  } catch (error) {
    const { name, message: reason, stack } = errorOf(error);
    const message = 'the relay itself failed';
    invocation.print({ level: 'ERROR', message, ...idsOf(relayMessage), error: name, reason, stack });
    return { relayMessage, result: { kind: 'left', reason } };
  }
}

/** Hides each message that stays until its next attempt. If SQS refuses, the queue's own visibility timeout applies. */
async function hideUntilDue(delivered: readonly Delivered[], invocation: RelayInvocation): Promise<void> {
  const { queues, nowMs, print } = invocation;
  const changes = delivered.flatMap(it => visibilityChangeOf(it, nowMs()));
  if (changes.length === 0) return;
  const reasons = await queues.changeVisibility(changes);
  for (const { relayMessage } of delivered) {
    const reason = reasons.get(relayMessage.messageId);
    if (reason === undefined) continue;
    const message = 'the visibility timeout could not be set: the next attempt waits for the queue’s own';
    print({ level: 'ERROR', message, ...idsOf(relayMessage), reason });
  }
}

function visibilityChangeOf({ relayMessage, result }: Delivered, nowMs: number): readonly VisibilityChange[] {
  const { messageId, receiptHandle } = relayMessage;
  const seconds = visibilitySeconds(result, nowMs);
  return seconds === undefined ? [] : [{ messageId, receiptHandle, seconds }];
}

function printMetrics({ tally, functionName, nowMs, print }: RelayInvocation): void {
  const { namespace, dimension } = RELAY_METRICS;
  const event = { namespace, dimensions: { [dimension]: functionName }, nowMs: nowMs(), metrics: tally.metrics };
  for (const line of emfLines(event)) print(line);
}
