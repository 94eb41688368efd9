import { createHash } from 'node:crypto';
import { SendMessageBatchCommand, type SendMessageBatchRequestEntry, type SQSClient } from '@aws-sdk/client-sqs';
import { awsFailureOf, backoffMs, hasResponse } from '../../mover/aws/aws-calls';
import type { Wait } from '../../mover/aws/clock';
import { QUEUE_BATCH_SIZE, QUEUE_LIMITS } from '../../policy/aws-limits';
import { messageBytes } from '../../policy/messages/queue-attributes';
import type { Connection } from '../connection/connection';
import { UnrepeatedSqs } from '../connection/one-attempt';
import type { NamedQueue } from '../messages/named-queue';
import type { Files, ProgressListener } from '../ports';
import { readArchive } from './archive-file';
import { type ArchivedMessage, attributesIn } from './archive-format';
import { type ImportRun, Journal, type JournalPorts } from './import-journal';
import type { ImportPlan } from './import-plan';

/** A message to be sent. */
interface Pending {
  readonly line: number;
  readonly group: string | undefined;
  readonly bytes: number;
  readonly entry: Omit<SendMessageBatchRequestEntry, 'Id'>;
}

/** A message that SQS refused. */
export interface RefusedMessage {
  readonly line: number;
  readonly reason: string;
}

/** The result of an import. */
export interface ImportOutcome {
  readonly sent: number;
  /** How many of these an earlier import may have sent, too. */
  readonly resent: number;
  readonly notTaken: readonly RefusedMessage[];
  /** In FIFO queues: how many were not sent because an earlier message of their group was refused. */
  readonly behind: number;
  readonly isInterrupted: boolean;
}

/** What an import needs besides AWS. */
export interface ImportPorts extends JournalPorts {
  readonly files: Files;
  readonly wait: Wait;
  readonly isInterrupted: () => boolean;
  readonly progress: ProgressListener;
  readonly messagesPerSecond: number;
  /** Is called before an error is thrown, with the number of messages sent until then. */
  readonly onFailure: (sent: number) => void;
}

/**
 * Sends the planned messages of an export, and writes each into the journal.
 * @throws Error when a call of AWS or a write to the journal fails
 */
export async function importMessages(
  aws: Connection,
  plan: ImportPlan,
  file: string,
  ports: ImportPorts,
): Promise<ImportOutcome> {
  const { queue, subject, journal: before, lines } = plan;
  const { files, isInterrupted, progress } = ports;
  const journal = await Journal.open(files, file, subject, before, ports);
  const sender = new MessageSender(aws.client(UnrepeatedSqs), queue, journal, before.unsure, ports);
  const wanted = new Set(lines);
  try {
    await readArchive(files, file, async (message, line) => {
      if (wanted.has(line)) await sender.add(message, line);
      progress.at(sender.sent);
    });
    await sender.flush();
  } catch (error) {
    ports.onFailure(sender.sent);
    throw error;
  } finally {
    await journal.close();
  }
  const { sent, resent, notTaken, behind } = sender;
  return { sent, resent, notTaken, behind, isInterrupted: isInterrupted() };
}

/** Whether SQS certainly did not accept what was sent. Without a response, or after a server error, that is unknown. */
function isRefused(thrown: unknown): boolean {
  return hasResponse(thrown) && awsFailureOf(thrown, '')?.outcome !== 'unavailable';
}

/** How often a throttled batch is sent at most. The pauses between add up to half a minute. */
const MAX_CALLS = 7;

/** The longest pause without checking for an interrupt. */
const LONGEST_PAUSE_MS = 1_000;

/**
 * The deduplication id of a message. It belongs to this import alone. With the id of another import or of a redrive, SQS would
 * drop the message as a duplicate within five minutes, although it reports success.
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
 * Sends messages in their order at a limited rate. It writes each message into the journal before and after it is sent.
 * In a FIFO queue, a batch has at most one message of a group. After a refused message, no other of its group is sent, so that
 * the order is kept.
 */
