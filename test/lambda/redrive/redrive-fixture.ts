import { CloudWatchClient, PutMetricDataCommand } from '@aws-sdk/client-cloudwatch';
import { DeleteRolePolicyCommand, IAMClient, PutRolePolicyCommand } from '@aws-sdk/client-iam';
import { InvokeCommand, LambdaClient } from '@aws-sdk/client-lambda';
import { SendMessageBatchCommand, StartMessageMoveTaskCommand } from '@aws-sdk/client-sqs';
import { Duration, type Stack } from 'aws-cdk-lib';
import { Alarm, ComparisonOperator, Metric, TreatMissingData } from 'aws-cdk-lib/aws-cloudwatch';
import type { StartDecision } from '../../../lambda/redrive/step-runner';
import {
  DeadLetterQueue,
  OpsTopic,
  ProcessingQueue,
  Redrive,
  RedriveDestination,
  type RedriveOptions,
} from '../../../lib';
import { REDRIVE_METRICS, type RedriveMetricName } from '../../../policy/metric-names';
import type { RedriveTrigger } from '../../../policy/redrive/redrive-facts';
import { withOptions } from '../../support/assembly';
import { Deployed } from '../../support/deployed';
import { inlineFunction } from '../../support/inline-function';
import { turnSwitch } from '../../support/redrive-switch';

/** Fails on poison, and logs what it processed. */
const CONSUMER = `exports.handler = async ({ Records: [{ body }] }) => {
  if (body.startsWith('poison')) throw new Error('indigestible');
  console.log('done: ' + body);
};`;

const MAILBOX = 'ops@example.com';

/** The log record of an invocation. */
export interface RedriveRecord {
  readonly level: string;
  readonly trigger: string;
  readonly did: string;
  readonly outcome: string;
  readonly cause?: string;
  readonly reason: string;
  readonly state: string;
  readonly failure?: string;
  readonly unread?: readonly string[];
  /** Why SQS refused the task, so that the function copied the messages. */
  readonly refusal?: string;
  readonly movePass?: {
    readonly status: string;
    readonly moved: number;
    readonly quarantined?: number;
    readonly reason: string;
  };
}

function fill(stack: Stack, options: RedriveOptions): void {
  const ops = new OpsTopic(stack, 'Ops', { email: MAILBOX });
  const alarmActions = [ops];
  const orders = new ProcessingQueue(stack, 'Orders', { visibilityTimeout: Duration.seconds(30), alarmActions });
  const consumer = inlineFunction(stack, 'Consumer', CONSUMER, { timeout: Duration.seconds(5) });
  orders.addFunctionConsumer(consumer, { batchSize: 1 });
  const healthAlarm = new Alarm(stack, 'Health', {
    metric: new Metric({ namespace: 'Shop', metricName: 'Trouble', period: Duration.minutes(1) }),
    threshold: 0,
    comparisonOperator: ComparisonOperator.GREATER_THAN_THRESHOLD,
    evaluationPeriods: 1,
    treatMissingData: TreatMissingData.NOT_BREACHING,
  });
  // No redrive policy names this queue, so SQS does not know it as a dead-letter queue. Only SNS and Lambda send to it.
  const unnamed = options.anchor === undefined ? undefined : new DeadLetterQueue(stack, 'Unnamed', { alarmActions });
  new Redrive(stack, 'Redrive', {
    deadLetterQueue: unnamed ?? orders.deadLetters,
    destination: RedriveDestination.queue(orders),
    enabled: true,
    healthAlarms: [healthAlarm],
    healthyFor: Duration.minutes(1),
    resultsTopic: ops,
    alarmActions,
    ...options,
  });
}

const stackOf = withOptions(fill);

/** A queue, its consumer and its redrive with the released bundle, in the embedded AWS. */
export class DeployedRedrive {
  private readonly lambda: LambdaClient;
  private readonly cloudWatch: CloudWatchClient;
  private readonly iam: IAMClient;

  /**
   * @param deadLetters the path of the queue that it empties
   * @param path the path of the redrive
   */
  constructor(
    readonly deployed: Deployed,
    private readonly deadLetters: string,
    private readonly path = 'Redrive',
  ) {
    const config = deployed.aws.clientConfig();
    this.lambda = new LambdaClient(config);
    this.cloudWatch = new CloudWatchClient(config);
    this.iam = new IAMClient(config);
  }

  private get functionPath(): string {
    return `${this.path}/Function`;
  }

  /** Deploys with these dead letters, and with alarms that have been OK for long enough. */
  static async deploy(messages: readonly string[], options: RedriveOptions = {}): Promise<DeployedRedrive> {
    const deployed = await Deployed.stack(stackOf(options));
    deployed.aws.confirmSubscription(MAILBOX);
    const redrive = new DeployedRedrive(deployed, options.anchor === undefined ? 'Orders/DeadLetterQueue' : 'Unnamed');
    await deployed.advance({ minutes: 3 });
    await redrive.deadLetterMessage(messages);
    return redrive;
  }

