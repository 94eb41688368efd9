import path from 'node:path';
import { Duration, RemovalPolicy, type Stack } from 'aws-cdk-lib';
import { AttributeType, BillingMode, Table } from 'aws-cdk-lib/aws-dynamodb';
import { Rule, Schedule } from 'aws-cdk-lib/aws-events';
import { LambdaFunction as FunctionTarget } from 'aws-cdk-lib/aws-events-targets';
import { Key } from 'aws-cdk-lib/aws-kms';
import { Code, Function as LambdaFunction, Runtime } from 'aws-cdk-lib/aws-lambda';
import { SqsEventSource } from 'aws-cdk-lib/aws-lambda-event-sources';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { SqsSubscription } from 'aws-cdk-lib/aws-sns-subscriptions';
import { Queue } from 'aws-cdk-lib/aws-sqs';
import { DEFAULT_HEALTH_SETTINGS } from '../../policy/fleet/endpoint-health';
import type { FleetSettings } from '../../policy/fleet/fleet-settings';
import { WAKE_INDEX } from '../../policy/fleet/fleet-table';
import { DEFAULT_DEAD_STATUSES } from '../../policy/relay/attempt-verdict';

const BUNDLES = path.resolve(__dirname, '../../dist/lambda');

/** Three retries within minutes, so that a simulation comes to their end. */
export const SETTINGS: Omit<
  FleetSettings,
  'tableName' | 'keyArn' | 'eventsQueueUrl' | 'deliveriesQueueUrl' | 'deadLetterQueueUrl' | 'noticesTopicArn'
> = {
  fleetName: 'webhooks',
  retryPolicy: {
    minDelayTarget: 10,
    maxDelayTarget: 120,
    numRetries: 6,
    numNoDelayRetries: 0,
    numMinDelayRetries: 2,
    numMaxDelayRetries: 2,
    backoffFunction: 'exponential',
  },
  jitterPercent: 0,
  retryAfterCapSeconds: 3_600,
  maxAgeSeconds: 4 * 86_400,
  connectTimeoutMs: 5_000,
  totalTimeoutMs: 15_000,
  deadStatuses: DEFAULT_DEAD_STATUSES,
  allowedPrivateRanges: [],
  health: DEFAULT_HEALTH_SETTINGS,
  attemptsAtATime: 25,
};

export interface FleetStackOptions {
  readonly settings?: Partial<FleetSettings>;
  /** Of the deliverer. @default 10 */
  readonly concurrency?: number;
}

/** The resources of a fleet, without its alarms. */
export function fleetStack(stack: Stack, { settings = {}, concurrency = 10 }: FleetStackOptions): void {
  const key = new Key(stack, 'Key', { removalPolicy: RemovalPolicy.DESTROY });
  const table = new Table(stack, 'Table', {
    partitionKey: { name: 'pk', type: AttributeType.STRING },
    sortKey: { name: 'sk', type: AttributeType.STRING },
    billingMode: BillingMode.PAY_PER_REQUEST,
    timeToLiveAttribute: 'expires',
    removalPolicy: RemovalPolicy.DESTROY,
  });
  table.addGlobalSecondaryIndex({
    indexName: WAKE_INDEX,
    partitionKey: { name: 'shard', type: AttributeType.NUMBER },
    sortKey: { name: 'wakeAtMs', type: AttributeType.NUMBER },
  });
  const dead = new Queue(stack, 'Dead', { retentionPeriod: Duration.days(14) });
  const behind = { queue: dead, maxReceiveCount: 100 };
  const events = new Queue(stack, 'Events', { visibilityTimeout: Duration.minutes(6), deadLetterQueue: behind });
  const deliveries = new Queue(stack, 'Deliveries', {
    visibilityTimeout: Duration.minutes(12),
    deadLetterQueue: behind,
  });
  const notices = new Topic(stack, 'Notices');
  const seen = new Queue(stack, 'Seen');
  const environment = {
    FLEET_SETTINGS: JSON.stringify({
      ...SETTINGS,
      ...settings,
      tableName: table.tableName,
      keyArn: key.keyArn,
      eventsQueueUrl: events.queueUrl,
      deliveriesQueueUrl: deliveries.queueUrl,
      deadLetterQueueUrl: dead.queueUrl,
      noticesTopicArn: notices.topicArn,
    }),
  };
  const handler = (id: string, timeout: Duration) => {
    const code = Code.fromAsset(path.join(BUNDLES, id.toLowerCase()));
    const made = new LambdaFunction(stack, id, {
      runtime: Runtime.NODEJS_22_X,
      handler: 'index.handler',
      code,
      timeout,
      environment,
      memorySize: 256,
    });
    table.grantReadWriteData(made);
    for (const queue of [events, deliveries, dead]) {
      queue.grantSendMessages(made);
      queue.grantConsumeMessages(made);
    }
    key.grantEncryptDecrypt(made);
    notices.grantPublish(made);
    return made;
  };
  handler('Dispatcher', Duration.minutes(1)).addEventSource(
    new SqsEventSource(events, { batchSize: 10, reportBatchItemFailures: true }),
  );
  handler('Deliverer', Duration.minutes(2)).addEventSource(
    new SqsEventSource(deliveries, { batchSize: 10, reportBatchItemFailures: true, maxConcurrency: concurrency }),
  );
  const prober = handler('Prober', Duration.minutes(1));
  new Rule(stack, 'Minute', { schedule: Schedule.rate(Duration.minutes(1)), targets: [new FunctionTarget(prober)] });
  notices.addSubscription(new SqsSubscription(seen, { rawMessageDelivery: true }));
}
