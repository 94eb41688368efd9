import type { CloudWatchClient } from '@aws-sdk/client-cloudwatch';
import type { CloudWatchLogsClient } from '@aws-sdk/client-cloudwatch-logs';
import type { EventBridgeClient } from '@aws-sdk/client-eventbridge';
import type { LambdaClient } from '@aws-sdk/client-lambda';
import type { SchedulerClient } from '@aws-sdk/client-scheduler';
import type { SNSClient } from '@aws-sdk/client-sns';
import {
  GetQueueAttributesCommand,
  type Message,
  ReceiveMessageCommand,
  SendMessageCommand,
  type SendMessageCommandInput,
  SetQueueAttributesCommand,
  type SQSClient,
} from '@aws-sdk/client-sqs';

/** A question to AWS whose answer an assumption states in advance. */
export interface Probe {
  /** The row of docs/assumptions.md. */
  readonly id: string;
  readonly question: string;
  /** The answer that the project assumes, word for word. */
  readonly assumed: string;
  /** The queues that it needs, by name. */
  readonly queues?: Readonly<Record<string, QueueSpec>>;
  /** The topics that it needs, by name. */
  readonly topics?: Readonly<Record<string, TopicSpec>>;
  /** Asks AWS. Returns what AWS did, in the form of `assumed`. */
  ask(aws: Probing): Promise<string>;
}

export interface QueueSpec {
  readonly fifo?: boolean;
  /** Whether any topic may send to it. @default false */
  readonly openToTopics?: boolean;
  /** The dead-letter queue, by name: one of the same probe, stated before this one. */
  readonly deadLetters?: string;
  /** @default 1 */
  readonly maxReceiveCount?: number;
}

interface TopicSpec {
  readonly fifo?: boolean;
}

/** Where the probes ask: AWS or the embedded AWS, with the stack of the probes deployed. */
export interface ProbedAws {
  readonly sqs: SQSClient;
  readonly sns: SNSClient;
  readonly lambda: LambdaClient;
  readonly cloudWatch: CloudWatchClient;
  readonly logs: CloudWatchLogsClient;
  readonly events: EventBridgeClient;
  readonly scheduler: SchedulerClient;
  /** An output of the stack. @throws Error for one that it does not have */
  output(name: string): string;
  nowMs(): number;
  /** Waits for the answer of a function. In the embedded AWS a function runs only while time passes. */
  run<Answer>(call: Promise<Answer>): Promise<Answer>;
  /** Resolves when that time has passed; rejects when the run was interrupted. */
  pass(seconds: number): Promise<void>;
}

/** The name of the output with the URL of a probe's queue, or with the ARN of its topic. */
export function outputOf(id: string, name: string): string {
  return `${id.replace('-', '')}${name}`;
}

/** What a probe asks with: its own queues and topics, and the function and the role that all of them share. */
export class Probing {
  private readonly undoing: (() => Promise<unknown>)[] = [];

  constructor(
    private readonly id: string,
    readonly aws: ProbedAws,
  ) {}

  queue(name: string): ProbedQueue {
    return new ProbedQueue(this.aws, this.aws.output(outputOf(this.id, name)));
  }

  topicArn(name: string): string {
    return this.aws.output(outputOf(this.id, name));
  }

  /** Registers how to remove what the probe has just created outside the stack. */
  afterwards(undo: () => Promise<unknown>): void {
    this.undoing.push(undo);
  }

  /** Removes what the probe created, the newest first. */
  async undo(): Promise<void> {
    for (const undo of this.undoing.splice(0).reverse()) await undo();
  }

  /** Repeats a question until it has an answer. Returns undefined if there is none in time. */
  async eventually<Answer>(
    ask: () => Promise<Answer | undefined>,
    { tries = 20, everySeconds = 3 } = {},
  ): Promise<Answer | undefined> {
    for (let i = 0; i < tries; i += 1) {
      if (i > 0) await this.aws.pass(everySeconds);
      const answer = await ask();
      if (answer !== undefined) return answer;
    }
    return undefined;
  }
}

/** A queue of the stack. */
export class ProbedQueue {
  constructor(
    private readonly aws: ProbedAws,
    readonly url: string,
  ) {}

  async arn(): Promise<string> {
    return (await this.attributes())['QueueArn'] ?? '';
  }

  async attributes(): Promise<Readonly<Record<string, string>>> {
    const asked = new GetQueueAttributesCommand({ QueueUrl: this.url, AttributeNames: ['All'] });
    return (await this.aws.sqs.send(asked)).Attributes ?? {};
  }

  async set(Attributes: Readonly<Record<string, string>>): Promise<void> {
    await this.aws.sqs.send(new SetQueueAttributesCommand({ QueueUrl: this.url, Attributes }));
  }

  send(MessageBody: string, more: Partial<SendMessageCommandInput> = {}) {
    return this.aws.sqs.send(new SendMessageCommand({ QueueUrl: this.url, MessageBody, ...more }));
  }

  /**
   * Receives a message within some seconds: a short poll of a real queue may miss one.
   * @param visibilitySeconds how long it is hidden then @default 0
   */
  async receive(visibilitySeconds = 0, tries = 10): Promise<Message | undefined> {
    const asked = new ReceiveMessageCommand({
      QueueUrl: this.url,
      VisibilityTimeout: visibilitySeconds,
      MessageSystemAttributeNames: ['All'],
      MessageAttributeNames: ['All'],
    });
    for (let i = 0; i < tries; i += 1) {
      if (i > 0) await this.aws.pass(1);
      const [message] = (await this.aws.sqs.send(asked)).Messages ?? [];
      if (message) return message;
    }
    return undefined;
  }

  async body(): Promise<string> {
    return (await this.receive())?.Body ?? 'nothing';
  }
}

/** What differs between accounts and runs. */
const PARTICULARS: readonly (readonly [RegExp, string])[] = [
  [/https?:\/\/[^\s"',)]+/g, '<URL>'],
  [/arn:aws[^\s"',)]+/g, '<ARN>'],
  [/DeadLetterOfficeAssumptions-[\w.-]+\w/g, '<name>'],
  [/\b\d{12}\b/g, '<account>'],
  [/\bAQEB[\w+/=]+/g, '<handle>'],
];

/** A text of AWS without the names, ARNs and URLs of this run. */
export function withoutParticulars(text: string): string {
  return PARTICULARS.reduce((rest, [pattern, name]) => rest.replaceAll(pattern, name), text);
}

/** Makes a call that AWS may refuse. Returns `accepted`, or the code and the text of the error. */
export async function refusal(call: Promise<unknown>): Promise<string> {
  try {
    await call;
    return 'accepted';
  } catch (error) {
    if (!(error instanceof Error) || !('$metadata' in error)) throw error;
    return withoutParticulars(`${error.name}: ${error.message}`);
  }
}
