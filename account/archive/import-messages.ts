import { createHash } from 'node:crypto';
import { SendMessageBatchCommand, type SendMessageBatchRequestEntry, type SQSClient } from '@aws-sdk/client-sqs';
import { awsFailureOf, backoffMs, isCertainlyRefused, isTransient } from '../../mover/aws/aws-calls';
import type { Wait } from '../../mover/aws/clock';
import { QUEUE_BATCH_SIZE, QUEUE_LIMITS } from '../../policy/aws-limits';
import { messageBytes } from '../../policy/messages/queue-attributes';
import type { Connection } from '../connection/connection';
import { UnrepeatedSqs } from '../connection/one-attempt';
import { messageOf } from '../errors';
import type { NamedQueue } from '../messages/named-queue';
import type { Files, ProgressListener } from '../ports';
import { readArchive } from './archive-file';
import { type ArchivedMessage, attributesIn } from './archive-format';
import { type ImportRun, Journal, type JournalPorts } from './import-journal';
import type { ImportPlan } from './import-plan';

interface Pending {
  readonly line: number;
  readonly group: string | undefined;
  readonly bytes: number;
  readonly entry: Omit<SendMessageBatchRequestEntry, 'Id'>;
}

export interface RefusedMessage {
  readonly line: number;
  readonly reason: string;
}

export interface ImportOutcome {
  readonly sent: number;
  /** How many of these an earlier import may have sent, too. */
  readonly resent: number;
  readonly notTaken: readonly RefusedMessage[];
  /** The lines of messages that SQS may have: it sent no answer, or a server error. */
  readonly unsure: readonly number[];
  /** In FIFO queues: how many were not sent because an earlier message of their group was refused, or may have been. */
  readonly behind: number;
  /** Why the import ended before all messages were sent. @default - it did not */
  readonly stopped?: string;
  readonly isInterrupted: boolean;
}

/** What an import needs besides AWS. */
export interface ImportPorts extends JournalPorts {
  readonly files: Files;
  readonly wait: Wait;
  readonly isInterrupted: () => boolean;
  readonly progress: ProgressListener;
  readonly messagesPerSecond: number;
  /** Is called before an error is thrown, with what was sent until then, and the lines of messages that may have been sent. */
  readonly onFailure: (sent: number, unsure: readonly number[]) => void;
}

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
    ports.onFailure(sender.sent, sender.unsure);
    throw error;
  } finally {
    await journal.close();
  }
  const { sent, resent, notTaken, unsure, behind, stopped } = sender;
  const isStopped = stopped !== undefined && !isInterrupted();
  return { sent, resent, notTaken, unsure, behind, ...(isStopped && { stopped }), isInterrupted: isInterrupted() };
}

/** How often a batch is sent at most that SQS certainly has not accepted. The pauses between add up to half a minute. */
const MAX_CALLS = 7;

const SERVER_ERROR = 'SQS refused after a server error';

/** After so many calls in a row that left it unknown whether SQS has the messages, no more are sent. */
const MAX_UNSURE_CALLS = 5;

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
  readonly unsure: number[] = [];
  /** How many were not sent because an earlier message of their group was refused, or may have been. */
  behind = 0;
  /** Why no more is sent. Undefined while the import continues. */
  stopped: string | undefined;
  sent = 0;
  /** How many of those sent an earlier import may have sent, too. */
  resent = 0;
  private batch: Pending[] = [];
  private readonly refusedGroups = new Set<string>();
  private unsureCalls = 0;
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

  async flush(): Promise<void> {
    const { batch } = this;
    this.batch = [];
    if (batch.length === 0 || this.isOver) return;
    await this.pace(batch.length);
    if (!this.isOver) await this.send(batch);
  }

  private get isOver(): boolean {
    return this.stopped !== undefined || this.ports.isInterrupted();
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
    const tried = this.sent + this.notTaken.length + this.unsure.length;
    const dueAtMs = this.startedAtMs + ((tried + count) / messagesPerSecond) * 1_000;
    while (nowMs() < dueAtMs && !isInterrupted()) await wait(Math.min(dueAtMs - nowMs(), LONGEST_PAUSE_MS));
  }

  private async send(batch: readonly Pending[]): Promise<void> {
    const { sqs, queue, journal, unsureLines } = this;
    const lines = batch.map(({ line }) => line);
    await journal.sending(lines);
    const Entries = batch.map(({ entry, line }) => ({ ...entry, Id: String(line) }));
    const command = new SendMessageBatchCommand({ QueueUrl: queue.url, Entries });
    let isUnsure = false;
    const onError = (error: unknown) => {
      isUnsure ||= !isCertainlyRefused(error);
    };
    try {
      const { Successful = [], Failed = [] } = await this.repeated(() => sqs.send(command), onError);
      await journal.sent(Successful.map(({ Id, MessageId = '' }) => [Number(Id), MessageId]));
      this.sent += Successful.length;
      this.resent += Successful.filter(({ Id }) => unsureLines.has(Number(Id))).length;
      const failed = new Set(Failed.map(({ Id }) => Number(Id)));
      if (isUnsure && failed.size > 0)
        await this.leaveUnsure(
          batch.filter(({ line }) => failed.has(line)),
          SERVER_ERROR,
        );
      else {
        await journal.failed([...failed]);
        for (const { Id, Code, Message } of Failed) this.addRefused(batch, Number(Id), `${Code}: ${Message}`);
        this.unsureCalls = 0;
      }
    } catch (error) {
      if (awsFailureOf(error, '') === undefined) throw error;
      if (isUnsure) return this.leaveUnsure(batch, messageOf(error));
      await journal.failed(lines);
      throw error;
    }
  }

  /** The journal has these messages as being sent, so that `--resend-unsure` finds them. */
  private async leaveUnsure(batch: readonly Pending[], reason: string): Promise<void> {
    this.unsure.push(...batch.map(({ line }) => line));
    for (const { group } of batch) if (group !== undefined) this.refusedGroups.add(group);
    this.unsureCalls += 1;
    if (this.unsureCalls >= MAX_UNSURE_CALLS) this.stopped = reason;
    else await this.ports.wait(backoffMs(this.unsureCalls));
  }

  /**
   * Repeats a call while that cannot send a message twice: SQS has certainly accepted nothing, or drops what it has because of its
   * deduplication id.
   */
  private async repeated<T>(call: () => Promise<T>, onError: (error: unknown) => void): Promise<T> {
    for (let calls = 1; ; calls += 1) {
      try {
        return await call();
      } catch (error) {
        onError(error);
        const mayRepeat = isTransient(error) && (this.queue.isFifo || isCertainlyRefused(error));
        if (!mayRepeat || calls === MAX_CALLS || this.ports.isInterrupted()) throw error;
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
