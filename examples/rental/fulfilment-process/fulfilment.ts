import type { Message, SQS } from '@aws-sdk/client-sqs';
import { type Clock, withHeartbeat } from 'dead-letter-office/consumer';
import type { LogLine, RentalOrder } from '../billing-function/billing';

/** What the process needs from outside. */
export interface FulfilmentPorts {
  readonly sqs: Pick<SQS, 'receiveMessage' | 'changeMessageVisibility' | 'deleteMessage'>;
  readonly queueUrl: string;
  readonly clock: Clock;
  readonly log: (line: LogLine) => void;
}

/** The time after which another process receives an order if this one dies. */
const VISIBILITY_SECONDS = 60;

/** The longest time that SQS waits for a message. */
const LONG_POLL_SECONDS = 20;

/** The pause after an error of SQS. */
const PAUSE_MS = 20_000;

/**
 * Reads the queue and fulfils one order after the other until it is stopped. A stopped process first finishes its order.
 *
 * An order is deleted when it is fulfilled. One that fails, or whose process dies, becomes visible again. SQS moves it to
 * the dead-letter queue when it has been received three times.
 */
export async function fulfilOrders(ports: FulfilmentPorts, stop: AbortSignal): Promise<void> {
  while (!stop.aborted) {
    try {
      await fulfilNext(ports);
    } catch (error) {
      ports.log({ level: 'ERROR', message: 'SQS failed', reason: String(error) });
      await pause(ports.clock, PAUSE_MS);
    }
  }
}

/** @throws what SQS answers to a receive or a delete */
async function fulfilNext(ports: FulfilmentPorts): Promise<void> {
  const { sqs, queueUrl: QueueUrl, log } = ports;
  const { Messages: [message] = [] } = await sqs.receiveMessage({
    QueueUrl,
    VisibilityTimeout: VISIBILITY_SECONDS,
    WaitTimeSeconds: LONG_POLL_SECONDS,
  });
  if (!message) return;
  const { MessageId: messageId, ReceiptHandle } = message;
  try {
    await fulfil(message, ports);
  } catch (error) {
    log({
      level: 'ERROR',
      message: 'not fulfilled',
      messageId,
      reason: error instanceof Error ? error.message : error,
    });
    return;
  }
  await sqs.deleteMessage({ QueueUrl, ReceiptHandle });
  log({ level: 'INFO', message: 'fulfilled', messageId });
}

/** Hides the order from other processes for as long as the work takes. The work must be safe to repeat. */
async function fulfil(
  { Body = '', ReceiptHandle: receiptHandle = '' }: Message,
  ports: FulfilmentPorts,
): Promise<void> {
  const { sqs: client, queueUrl, clock } = ports;
  const { Message: order }: { Message: string } = JSON.parse(Body);
  const options = { client, queueUrl, receiptHandle, visibilitySeconds: VISIBILITY_SECONDS, clock };
  await withHeartbeat(options, signal => pause(clock, preparationMs(JSON.parse(order)), signal));
}

/** How long it takes to prepare a vehicle of each class that the fleet has. An electric one is charged first. */
const PREPARATION_SECONDS: Readonly<Record<string, number>> = { compact: 20, estate: 20, van: 40, electric: 240 };

/** The example prepares no real vehicle: it only takes the time. */
function preparationMs({ status, vehicleClass }: RentalOrder): number {
  const seconds = Object.hasOwn(PREPARATION_SECONDS, vehicleClass) ? PREPARATION_SECONDS[vehicleClass] : undefined;
  if (seconds === undefined) throw new Error(`no vehicle of class ${JSON.stringify(vehicleClass)} in the fleet`);
  return status === 'canceled' ? 0 : seconds * 1_000;
}

/** Rejects with the reason of the signal, if it is aborted before the time is over. */
function pause(clock: Clock, milliseconds: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = clock.after(milliseconds, resolve);
    signal?.addEventListener('abort', () => {
      timer.cancel();
      reject(signal.reason);
    });
  });
}
