import { CloudWatchClient, DeleteAlarmsCommand } from '@aws-sdk/client-cloudwatch';
import {
  DeleteEventSourceMappingCommand,
  DeleteFunctionCommand,
  LambdaClient,
  ListEventSourceMappingsCommand,
  PutFunctionConcurrencyCommand,
  UpdateEventSourceMappingCommand,
} from '@aws-sdk/client-lambda';
import { PutSecretValueCommand, SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { DeleteQueueCommand } from '@aws-sdk/client-sqs';
import { Duration, type Stack } from 'aws-cdk-lib';
import { Code, Function as LambdaFunction, Runtime } from 'aws-cdk-lib/aws-lambda';
import { ScheduleExpression } from 'aws-cdk-lib/aws-scheduler';
import { type HealthyRetryPolicy, Topic } from 'aws-cdk-lib/aws-sns';
import { LambdaSubscription, SqsSubscription } from 'aws-cdk-lib/aws-sns-subscriptions';
import { Queue } from 'aws-cdk-lib/aws-sqs';
import {
  AlarmDefaults,
  type AlarmSet,
  DurableTopic,
  FunctionFailures,
  HttpRelay,
  type HttpRelayOptions,
  OpsTopic,
  ProcessingQueue,
  RelayEndpoint,
} from '../../lib';
import { response } from '../../local';
import type { Deployed } from './deployed';
import { addFleet, FLEET_LOSSES } from './fleet-of-customers';
import { inlineFunction } from './inline-function';
import { statedSecret } from './stated-secret';

const PARTNER = 'partner.example.com';

const RELAYED = 'relayed.example.com';

/** A relay's default, with two late retries instead of eighty. */
const SHORT: HealthyRetryPolicy = {
  numRetries: 15,
  numNoDelayRetries: 1,
  numMinDelayRetries: 2,
  numMaxDelayRetries: 2,
  minDelayTarget: Duration.seconds(20),
  maxDelayTarget: Duration.minutes(10),
};

const FAILS_ON_POISON = `exports.handler = async ({ Records }) => {
  for (const { body, Sns } of Records) if ((body ?? Sns.Message) === 'poison') throw new Error('poison');
};`;

/** The parts of an app. A row deploys only the part it needs, because idle redrives and breakers cost time. */
export type LossyPart =
  | 'messaging'
  | 'redrive'
  | 'daily redrive'
  | 'relay'
  | 'short relay'
  | 'relay without a breaker'
  | 'fleet';

/** An app in which messages can be lost or late in every way. */
export function lossyApp(part: LossyPart, set: AlarmSet, loopBundle: string): (stack: Stack) => void {
  return stack => {
    AlarmDefaults.of(stack).use(set);
    PARTS[part](stack, [new OpsTopic(stack, 'Ops', { email: 'ops@example.com' })], loopBundle);
  };
}

type AddPart = (stack: Stack, alarmActions: OpsTopic[], loopBundle: string) => void;

function addWork(stack: Stack, alarmActions: OpsTopic[], retentionPeriod = Duration.days(4)): ProcessingQueue {
  const work = new ProcessingQueue(stack, 'Work', { alarmActions, retentionPeriod });
  work.addFunctionConsumer(inlineFunction(stack, 'Worker', FAILS_ON_POISON), { batchSize: 1 });
  return work;
}

const PARTS: Readonly<Record<LossyPart, AddPart>> = {
  messaging: (stack, alarmActions, loopBundle) => {
    const orders = new DurableTopic(stack, 'Orders', { alarmActions });
    orders.deliverToQueue('ToWork', addWork(stack, alarmActions));
    orders.deliverToEndpoint('ToPartner', `https://${PARTNER}/orders`);
    const billing = inlineFunction(stack, 'Billing', FAILS_ON_POISON);
    orders.deliverToFunction('ToBilling', billing);
    new FunctionFailures(stack, 'Failures', { handler: billing, alarmActions, retryAttempts: 0 });
    new Topic(stack, 'Bills').addSubscription(new LambdaSubscription(billing));
    const plain = new DurableTopic(stack, 'Plain', { alarmActions });
    plain.addSubscription(new SqsSubscription(new Queue(stack, 'Archive')));
    new ProcessingQueue(stack, 'Slow', { alarmActions, visibilityTimeout: Duration.hours(3) });
    addLoop(stack, loopBundle, alarmActions);
  },
  redrive: (stack, alarmActions) => addRedrive(stack, alarmActions, Duration.minutes(30)),
  'daily redrive': (stack, alarmActions) => addRedrive(stack, alarmActions, Duration.days(1)),
  relay: (stack, alarmActions) => addRelay(stack, { alarmActions }),
  'relay without a breaker': (stack, alarmActions) =>
    addRelay(stack, { alarmActions, circuitBreaker: { enabled: false } }),
  fleet: (stack, alarmActions) => addFleet(stack, { alarmActions }),
  'short relay': (stack, alarmActions) => addRelay(stack, { alarmActions, retryPolicy: SHORT }),
};

function addRedrive(stack: Stack, alarmActions: OpsTopic[], every: Duration): void {
  const schedules = [ScheduleExpression.rate(every)];
  // A dead letter that was in the queue for ten days has four left: two until the alarm, and two to respond.
  addWork(stack, alarmActions, Duration.days(10)).redriveDeadLetters('Redrive', { enabled: true, schedules });
}

function addRelay(stack: Stack, options: HttpRelayOptions & { readonly alarmActions: OpsTopic[] }): void {
  const relay = new HttpRelay(stack, 'Relay', {
    ...options,
    endpoint: RelayEndpoint.fromUrl(`https://${RELAYED}/orders`),
    headersSecret: statedSecret(stack, 'Headers', '{"Authorization":"Bearer x"}'),
  });
  const { alarmActions } = options;
  new DurableTopic(stack, 'Relayed', { alarmActions }).deliverToRelay('ToRelay', relay);
}

/** A function that publishes to the topic that invokes it. */
function addLoop(stack: Stack, bundle: string, alarmActions: OpsTopic[]): void {
  const topic = new Topic(stack, 'Round');
  const handler = new LambdaFunction(stack, 'Loop', {
    runtime: Runtime.NODEJS_22_X,
    handler: 'index.handler',
    code: Code.fromAsset(bundle),
    environment: { TOPIC_ARN: topic.topicArn },
  });
  topic.grantPublish(handler);
  topic.addSubscription(new LambdaSubscription(handler));
  new FunctionFailures(stack, 'LoopFailures', { handler, alarmActions });
}

/** A way to lose or delay messages. */
export interface LossRow {
  readonly way: string;
  /** @default messaging */
  readonly part?: LossyPart;
  readonly act: (deployed: Deployed) => Promise<void>;
  /** What happens later. If it is present, only alarms that fire from then on count. */
  readonly later?: (deployed: Deployed) => Promise<void>;
}

const lambdaOf = (deployed: Deployed) => new LambdaClient(deployed.aws.clientConfig());

async function deleteQueue(deployed: Deployed, queue: string): Promise<void> {
  await deployed.sqs.send(new DeleteQueueCommand({ QueueUrl: deployed.ref(queue) }));
  await deployed.advance({ minutes: 2 });
}

async function relayMapping(deployed: Deployed): Promise<string> {
  const asked = new ListEventSourceMappingsCommand({ FunctionName: deployed.ref('Relay/Function') });
  const { EventSourceMappings: [mapping] = [] } = await lambdaOf(deployed).send(asked);
  if (!mapping?.UUID) throw new Error('the relay has no mapping');
  return mapping.UUID;
}

async function throttle(deployed: Deployed, handler: string): Promise<void> {
  const ReservedConcurrentExecutions = 0;
  const command = new PutFunctionConcurrencyCommand({
    FunctionName: deployed.ref(handler),
    ReservedConcurrentExecutions,
  });
  await lambdaOf(deployed).send(command);
}

/** Puts messages into a queue and receives them all, as a consumer with too many at once does. */
function crowd(deployed: Deployed, queue: string): void {
  const { sqs, logs } = deployed.aws.services;
  const QueueUrl = deployed.ref(queue);
  const Entries = [...Array(10).keys()].map(id => ({ Id: String(id), MessageBody: 'x' }));
  for (let batch = 0; batch <= 8_000; batch += 1) {
    sqs.call('SendMessageBatch', logs.owner, { QueueUrl, Entries });
    sqs.call('ReceiveMessage', logs.owner, { QueueUrl, MaxNumberOfMessages: 10, VisibilityTimeout: 10_800 });
  }
}

async function publishMany(deployed: Deployed, count: number): Promise<void> {
  for (let order = 0; order < count; order += 1) await deployed.publish('Relayed', `order ${order}`);
}

export const LOSS_ROWS: readonly LossRow[] = [
  {
    way: 'SNS may not send to a queue',
    act: async deployed => {
      await deployed.takeQueuePolicyAway('Work');
      await deployed.publish('Orders', 'order');
      await deployed.advance({ minutes: 10 });
    },
  },
  {
    way: 'a function that SNS invokes was deleted',
    act: async deployed => {
      await lambdaOf(deployed).send(new DeleteFunctionCommand({ FunctionName: deployed.ref('Billing') }));
      await deployed.publish('Orders', 'order');
      await deployed.advance({ minutes: 10 });
    },
  },
  {
    way: 'an endpoint is down for longer than SNS retries',
    act: async deployed => {
      deployed.aws.endpoint(PARTNER).behave({ reply: response(503) });
      await deployed.publish('Orders', 'order');
      await deployed.advance({ hours: 2 });
    },
  },
  {
    way: 'SNS may send neither to the queue nor to its dead-letter queue',
    act: async deployed => {
      await deployed.takeQueuePolicyAway('Work');
      await deployed.takeQueuePolicyAway('Orders/Deliveries/ToWork/DeadLetterQueue');
      await deployed.publish('Orders', 'order');
      await deployed.advance({ minutes: 10 });
    },
  },
  {
    way: 'a subscription that fails has no dead-letter queue',
    act: async deployed => {
      await deployed.takeQueuePolicyAway('Archive');
      await deployed.publish('Plain', 'order');
      await deployed.advance({ minutes: 10 });
    },
  },
  {
    way: 'a function fails on an event',
    act: async deployed => {
      await deployed.publish('Bills', 'poison');
      await deployed.advance({ minutes: 10 });
    },
  },
  {
    way: 'a function fails, and its dead-letter queue is gone',
    act: async deployed => {
      await deleteQueue(deployed, 'Failures/DeadLetterQueue');
      await deployed.publish('Bills', 'poison');
      await deployed.advance({ minutes: 10 });
    },
  },
  {
    way: 'a function invokes itself in a loop',
    act: async deployed => {
      await deployed.publish('Round', 'again');
      await deployed.advance({ minutes: 10 });
    },
  },
  {
    way: 'a consumer fails on a message',
    act: async deployed => {
      await deployed.send('Work', 'poison');
      await deployed.advance({ minutes: 10 });
    },
  },
  {
    way: 'it fails on one after a quiet day, when SQS sent no metrics',
    act: async deployed => {
      await deployed.advance({ days: 1 });
      await deployed.send('Work', 'poison');
      await deployed.advance({ minutes: 30 });
    },
  },
  {
    way: 'it fails on another one, while the first still waits',
    act: async deployed => {
      await deployed.send('Work', 'poison');
      await deployed.advance({ hours: 2 });
    },
    later: async deployed => {
      await deployed.send('Work', 'poison');
      await deployed.advance({ minutes: 10 });
    },
  },
  {
    way: 'a consumer is down',
    act: async deployed => {
      await deployed.send('Slow', 'order');
      await deployed.advance({ hours: 2 });
    },
  },
  {
    way: 'a consumer holds more than 80,000 messages',
    act: async deployed => {
      crowd(deployed, 'Slow');
      await deployed.advance({ hours: 2 });
    },
  },
  {
    way: 'nobody handles a dead letter',
    act: async deployed => {
      await deployed.publish('Bills', 'poison');
      await deployed.advance({ hours: 1 });
    },
    later: async deployed => {
      await deployed.advance({ days: 12 });
    },
  },
  {
    way: 'redriven messages come back',
    part: 'redrive',
    act: async deployed => {
      await deployed.send('Work', 'poison');
      await deployed.advance({ minutes: 10 });
    },
    later: async deployed => {
      await deployed.advance({ hours: 1 });
    },
  },
  {
    way: 'a redrive is throttled',
    part: 'daily redrive',
    act: async deployed => {
      await throttle(deployed, 'Work/Redrive/Function');
      await deployed.send('Work', 'poison');
      await deployed.advance({ hours: 1 });
    },
    later: async deployed => {
      await deployed.advance({ days: 3 });
    },
  },
  {
    way: 'the endpoint of a relay is down, few messages',
    part: 'relay',
    act: async deployed => {
      deployed.aws.endpoint(RELAYED).behave({ reply: response(503) });
      await publishMany(deployed, 1);
      await deployed.advance({ hours: 2 });
    },
  },
  {
    way: 'the endpoint of a relay is down, many messages',
    part: 'relay',
    act: async deployed => {
      deployed.aws.endpoint(RELAYED).behave({ reply: response(503) });
      await publishMany(deployed, 30);
      await deployed.advance({ minutes: 90 });
    },
  },
  {
    way: 'the endpoint of a relay refuses a message',
    part: 'relay',
    act: async deployed => {
      deployed.aws.endpoint(RELAYED).behave({ reply: response(422) });
      await publishMany(deployed, 1);
      await deployed.advance({ minutes: 10 });
    },
  },
  {
    way: 'the endpoint of a relay is down for longer than its schedule',
    part: 'short relay',
    act: async deployed => {
      deployed.aws.endpoint(RELAYED).behave({ reply: response(503) });
      await publishMany(deployed, 1);
      await deployed.advance({ hours: 1 });
    },
    later: async deployed => {
      await deployed.advance({ hours: 2 });
    },
  },
  {
    way: 'a secret of a relay is malformed',
    part: 'relay',
    act: async deployed => {
      const secrets = new SecretsManagerClient(deployed.aws.clientConfig());
      await secrets.send(new PutSecretValueCommand({ SecretId: deployed.ref('Headers'), SecretString: 'Bearer x' }));
      await publishMany(deployed, 1);
      await deployed.advance({ minutes: 30 });
    },
  },
  {
    way: 'the function of a relay is throttled',
    part: 'relay',
    act: async deployed => {
      await throttle(deployed, 'Relay/Function');
      await publishMany(deployed, 20);
      await deployed.advance({ hours: 1 });
    },
  },
  {
    way: 'a relay was stopped by hand',
    part: 'relay',
    act: async deployed => {
      const UUID = await relayMapping(deployed);
      await lambdaOf(deployed).send(new UpdateEventSourceMappingCommand({ UUID, Enabled: false }));
      await deployed.advance({ minutes: 2 });
      await publishMany(deployed, 1);
      await deployed.advance({ hours: 2 });
    },
  },
  {
    way: 'the event source mapping of a relay was deleted',
    part: 'relay',
    act: async deployed => {
      const UUID = await relayMapping(deployed);
      await lambdaOf(deployed).send(new DeleteEventSourceMappingCommand({ UUID }));
      await deployed.advance({ minutes: 2 });
      await publishMany(deployed, 1);
      await deployed.advance({ hours: 1 });
    },
  },
  {
    way: 'a relay cannot send to its dead-letter queue',
    part: 'relay',
    act: async deployed => {
      await deleteQueue(deployed, 'Relay/Queue/DeadLetterQueue');
      deployed.aws.endpoint(RELAYED).behave({ reply: response(422) });
      await publishMany(deployed, 1);
      await deployed.advance({ hours: 1 });
    },
  },
  {
    way: 'it cannot, while an old dead letter still waits',
    part: 'relay',
    act: async deployed => {
      deployed.aws.endpoint(RELAYED).behave({ reply: response(422) });
      await publishMany(deployed, 1);
      await deployed.advance({ hours: 6 });
    },
    later: async deployed => {
      const resource = deployed.arn('Relay/Queue/DeadLetterQueue');
      deployed.aws.faults.set({ service: 'sqs', action: 'SendMessage', resource });
      await publishMany(deployed, 1);
      await deployed.advance({ hours: 1 });
    },
  },
  {
    way: 'the endpoint of a relay fails on most of few messages',
    part: 'relay',
    act: async deployed => {
      for (let minute = 0; minute < 60; minute += 1) {
        deployed.aws.endpoint(RELAYED).behave({ reply: response(minute % 4 === 0 ? 200 : 503) });
        await publishMany(deployed, 2);
        await deployed.advance({ minutes: 1 });
      }
    },
  },
  {
    way: 'more than 80,000 messages wait in a relay',
    part: 'relay',
    act: async deployed => {
      crowd(deployed, 'Relay/Queue');
      await deployed.advance({ hours: 1 });
    },
  },
  {
    way: 'nobody handles a dead letter of a relay',
    part: 'relay without a breaker',
    act: async deployed => {
      deployed.aws.endpoint(RELAYED).behave({ reply: response(422) });
      await publishMany(deployed, 1);
      await deployed.advance({ hours: 1 });
    },
    later: async deployed => {
      await deployed.advance({ hours: 28 });
    },
  },
  {
    way: 'the breaker of a relay fails',
    part: 'relay',
    act: async deployed => {
      const AlarmNames = [deployed.ref('Relay/BreakerAlarm')];
      await new CloudWatchClient(deployed.aws.clientConfig()).send(new DeleteAlarmsCommand({ AlarmNames }));
      await deployed.advance({ hours: 1 });
    },
  },
  ...FLEET_LOSSES.map(row => ({ ...row, part: 'fleet' }) as const),
];

/** Confirms the subscriptions that need it. */
export async function confirm(deployed: Deployed): Promise<void> {
  await deployed.aws.runUntilIdle();
  deployed.aws.services.sns.confirm(`https://${PARTNER}/orders`);
  await deployed.advance({ minutes: 1 });
}
