import { SendMessageBatchCommand, SQSClient } from '@aws-sdk/client-sqs';
import { Duration, type Stack } from 'aws-cdk-lib';
import { type Alarm, ComparisonOperator, Stats, TreatMissingData } from 'aws-cdk-lib/aws-cloudwatch';
import { OpsTopic, ProcessingQueue, Redrive, RedriveDestination, type RedriveProps } from '../../../lib';
import { type Behaviour, type OutsideEndpoint, response } from '../../../local';
import { DeployedRedrive } from '../../lambda/redrive/redrive-fixture';
import { Deployed } from '../../support/deployed';
import { inlineFunction } from '../../support/inline-function';
import { type RedriveBooks, redriveBooks } from './redrive-books';

const HOST = 'warehouse.example.com';
const MAILBOX = 'ops@example.com';

/** The dead-letter queue of the orders. */
export const DEAD = 'Orders/DeadLetterQueue';
export const DOWN: Behaviour = { reply: response(503) };

/** Hands each order to the warehouse, and cannot read what is poison. */
const CONSUMER = `exports.handler = async ({ Records: [{ body }] }) => {
  if (body.startsWith('poison')) throw new Error('indigestible');
  const { status } = await fetch('https://${HOST}/', { method: 'POST', body });
  if (status >= 300) throw new Error('the warehouse answered ' + status);
};`;

/** What of the world a scenario makes its redrive of. */
interface RedriveParts {
  readonly stack: Stack;
  readonly ops: OpsTopic;
  readonly orders: ProcessingQueue;
  /** Fires in a minute in which the consumer fails. Where nothing comes it is OK. */
  readonly errors: Alarm;
}

export interface RedriveWorldOptions {
  /** A scenario names it in its title, so that a failure tells it. */
  readonly seed: number;
  /** What differs from a redrive back to the queue, once the alarm has recovered. */
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

/** The most of these instants that lie within any stretch of so many milliseconds. */
export function mostWithin(atMs: readonly number[], stretchMs: number): number {
  const sorted = atMs.toSorted((one, other) => one - other);
  let from = 0;
  return sorted.reduce((most, at, index) => {
    while (at - (sorted[from] ?? at) >= stretchMs) from += 1;
    return Math.max(most, index + 1 - from);
  }, 0);
}

/** A queue of orders, whose consumer hands them to a warehouse, and its redrive, under virtual time. */
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
    const deployed = await Deployed.stack(stack => fill(stack, options), { seed: options.seed });
    deployed.aws.confirmSubscription(MAILBOX);
    return new RedriveSimulation(deployed, new DeployedRedrive(deployed, DEAD));
  }

  get warehouse(): OutsideEndpoint {
    return this.deployed.aws.endpoint(HOST);
  }

  advance(...stretch: Parameters<Deployed['advance']>): Promise<number> {
    return this.deployed.advance(...stretch);
  }

  /** Sends so many new ones, each with a body of its own. */
  async send(count: number, { to = 'Orders', kind = 'order' } = {}): Promise<void> {
    const bodies = Array.from({ length: count }, (_, index) => `${kind} ${this.sent.length + index}`);
    this.sent.push(...bodies);
    for (let from = 0; from < count; from += 10) {
      const Entries = bodies.slice(from, from + 10).map((MessageBody, index) => ({ Id: `${index}`, MessageBody }));
      await this.many.send(new SendMessageBatchCommand({ QueueUrl: this.deployed.ref(to), Entries }));
    }
  }

  /** One every so many minutes, for so long. */
  async sendEvery(minutes: number, forMinutes: number): Promise<void> {
    for (let passed = 0; passed < forMinutes; passed += minutes) {
      await this.send(1);
      await this.advance({ minutes });
    }
  }

  /** What the warehouse has got, each as often as it got it. */
  get processed(): readonly string[] {
    return this.warehouse.requests.flatMap(({ body, reply }) =>
      reply.kind === 'response' && reply.status < 300 ? [Buffer.from(body).toString()] : [],
    );
  }

  /** When a letter was moved, by any task. */
  get movedAtMs(): readonly number[] {
    return this.deployed.happened('sqs.moved').map(({ atMs }) => atMs);
  }

  /** The subjects of the mails people got about this, in their order. */
  reported(about: RegExp): readonly string[] {
    return this.redrive.mails.filter(subject => about.test(subject));
  }

  /** The text of the first mail about this. */
  mailOn(about: RegExp): string {
    const mails = this.deployed.aws.recipients.receipts(MAILBOX);
    return mails.find(({ subject = '' }) => about.test(subject))?.body ?? '';
  }

  /** Takes out all that is in a queue. */
  async drain(path: string): Promise<readonly string[]> {
    const bodies: string[] = [];
    for (let taken = await this.deployed.take(path); taken.length > 0; taken = await this.deployed.take(path)) {
      bodies.push(...taken);
    }
    return bodies;
  }

  /** What became of everything, at the end of a story. */
  async books(quarantine?: string): Promise<RedriveBooks> {
    const dead = await this.drain(DEAD);
    const quarantined = quarantine === undefined ? [] : await this.drain(quarantine);
    return redriveBooks(this.sent, { processed: this.processed, dead, quarantined });
  }
}
