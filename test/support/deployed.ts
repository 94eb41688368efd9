import { CloudWatchClient, GetMetricStatisticsCommand } from '@aws-sdk/client-cloudwatch';
import { PublishCommand, type PublishCommandInput, SNSClient } from '@aws-sdk/client-sns';
import {
  DeleteMessageCommand,
  type Message,
  ReceiveMessageCommand,
  SendMessageCommand,
  SetQueueAttributesCommand,
  SQSClient,
} from '@aws-sdk/client-sqs';
import type { Stack } from 'aws-cdk-lib';
import { LocalAws, type LocalAwsOptions, type TimeSpan, type TracedAwsEvent } from '../../local';
import { sharedAssemblyOfStack } from './assembly';

type Happened<Type> = Extract<TracedAwsEvent, { type: Type }>;

/** A change of an alarm's state, and when it happened. */
export interface Ring {
  readonly to: string;
  /** Seconds since the start of the simulation. */
  readonly seconds: number;
}

/** On a busy machine, an innocent function may compute for longer than the default. */
const PATIENT_WATCHDOG_MS = 120_000;

const running = new Set<Deployed>();

/**
 * A stack that is synthesized and deployed to the embedded AWS, with SDK clients. A resource is named by the path of its
 * construct below the stack `Test`, or by its whole path with a leading `/`. It is closed after the test file, unless the
 * test closes it before.
 */
export class Deployed {
  readonly sns: SNSClient;
  readonly sqs: SQSClient;
  private readonly startMs: number;

  constructor(readonly aws: LocalAws) {
    this.sns = new SNSClient({ ...aws.clientConfig(), maxAttempts: 1 });
    this.sqs = new SQSClient({ ...aws.clientConfig(), maxAttempts: 1 });
    this.startMs = aws.nowMs;
    running.add(this);
  }

  /** Deploys an assembly whose stack is named `Test`. */
  static async assembly(directory: string, options: LocalAwsOptions = {}): Promise<Deployed> {
    const lambda = { watchdogMs: PATIENT_WATCHDOG_MS, ...options.lambda };
    return new Deployed(await LocalAws.deploy(directory, { ...options, lambda }));
  }

  /** Deploys a stack, which is synthesized once for each function. */
  static stack(fill: (stack: Stack) => void, options: LocalAwsOptions = {}): Promise<Deployed> {
    return Deployed.assembly(sharedAssemblyOfStack(fill), options);
  }

  /** Seconds since the start of the simulation. */
  get seconds(): number {
    return this.secondsAt(this.aws.nowMs);
  }

  secondsAt(atMs: number): number {
    return (atMs - this.startMs) / 1_000;
  }

  advance(stretch: TimeSpan): Promise<number> {
    return this.aws.advance(stretch);
  }

  /** Closes it now and releases its memory. */
  async close(): Promise<void> {
    running.delete(this);
    await this.aws.close();
  }

  /** The value of `Ref`: the URL of a queue, the ARN of a topic, the name of an alarm. */
  ref(path: string): string {
    return this.resource(path).ref;
  }

  /** The ARN of a queue, a function or a key. */
  arn(path: string): string {
    const { Arn } = this.resource(path).attributes;
    if (Arn === undefined) throw new Error(`${path} has no ARN`);
    return Arn;
  }

  /** The name at the end of an ARN or URL. */
  name(path: string): string {
    return this.ref(path).split(/[:/]/).at(-1) ?? '';
  }

  async publish(topic: string, message: string, more: Partial<PublishCommandInput> = {}): Promise<string> {
    const { MessageId = '' } = await this.sns.send(
      new PublishCommand({ TopicArn: this.ref(topic), Message: message, ...more }),
    );
    return MessageId;
  }

  async send(queue: string, body: string): Promise<string> {
    const request = new SendMessageCommand({ QueueUrl: this.ref(queue), MessageBody: body });
    return (await this.sqs.send(request)).MessageId ?? '';
  }

  /** Receives at most ten messages by a short poll, with all their attributes. */
  async receive(queue: string): Promise<readonly Message[]> {
    const { Messages = [] } = await this.sqs.send(
      new ReceiveMessageCommand({
        QueueUrl: this.ref(queue),
        MaxNumberOfMessages: 10,
        MessageAttributeNames: ['All'],
        MessageSystemAttributeNames: ['All'],
      }),
    );
    return Messages;
  }

  /** Receives and deletes messages. Returns their bodies. */
  async take(queue: string): Promise<readonly string[]> {
    const messages = await this.receive(queue);
    for (const { ReceiptHandle } of messages) {
      await this.sqs.send(new DeleteMessageCommand({ QueueUrl: this.ref(queue), ReceiptHandle }));
    }
    return messages.map(({ Body = '' }) => Body);
  }

  async takeQueuePolicyAway(queue: string): Promise<void> {
    await this.sqs.send(new SetQueueAttributesCommand({ QueueUrl: this.ref(queue), Attributes: { Policy: '' } }));
  }

  happened<Type extends TracedAwsEvent['type']>(type: Type): readonly Happened<Type>[] {
    return this.aws.trace.events.filter((it): it is Happened<Type> => it.type === type);
  }

  /** Every change of the alarm's state. */
  rings(alarm: string): readonly Ring[] {
    return this.happened('cloudwatch.alarm-state-changed')
      .filter(({ alarmName }) => alarmName === this.ref(alarm))
      .map(({ to, atMs }) => ({ to, seconds: this.secondsAt(atMs) }));
  }

  /** When the alarm fired, in seconds since the start of the simulation. */
  alarmed(alarm: string): readonly number[] {
    return this.rings(alarm)
      .filter(({ to }) => to === 'ALARM')
      .map(({ seconds }) => seconds);
  }

  /** The sum of a metric over everything so far. */
  async sum(namespace: string, metric: string, dimension: Readonly<Record<string, string>>): Promise<number> {
    const asked = new GetMetricStatisticsCommand({
      Namespace: namespace,
      MetricName: metric,
      Dimensions: Object.entries(dimension).map(([Name, Value]) => ({ Name, Value })),
      StartTime: new Date(this.startMs),
      EndTime: new Date(this.aws.nowMs + 60_000),
      Period: 86_400,
      Statistics: ['Sum'],
    });
    const { Datapoints = [] } = await new CloudWatchClient(this.aws.clientConfig()).send(asked);
    return Datapoints.reduce((sum, { Sum = 0 }) => sum + Sum, 0);
  }

  /** The sum of a metric of a topic. */
  topicSum(topic: string, metric: string): Promise<number> {
    return this.sum('AWS/SNS', metric, { TopicName: this.name(topic) });
  }

  /** The sum of a metric of a queue. */
  queueSum(queue: string, metric: string): Promise<number> {
    return this.sum('AWS/SQS', metric, { QueueName: this.name(queue) });
  }

  /** The sum of a metric of a function. */
  functionSum(handler: string, metric: string): Promise<number> {
    return this.sum('AWS/Lambda', metric, { FunctionName: this.ref(handler) });
  }

  /** The texts in a log group. */
  log(group: string): readonly string[] {
    return this.aws.logs(group).map(({ message }) => message);
  }

  private resource(path: string) {
    return this.aws.resource(path.startsWith('/') ? path.slice(1) : `Test/${path}`);
  }
}

afterAll(async () => {
  for (const deployed of running) await deployed.close();
});