class MessageSender {
  readonly notTaken: RefusedMessage[] = [];
  /** How many were not sent because an earlier message of their group was refused. */
  behind = 0;
  sent = 0;
  /** How many of those sent an earlier import may have sent, too. */
  resent = 0;
  private batch: Pending[] = [];
  private readonly refusedGroups = new Set<string>();
  private readonly startedAtMs: number;

  /** @param unsureLines the lines of messages that an earlier import may have sent */
  constructor(
    private readonly sqs: SQSClient,
    private readonly queue: NamedQueue,
    private readonly journal: Journal,
    private readonly unsureLines: ReadonlySet<number>,
    private readonly ports: ImportPorts,
  ) {
    this.startedAtMs = ports.nowMs();
  }

  /** Adds a message to the batch, and sends the batch first if it is full. */
  async add(message: ArchivedMessage, line: number): Promise<void> {
    const pending = pendingOf(message, line, this.queue, this.journal.run);
    if (!this.fits(pending)) await this.flush();
    if (pending.group !== undefined && this.refusedGroups.has(pending.group)) this.behind += 1;
    else this.batch.push(pending);
  }

  /** Sends the messages that are left. */
  async flush(): Promise<void> {
    const { batch } = this;
    this.batch = [];
    if (batch.length === 0 || this.ports.isInterrupted()) return;
    await this.pace(batch.length);
    if (!this.ports.isInterrupted()) await this.send(batch);
  }

  private fits({ bytes, group }: Pending): boolean {
    const { batch, ports } = this;
    const max = Math.max(Math.min(QUEUE_BATCH_SIZE, Math.floor(ports.messagesPerSecond)), 1);
    const bytesOfAll = batch.reduce((sum, pending) => sum + pending.bytes, bytes);
    const isAlone = group === undefined || !batch.some(pending => pending.group === group);
    return batch.length < max && bytesOfAll <= QUEUE_LIMITS.messageBytes.max && isAlone;
  }

  /** Waits until the rate allows `count` more messages. */
  private async pace(count: number): Promise<void> {
    const { nowMs, wait, isInterrupted, messagesPerSecond } = this.ports;
    const tried = this.sent + this.notTaken.length;
    const dueAtMs = this.startedAtMs + ((tried + count) / messagesPerSecond) * 1_000;
    while (nowMs() < dueAtMs && !isInterrupted()) await wait(Math.min(dueAtMs - nowMs(), LONGEST_PAUSE_MS));
  }

  private async send(batch: readonly Pending[]): Promise<void> {
    const { sqs, queue, journal, unsureLines } = this;
    const lines = batch.map(({ line }) => line);
    await journal.sending(lines);
    const Entries = batch.map(({ entry, line }) => ({ ...entry, Id: String(line) }));
    const command = new SendMessageBatchCommand({ QueueUrl: queue.url, Entries });
    try {
      const { Successful = [], Failed = [] } = await this.untilNotThrottled(() => sqs.send(command));
      await journal.sent(Successful.map(({ Id, MessageId = '' }) => [Number(Id), MessageId]));
      await journal.failed(Failed.map(({ Id }) => Number(Id)));
      this.sent += Successful.length;
      this.resent += Successful.filter(({ Id }) => unsureLines.has(Number(Id))).length;
      for (const { Id, Code, Message } of Failed) this.addRefused(batch, Number(Id), `${Code}: ${Message}`);
    } catch (error) {
      if (isRefused(error)) await journal.failed(lines);
      throw error;
    }
  }

  /** SQS has accepted nothing of a throttled batch, so that it can be sent again. */
  private async untilNotThrottled<T>(call: () => Promise<T>): Promise<T> {
    for (let calls = 1; ; calls += 1) {
      try {
        return await call();
      } catch (error) {
        const isThrottled = awsFailureOf(error, '')?.outcome === 'throttled';
        if (!isThrottled || calls === MAX_CALLS || this.ports.isInterrupted()) throw error;
        await this.ports.wait(backoffMs(calls));
      }
    }
  }

  private addRefused(batch: readonly Pending[], line: number, reason: string): void {
    this.notTaken.push({ line, reason });
    const group = batch.find(pending => pending.line === line)?.group;
    if (group !== undefined) this.refusedGroups.add(group);
  }
}