  /** Sends messages to the dead-letter queue. */
  async deadLetterMessage(messages: readonly string[]): Promise<void> {
    for (let from = 0; from < messages.length; from += 10) {
      const Entries = messages.slice(from, from + 10).map((MessageBody, index) => ({ Id: `${index}`, MessageBody }));
      await this.deployed.sqs.send(
        new SendMessageBatchCommand({ QueueUrl: this.deployed.ref(this.deadLetters), Entries }),
      );
    }
  }

  /** Invokes the function now. */
  async invoke(trigger: RedriveTrigger): Promise<void> {
    const Payload = JSON.stringify({ trigger });
    const FunctionName = this.deployed.ref(this.functionPath);
    await this.lambda.send(new InvokeCommand({ FunctionName, InvocationType: 'Event', Payload }));
  }

  async turnSwitch(Value: string): Promise<void> {
    await turnSwitch(this.deployed, this.path, Value);
  }

  /** Makes the health alarm fire at its next evaluation, within a minute. */
  async fallIll(): Promise<void> {
    const MetricData = [{ MetricName: 'Trouble', Value: 1, Timestamp: new Date(this.deployed.aws.nowMs) }];
    await this.cloudWatch.send(new PutMetricDataCommand({ Namespace: 'Shop', MetricData }));
  }

  /** Starts a move task by hand. */
  async moveByHand(MaxNumberOfMessagesPerSecond: number): Promise<void> {
    const [SourceArn, DestinationArn] = [this.deployed.arn(this.deadLetters), this.deployed.arn('Orders')];
    const start = new StartMessageMoveTaskCommand({ SourceArn, DestinationArn, MaxNumberOfMessagesPerSecond });
    await this.deployed.sqs.send(start);
  }

  /** Denies the function these permissions, and restores those denied before. */
  async deny(...Action: readonly string[]): Promise<void> {
    const policy = { RoleName: this.deployed.ref(`${this.path}/Role`), PolicyName: 'Denied' };
    if (Action.length === 0) {
      await this.iam.send(new DeleteRolePolicyCommand(policy));
      return;
    }
    const Statement = [{ Effect: 'Deny', Action, Resource: '*' }];
    const PolicyDocument = JSON.stringify({ Version: '2012-10-17', Statement });
    await this.iam.send(new PutRolePolicyCommand({ ...policy, PolicyDocument }));
  }

  get records(): readonly RedriveRecord[] {
    return this.log('"message":"redrive"').map((text): RedriveRecord => JSON.parse(text));
  }

  /** What the function did except waiting, a line each: the action, and its cause or outcome. */
  get deeds(): readonly string[] {
    const { records } = this;
    return records.flatMap(({ did, cause, outcome }) => (did === 'wait' ? [] : [[did, cause ?? outcome].join(' ')]));
  }

  log(having: string): readonly string[] {
    return this.deployed.log(this.deployed.ref(`${this.path}/Log`)).filter(text => text.includes(having));
  }

  /** The bodies of the messages that the consumer has processed. */
  get done(): readonly string[] {
    const group = `/aws/lambda/${this.deployed.ref('Consumer')}`;
    return this.deployed.log(group).flatMap(line => /done: (.*)/.exec(line)?.[1]?.trim() ?? []);
  }

  /** The number of dead letters. */
  get dead(): number {
    const name = this.deployed.name(this.deadLetters);
    const queue = this.deployed.aws.state().queues.find(it => it.name === name);
    if (!queue) throw new Error('there is no dead-letter queue');
    return queue.visible + queue.inFlight + queue.delayed;
  }

  /** Each move task: its rate, how it ended, and how many messages it moved. */
  get tasks(): readonly string[] {
    const ended = this.deployed.happened('sqs.move-task-ended');
    return this.deployed.happened('sqs.move-task-started').map(({ taskId, messagesPerSecond }) => {
      const { status, messagesMoved } = ended.find(it => it.taskId === taskId) ?? {
        status: 'RUNNING',
        messagesMoved: 0,
      };
      return `${messagesPerSecond}/s ${status} ${messagesMoved}`;
    });
  }

  /** The subjects of the mails that were sent. */
  get mails(): readonly string[] {
    return this.deployed.aws.recipients.receipts(MAILBOX).flatMap(({ subject }) => subject ?? []);
  }

  /** How often the function failed. */
  errors(): Promise<number> {
    return this.deployed.functionSum(this.functionPath, 'Errors');
  }

  /** The sums of its own metrics. */
  counts(...metrics: readonly RedriveMetricName[]): Promise<number[]> {
    const { namespace, dimension } = REDRIVE_METRICS;
    const of = { [dimension]: this.deployed.ref(this.functionPath) };
    return Promise.all(metrics.map(metric => this.deployed.sum(namespace, metric, of)));
  }
}

/** The decision that starts a run: a task of ten messages, one a second. */
export const CANARY: StartDecision = {
  kind: 'start',
  step: 0,
  carrier: 'task',
  messagesPerSecond: 1,
  messages: 10,
  reason: 'the schedule asks for a run',
};
