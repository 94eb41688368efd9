import type { Context, SQSBatchResponse, SQSEvent } from 'aws-lambda';
import type { Attempt } from '../../fleet/attempts';
import type { Timer } from '../../mover/aws/clock';
import { QUEUE_BATCH_SIZE } from '../../policy/aws-limits';
import { MINUTE_MS } from '../../policy/time-units';
import { errorOf } from '../shared/log';
import { receivingMs } from './admit';
import { MessageBatch } from './delivery';
import type { QueuedMessage } from './ports';
import { queuedMessageOf } from './queues';
import type { DeliveryPorts, Outcome } from './received-delivery';
import { States } from './states';
import { FleetTally } from './tally';

export interface DelivererPorts extends DeliveryPorts {
  readonly timer: Timer;
  /** Writes attempts to the log. @returns how many items were not written. @default - attempts are not logged */
  readonly logAttempts?: ((attempts: readonly Attempt[]) => Promise<number>) | undefined;
}

/** The function receives messages itself from then on: attempts that take longer would keep its other slots empty. */
const REFILL_AFTER_MS = 500;

/** Then it ends as soon as its attempts have ended, so that a deployment or a smaller concurrency takes effect. */
const REFILL_UNTIL_MS = MINUTE_MS;

/** Between two receives that found nothing, and between two calls that delete and hide messages. */
const PAUSE_MS = 1_000;

/** How long a message waits after an error. */
const AFTER_ERROR_MS = 30_000;

/** Written in one call to the log of attempts: it has two items for each. */
const LOGGED_AT_ONCE = 12;

type Handle = (
  event: SQSEvent,
  context: Pick<Context, 'getRemainingTimeInMillis' | 'awsRequestId'>,
) => Promise<SQSBatchResponse>;

/**
 * Delivers a batch of the deliveries queue. Lambda waits for the slowest message of a batch, so while that is under way, the function
 * receives more messages from the queue. It deletes those itself.
 */
export function delivererHandler(ports: DelivererPorts): Handle {
  return ({ Records }, context) => {
    const messages = Records.map(record => queuedMessageOf(record, ports.nowMs()));
    return new Deliveries(ports, context).run(messages);
  };
}

/** A message whose delivery has ended for this invocation. */
interface Ended {
  readonly message: QueuedMessage;
  /** Whether Lambda received it, and deletes it. */
  readonly isLambdas: boolean;
  readonly outcome: Outcome;
}

/** One invocation. */
class Deliveries {
  private readonly tally = new FleetTally();
  private readonly states: States;
  private readonly startedAtMs: number;
  private readonly failures: string[] = [];
  private active = 0;
  private ended: Ended[] = [];
  private attempts: Attempt[] = [];
  private flushedAtMs: number;
  private receiveAtMs: number;
  private wakeUp = () => {};

  constructor(
    private readonly ports: DelivererPorts,
    private readonly context: Parameters<Handle>[1],
  ) {
    this.states = new States(ports);
    this.startedAtMs = ports.nowMs();
    this.flushedAtMs = this.startedAtMs;
    this.receiveAtMs = this.startedAtMs + REFILL_AFTER_MS;
  }

  async run(messages: readonly QueuedMessage[]): Promise<SQSBatchResponse> {
    this.begin(messages, true);
    while (this.active > 0) {
      await this.untilSomethingEnds();
      const isFlushDue = this.ended.length >= QUEUE_BATCH_SIZE || this.ports.nowMs() - this.flushedAtMs >= PAUSE_MS;
      if (isFlushDue && this.active > 0) await this.flush();
      if (this.active > 0 && this.mayReceive()) await this.receive();
    }
    await this.flush();
    await this.flushLog();
    this.tally.print(this.ports);
    return { batchItemFailures: this.failures.map(itemIdentifier => ({ itemIdentifier })) };
  }

