import { SendMessageBatchCommand, SQSClient } from '@aws-sdk/client-sqs';
import { Duration, type Stack } from 'aws-cdk-lib';
import { type Alarm, ComparisonOperator, Stats, TreatMissingData } from 'aws-cdk-lib/aws-cloudwatch';
import { OpsTopic, ProcessingQueue, Redrive, RedriveDestination, type RedriveProps } from '../../../lib';
import { type Behaviour, type LocalAwsOptions, type OutsideEndpoint, response } from '../../../local';
import { DeployedRedrive } from '../../lambda/redrive/redrive-fixture';
import { Deployed } from '../../support/deployed';
import { inlineFunction } from '../../support/inline-function';
import { type RedriveBooks, redriveBooks } from './redrive-books';

const HOST = 'warehouse.example.com';
const MAILBOX = 'ops@example.com';

/** The dead-letter queue of the orders. */
export const DEAD = 'Orders/DeadLetterQueue';
export const DOWN: Behaviour = { reply: response(503) };

/** Posts each order to the warehouse, and fails on poison. */
const CONSUMER = `exports.handler = async ({ Records: [{ body }] }) => {
  if (body.startsWith('poison')) throw new Error('indigestible');
  const { status } = await fetch('https://${HOST}/', { method: 'POST', body });
  if (status >= 300) throw new Error('the warehouse answered ' + status);
};`;

/** The parts with which a scenario configures its redrive. */
interface RedriveParts {
  readonly stack: Stack;
  readonly ops: OpsTopic;
  readonly orders: ProcessingQueue;
  /** Fires in a minute in which the consumer fails. Without messages it is OK. */
  readonly errors: Alarm;
}

export interface RedriveWorldOptions {
  /** Scenarios have it in their title, so that a failure shows it. */
  readonly seed: number;
  /** Other accounts that exist. */
  readonly places?: LocalAwsOptions['places'];
  /** Changes to the default: a redrive back to the queue when the alarm has recovered. */
  readonly redrive: (parts: RedriveParts) => Partial<RedriveProps>;
}

function fill(stack: Stack, options: RedriveWorldOptions): void {
  const ops = new OpsTopic(stack, 'Ops', { email: MAILBOX });
  const orders = new ProcessingQueue(stack, 'Orders', {
    visibilityTimeout: Duration.seconds(30),
    maxReceiveCount: 3,
    alarmActions: [ops],
  });
  const consumer = inlineFunction(stack, 'Consumer', CONSUMER, { timeout: Duration.seconds(5) });
  orders.addFunctionConsumer(consumer, { batchSize: 1 });
  const metric = consumer.metricErrors({ period: Duration.minutes(1), statistic: Stats.SUM });
  const errors = metric.createAlarm(stack, 'Errors', {
    threshold: 0,
    comparisonOperator: ComparisonOperator.GREATER_THAN_THRESHOLD,
    evaluationPeriods: 1,
    treatMissingData: TreatMissingData.NOT_BREACHING,
  });
  new Redrive(stack, 'Redrive', {
    deadLetterQueue: orders.deadLetters,
    destination: RedriveDestination.queue(orders),
    enabled: true,
    messagesPerDay: 2_000,
    resultsTopic: ops,
    alarmActions: [ops],
    ...options.redrive({ stack, ops, orders, errors }),
  });
}

/** Returns the highest number of instants within any interval of this many milliseconds. */
export function mostWithin(atMs: readonly number[], stretchMs: number): number {
  const sorted = atMs.toSorted((one, other) => one - other);
  let from = 0;
  return sorted.reduce((most, at, index) => {
    while (at - (sorted[from] ?? at) >= stretchMs) from += 1;
    return Math.max(most, index + 1 - from);
  }, 0);
}

/** A queue of orders, a consumer that posts them to a warehouse, and a redrive, under virtual time. */
export class RedriveSimulation {
  readonly sent: string[] = [];
  private readonly many: SQSClient;

  private constructor(
    readonly deployed: Deployed,
    readonly redrive: DeployedRedrive,
  ) {
    this.many = new SQSClient(deployed.aws.clientConfig());
  }

  static async deploy(options: RedriveWorldOptions): Promise<RedriveSimulation> {
    const deployed = await Deployed.stack(stack => fill(stack, options), {
      seed: options.seed,
      places: options.places,
    });
    deployed.aws.confirmSubscription(MAILBOX);
    return new RedriveSimulation(deployed, new DeployedRedrive(deployed, DEAD));
  }

  get warehouse(): OutsideEndpoint {
    return this.deployed.aws.endpoint(HOST);
  }

  advance(...stretch: Parameters<Deployed['advance']>): Promise<number> {
    return this.deployed.advance(...stretch);
  }

  /** Sends this many new messages, each with a different body. */
  async send(count: number, { to = 'Orders', kind = 'order' } = {}): Promise<void> {
    const bodies = Array.from({ length: count }, (_, index) => `${kind} ${this.sent.length + index}`);
    this.sent.push(...bodies);
    for (let from = 0; from < count; from += 10) {
      const Entries = bodies.slice(from, from + 10).map((MessageBody, index) => ({ Id: `${index}`, MessageBody }));
      await this.many.send(new SendMessageBatchCommand({ QueueUrl: this.deployed.ref(to), Entries }));
    }
  }

  /** Sends one message at this interval, for this long. */
  async sendEvery(minutes: number, forMinutes: number): Promise<void> {
    for (let passed = 0; passed < forMinutes; passed += minutes) {
      await this.send(1);
      await this.advance({ minutes });
    }
  }

  /** The orders that the warehouse received, with repetitions. */
  get processed(): readonly string[] {
    return this.warehouse.requests.flatMap(({ body, reply }) =>
      reply.kind === 'response' && reply.status < 300 ? [Buffer.from(body).toString()] : [],
    );
  }

  /** When messages were moved, by any task. */
  get movedAtMs(): readonly number[] {
    return this.deployed.happened('sqs.moved').map(({ atMs }) => atMs);
  }

  /** Returns the subjects of the mails about this, in order. */
  reported(about: RegExp): readonly string[] {
    return this.redrive.mails.filter(subject => about.test(subject));
  }

  /** Returns the text of the first mail about this. */
  mailOn(about: RegExp): string {
    const mails = this.deployed.aws.recipients.receipts(MAILBOX);
    return mails.find(({ subject = '' }) => about.test(subject))?.body ?? '';
  }

  /** Receives and deletes all messages of a queue. */
  async drain(path: string): Promise<readonly string[]> {
    const bodies: string[] = [];
    for (let taken = await this.deployed.take(path); taken.length > 0; taken = await this.deployed.take(path)) {
      bodies.push(...taken);
    }
    return bodies;
  }

  /** Returns what happened to every message, at the end of a story. */
  async books(quarantine?: string): Promise<RedriveBooks> {
    const dead = await this.drain(DEAD);
    const quarantined = quarantine === undefined ? [] : await this.drain(quarantine);
    return redriveBooks(this.sent, { processed: this.processed, dead, quarantined });
  }
}
