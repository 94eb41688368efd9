import {
  CancelMessageMoveTaskCommand,
  DeleteQueueCommand,
  ListMessageMoveTasksCommand,
  type ListMessageMoveTasksResultEntry,
  type SQSClient,
  StartMessageMoveTaskCommand,
  type StartMessageMoveTaskCommandInput,
} from '@aws-sdk/client-sqs';
import { Queue, redrivePolicy } from './queue';
import { ON_AWS, type Target } from './target';

type TaskOptions = Partial<StartMessageMoveTaskCommandInput>;

/** How long a task of a few messages takes from its start to its end. */
const TASK_SECONDS = ON_AWS ? 15 : 1;

/** The queue `orders`, its dead-letter queue `messages`, another queue to move to, and the calls of move tasks. */
export class Redrive {
  private constructor(
    private readonly aws: Target,
    readonly orders: Queue,
    readonly messages: Queue,
    readonly other: Queue,
    /** The client that starts and lists tasks. */
    private readonly caller: SQSClient,
  ) {}

  static async of(aws: Target, { messages = {} } = {}): Promise<Redrive> {
    const dlq = await Queue.of(aws, messages);
    const orders = await Queue.of(aws, { RedrivePolicy: redrivePolicy(dlq.arn) });
    return new Redrive(aws, orders, dlq, await Queue.of(aws), aws.sqs);
  }

  /** The same queues, for another caller. */
  as(caller: SQSClient): Redrive {
    return new Redrive(this.aws, this.orders, this.messages, this.other, caller);
  }

  /** Sends them to `source`, whose redrive policy then moves them. */
  async deadLetter(bodies: readonly string[], source = this.orders): Promise<void> {
    await source.sendAll(bodies);
    await source.receiveTooOften(1);
  }

  async start(options: TaskOptions = {}): Promise<string> {
    const asked = new StartMessageMoveTaskCommand({ SourceArn: this.messages.arn, ...options });
    return (await this.caller.send(asked)).TaskHandle ?? '';
  }

  async cancel(TaskHandle: string): Promise<number | undefined> {
    const cancelled = await this.caller.send(new CancelMessageMoveTaskCommand({ TaskHandle }));
    return cancelled.ApproximateNumberOfMessagesMoved;
  }

  /** @param MaxResults absent by default, as in a request that does not name it */
  async list(MaxResults?: number): Promise<readonly ListMessageMoveTasksResultEntry[]> {
    const asked = new ListMessageMoveTasksCommand({ SourceArn: this.messages.arn, MaxResults });
    return (await this.caller.send(asked)).Results ?? [];
  }

  /** The last task. */
  async task(): Promise<ListMessageMoveTasksResultEntry> {
    const [task = {}] = await this.list();
    return task;
  }

  /** Starts a task for a few messages, lets it end, and returns its description. */
  async run(options: TaskOptions = {}): Promise<ListMessageMoveTasksResultEntry> {
    await this.start(options);
    await this.aws.pass(TASK_SECONDS);
    return this.task();
  }

  delete({ url }: Queue) {
    return this.aws.sqs.send(new DeleteQueueCommand({ QueueUrl: url }));
  }
}

export const numbered = (count: number): readonly string[] => Array.from({ length: count }, (_, i) => `order-${i}`);