  private begin(messages: readonly QueuedMessage[], isLambdas: boolean): void {
    const { ports, tally, states } = this;
    const batch = new MessageBatch(messages, {
      ...ports,
      tally,
      states,
      requestId: this.context.awsRequestId,
      remainingMs: () => this.context.getRemainingTimeInMillis(),
      logAttempt: ports.logAttempts && (attempt => this.attempts.push(attempt)),
    });
    this.active += messages.length;
    for (const message of messages) {
      batch
        .deliver(message)
        .catch(thrown => this.broken(message, thrown))
        .then(outcome => {
          this.active -= 1;
          this.ended.push({ message, isLambdas, outcome });
          if (isLambdas && outcome.kind !== 'done') this.failures.push(message.messageId);
          this.wakeUp();
        })
        // Nothing above throws: an error here would be a rejection that no caller sees.
        .catch(error => this.unsettled(message, error));
    }
  }

  /** An error in one message must not fail the others: the table did not take its slot, or the code is wrong. */
  private broken({ messageId: sqsMessageId }: QueuedMessage, thrown: unknown): Outcome {
    const { stack } = errorOf(thrown);
    this.tally.broken(this.ports, 'the deliverer itself failed', thrown, { sqsMessageId, stack });
    return { kind: 'hidden', untilMs: this.ports.nowMs() + AFTER_ERROR_MS };
  }

  private unsettled({ messageId: sqsMessageId }: QueuedMessage, thrown: unknown): void {
    const message = 'a message was not settled: it is received again after the visibility timeout; please report this';
    this.tally.broken(this.ports, message, thrown, { sqsMessageId });
  }

  private untilSomethingEnds(): Promise<void> {
    return new Promise(resolve => {
      const cancel = this.ports.timer(PAUSE_MS, resolve);
      this.wakeUp = () => {
        cancel();
        resolve();
      };
    });
  }

  private mayReceive(): boolean {
    const { nowMs, settings } = this.ports;
    const now = nowMs();
    const isTime = now >= this.receiveAtMs && now < this.startedAtMs + REFILL_UNTIL_MS;
    const hasTime = this.context.getRemainingTimeInMillis() >= receivingMs(settings);
    return isTime && hasTime && settings.attemptsAtATime - this.active >= QUEUE_BATCH_SIZE;
  }

  private async receive(): Promise<void> {
    const { queues, nowMs, print } = this.ports;
    let messages: readonly QueuedMessage[] = [];
    try {
      messages = await queues.receive(QUEUE_BATCH_SIZE);
    } catch (error) {
      print({ level: 'WARN', message: 'no more messages could be received', problem: errorOf(error).message });
    }
    if (messages.length < QUEUE_BATCH_SIZE) this.receiveAtMs = nowMs() + PAUSE_MS;
    this.begin(messages, false);
  }

  /** Deletes the received messages that are done, and hides those that wait. */
  private async flush(): Promise<void> {
    const { queues, nowMs } = this.ports;
    this.flushedAtMs = nowMs();
    const { ended } = this;
    this.ended = [];
    const done = ended.filter(({ isLambdas, outcome }) => !isLambdas && outcome.kind === 'done');
    const hidden = ended.flatMap(({ message, outcome }) => {
      if (outcome.kind !== 'hidden') return [];
      return [{ message, seconds: Math.max(0, Math.ceil((outcome.untilMs - this.flushedAtMs) / 1_000)) }];
    });
    const left = [
      done.length > 0 ? await queues.remove(done.map(({ message }) => message)) : 0,
      hidden.length > 0 ? await queues.hide(hidden) : 0,
    ];
    for (const count of left) if (count > 0) this.tally.count('Broken', count);
    if (this.attempts.length >= LOGGED_AT_ONCE) await this.flushLog();
  }

  /** A failure to log never fails a delivery. */
  private async flushLog(): Promise<void> {
    const { logAttempts, print } = this.ports;
    const { attempts } = this;
    this.attempts = [];
    if (attempts.length === 0 || !logAttempts) return;
    try {
      const missing = await logAttempts(attempts);
      if (missing > 0) this.tally.count('NotLogged', missing);
    } catch (error) {
      print({ level: 'WARN', message: 'attempts were not logged', problem: errorOf(error).message });
      this.tally.count('NotLogged', attempts.length);
    }
  }
}
