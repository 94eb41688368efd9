import { createHash } from 'node:crypto';
import { SendMessageBatchCommand, type SendMessageBatchRequestEntry, type SQSClient } from '@aws-sdk/client-sqs';
import { awsFailureOf, backoffMs, hasResponse } from '../../mover/aws-calls';
import type { Wait } from '../../mover/clock';
import { BATCH_SIZE } from '../../mover/queue-messages';
import { QUEUE_LIMITS } from '../../policy/aws-limits';
import { messageBytes } from '../../policy/messages/queue-attributes';
import type { NamedQueue } from '../messages/named-queue';
import { type ArchivedMessage, attributesIn } from './archive-format';
import type { ImportRun, Journal } from './import-journal';

/** A letter to be sent. */
interface Pending {
  readonly line: number;
  readonly group: string | undefined;
  readonly bytes: number;
  readonly entry: Omit<SendMessageBatchRequestEntry, 'Id'>;
}

/** One SQS did not take. */
export interface NotTaken {
  readonly line: number;
  readonly reason: string;
}

export interface SendingPorts {
  readonly sqs: SQSClient;
  readonly queue: NamedQueue;
  readonly journal: Journal;
  readonly nowMs: () => number;
  readonly wait: Wait;
  readonly isOver: () => boolean;
  readonly messagesPerSecond: number;
  /** The lines of those an import before may have sent. */
  readonly again: ReadonlySet<number>;
}

/** Whether SQS has nothing of what it was sent. Where it did not answer, or broke, nobody knows. */
function isRefused(thrown: unknown): boolean {
  return hasResponse(thrown) && awsFailureOf(thrown, '')?.outcome !== 'unavailable';
}

/** Our choice: how often SQS is asked that throttles, which takes half a minute in all. */
const MOST_CALLS = 7;

/** Our choice: nobody who interrupts waits for longer. */
const LONGEST_REST_MS = 1_000;

/**
 * By what SQS knows a letter again for five minutes. It is the import's own: another import of the file, or a redrive, sent
 * the letter by another, and SQS would say that it took this one, and drop it.
 */
function deduplicationId({ messageId }: ArchivedMessage, run: ImportRun): string {
  return createHash('sha256').update(`${run} ${messageId}`).digest('hex');
}

function pendingOf(message: ArchivedMessage, line: number, { isFifo }: NamedQueue, run: ImportRun): Pending {
  const { body, system } = message;
  const { MessageGroupId, AWSTraceHeader } = system;
  const attributes = attributesIn(message);
  return {
    line,
    group: isFifo ? MessageGroupId : undefined,
    bytes: messageBytes(body, attributes),
    entry: {
      MessageBody: body,
      ...(Object.keys(attributes).length > 0 && { MessageAttributes: { ...attributes } }),
      ...(MessageGroupId !== undefined && { MessageGroupId }),
      ...(isFifo && { MessageDeduplicationId: deduplicationId(message, run) }),
      ...(AWSTraceHeader !== undefined && {
        MessageSystemAttributes: { AWSTraceHeader: { DataType: 'String', StringValue: AWSTraceHeader } },
      }),
    },
  };
}

/**
 * Sends letters in their order, no faster than told, and notes each in the journal before and after. Of a FIFO queue, a batch
 * has one letter of a group at most, and behind one that is not taken no other of its group is sent: so their order stays.
 */
export class MessageSender {
  readonly notTaken: NotTaken[] = [];
  /** How many were not tried, as one before them in their group was not taken. */
  behind = 0;
  sent = 0;
  /** Of those sent, how many an import before may have sent too. */
  resent = 0;
  private batch: Pending[] = [];
  private readonly shut = new Set<string>();
  private readonly startedAtMs: number;

  constructor(private readonly ports: SendingPorts) {
    this.startedAtMs = ports.nowMs();
  }

  /** Takes one more letter, and sends a batch once it is full. */
  async add(message: ArchivedMessage, line: number): Promise<void> {
    const pending = pendingOf(message, line, this.ports.queue, this.ports.journal.run);
    if (!this.fits(pending)) await this.flush();
    if (pending.group !== undefined && this.shut.has(pending.group)) this.behind += 1;
    else this.batch.push(pending);
  }

  /** Sends what is left of a batch. */
  async flush(): Promise<void> {
    const { batch } = this;
    this.batch = [];
    if (batch.length === 0 || this.ports.isOver()) return;
    await this.pace(batch.length);
    if (!this.ports.isOver()) await this.send(batch);
  }

  private fits({ bytes, group }: Pending): boolean {
    const { batch, ports } = this;
    const most = Math.max(Math.min(BATCH_SIZE, Math.floor(ports.messagesPerSecond)), 1);
    const all = batch.reduce((sum, pending) => sum + pending.bytes, bytes);
    const isAlone = group === undefined || !batch.some(pending => pending.group === group);
    return batch.length < most && all <= QUEUE_LIMITS.messageBytes.max && isAlone;
  }

  /** Waits until so many more may be sent. */
  private async pace(count: number): Promise<void> {
    const { nowMs, wait, isOver, messagesPerSecond } = this.ports;
    const tried = this.sent + this.notTaken.length;
    const dueAtMs = this.startedAtMs + ((tried + count) / messagesPerSecond) * 1_000;
    while (nowMs() < dueAtMs && !isOver()) await wait(Math.min(dueAtMs - nowMs(), LONGEST_REST_MS));
  }

  private async send(batch: readonly Pending[]): Promise<void> {
    const { sqs, queue, journal, again } = this.ports;
    const lines = batch.map(({ line }) => line);
    await journal.sending(lines);
    const Entries = batch.map(({ entry, line }) => ({ ...entry, Id: String(line) }));
    const command = new SendMessageBatchCommand({ QueueUrl: queue.url, Entries });
    try {
      const { Successful = [], Failed = [] } = await this.untilNotThrottled(() => sqs.send(command));
      await journal.sent(Successful.map(({ Id, MessageId = '' }) => [Number(Id), MessageId]));
      await journal.failed(Failed.map(({ Id }) => Number(Id)));
      this.sent += Successful.length;
      this.resent += Successful.filter(({ Id }) => again.has(Number(Id))).length;
      for (const { Id, Code, Message } of Failed) this.miss(batch, Number(Id), `${Code}: ${Message}`);
    } catch (error) {
      if (isRefused(error)) await journal.failed(lines);
      throw error;
    }
  }

  /** Of what is throttled SQS has nothing, and takes it later. */
  private async untilNotThrottled<T>(call: () => Promise<T>): Promise<T> {
    for (let calls = 1; ; calls += 1) {
      try {
        return await call();
      } catch (error) {
        const isThrottled = awsFailureOf(error, '')?.outcome === 'throttled';
        if (!isThrottled || calls === MOST_CALLS || this.ports.isOver()) throw error;
        await this.ports.wait(backoffMs(calls));
      }
    }
  }

  private miss(batch: readonly Pending[], line: number, reason: string): void {
    this.notTaken.push({ line, reason });
    const group = batch.find(pending => pending.line === line)?.group;
    if (group !== undefined) this.shut.add(group);
  }
}
