import {
  type Message,
  SendMessageBatchCommand,
  type SendMessageBatchRequestEntry,
  SendMessageCommand,
  type SendMessageCommandInput,
} from '@aws-sdk/client-sqs';
import { Duration, type Stack } from 'aws-cdk-lib';
import { SqsEventSource } from 'aws-cdk-lib/aws-lambda-event-sources';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { LambdaSubscription } from 'aws-cdk-lib/aws-sns-subscriptions';
import { Queue } from 'aws-cdk-lib/aws-sqs';
import { ProcessingQueue } from '../../../lib/queue/processing-queue';
import type { Deployed } from '../../support/deployed';
import { inlineFunction } from '../../support/inline-function';
import { OperatedAccount, openAccount } from '../operated-account';
import { MemoryIo } from '../shared/memory-io';

/** Fails on every message. */
const CLERK = `exports.handler = async () => { throw new Error('no such order'); };`;

/** Adds one of our queues and plain queues: with dead-letter queues, standard and FIFO, and one that no resource uses. */
export function ownAndPlainQueues(stack: Stack): void {
  new ProcessingQueue(stack, 'Orders', { visibilityTimeout: Duration.seconds(30) });
  const dead = new Queue(stack, 'Dead', { retentionPeriod: Duration.days(14) });
  new Queue(stack, 'Work', {
    visibilityTimeout: Duration.seconds(5),
    deadLetterQueue: { queue: dead, maxReceiveCount: 1 },
  });
  new Queue(stack, 'Patient', { deadLetterQueue: { queue: dead, maxReceiveCount: 100 } });
  const deadParcels = new Queue(stack, 'DeadParcels', { fifo: true });
  new Queue(stack, 'Parcels', { fifo: true, deadLetterQueue: { queue: deadParcels, maxReceiveCount: 3 } });
  new Queue(stack, 'Lonely');
  const quiet = new Queue(stack, 'Quiet', { queueName: 'Test-Quiet' });
  new Queue(stack, 'Noisy', { deadLetterQueue: { queue: quiet, maxReceiveCount: 3 } });
  const read = new Queue(stack, 'Read');
  inlineFunction(stack, 'Reader', CLERK).addEventSource(new SqsEventSource(read));
  const failures = new Queue(stack, 'Failures');
  const clerk = inlineFunction(stack, 'Clerk', CLERK, { deadLetterQueue: failures, retryAttempts: 0 });
  new Topic(stack, 'Topic').addSubscription(new LambdaSubscription(clerk));
}

/** An account with queues, and an operator who runs commands. Tests inspect the result. */
export class MessagesAccount extends OperatedAccount {
  protected constructor(deployed: Deployed, url: string) {
    super(deployed, url, 'dlq');
  }

  static async of(fill: (stack: Stack) => void = ownAndPlainQueues): Promise<MessagesAccount> {
    const { deployed, url } = await openAccount(fill);
    return new MessagesAccount(deployed, url);
  }

  /** The files that exist when a command is run, unless it gets others. */
  files: Readonly<Record<string, string>> = {};

  override dlo(args: string, environment: NodeJS.ProcessEnv = {}, io = new MemoryIo(this.files)) {
    return super.dlo(args, environment, io);
  }

  /** A queue's own name. */
  queue(construct: string): string {
    return this.deployed.name(construct);
  }

  async send(construct: string, MessageBody: string, more: Partial<SendMessageCommandInput> = {}): Promise<string> {
    const QueueUrl = this.deployed.ref(construct);
    const { MessageId = '' } = await this.deployed.sqs.send(new SendMessageCommand({ QueueUrl, MessageBody, ...more }));
    return MessageId;
  }

  /** Messages whose bodies are numbers from 1. */
  async sendMany(construct: string, count: number): Promise<void> {
    const QueueUrl = this.deployed.ref(construct);
    const entries = Array.from(
      { length: count },
      (_, at): SendMessageBatchRequestEntry => ({ Id: String(at), MessageBody: String(at + 1) }),
    );
    for (let from = 0; from < count; from += 10) {
      const Entries = entries.slice(from, from + 10);
      await this.deployed.sqs.send(new SendMessageBatchCommand({ QueueUrl, Entries }));
    }
  }

  /** Returns the content of an export of the queue to a file of this name. */
  async export(construct: string, file: string): Promise<string> {
    const io = new MemoryIo();
    expect(await this.dlo(`export ${this.queue(construct)} ${file}`, {}, io)).toMatchObject({ exitCode: 0 });
    return io.readText(file);
  }

  /** Receives all visible messages of a queue, and leaves them hidden. A message that is not here is lost or hidden. */
  async all(construct: string): Promise<readonly Message[]> {
    const found: Message[] = [];
    for (;;) {
      const messages = await this.deployed.receive(construct);
      if (messages.length === 0) return found;
      found.push(...messages);
    }
  }

  /** Receives and deletes all visible messages. Returns their bodies in order. */
  async drain(construct: string): Promise<readonly string[]> {
    const bodies: string[] = [];
    for (;;) {
      const taken = await this.deployed.take(construct);
      if (taken.length === 0) return bodies.sort();
      bodies.push(...taken);
    }
  }
}
