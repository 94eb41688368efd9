import type { Stack } from 'aws-cdk-lib';
import { Alarm } from 'aws-cdk-lib/aws-cloudwatch';
import { Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { DeliveryStream } from 'aws-cdk-lib/aws-kinesisfirehose';
import { Secret } from 'aws-cdk-lib/aws-secretsmanager';
import { SubscriptionProtocol, Topic } from 'aws-cdk-lib/aws-sns';
import { Queue } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import {
  AlarmDefaults,
  AlarmSet,
  DeadLetterQueue,
  DeliveryStatusLogging,
  DurableTopic,
  FleetMetric,
  FunctionFailures,
  HttpRelay,
  ImportedDeadLetterQueue,
  ImportedTopic,
  OpsDashboard,
  ProcessingQueue,
  Redrive,
  RedriveDestination,
  RedriveLane,
  RedriveMetric,
  RelayEndpoint,
  RelayFleet,
  RelayMetric,
} from '../../../lib';
import { newRule, newSchedule } from '../../support/feeders';
import { inlineFunction } from '../../support/inline-function';
import { APP_ENV, arn, URL } from '../bad-input/refused';
import type { Samples } from './calls';

let made = 0;

/** A new id of a construct. */
function newId(): string {
  made += 1;
  return `It${made}`;
}

const functionIn = (stack: Stack) => inlineFunction(stack, newId(), 'exports.handler = async () => {};');

const delivered = (stack: Stack) =>
  new DurableTopic(stack, newId()).deliverToQueue('Sample', new ProcessingQueue(stack, newId()));

const laneIn = (stack: Stack) => new RedriveLane(stack, newId(), { handler: functionIn(stack) });

const relayIn = (stack: Stack) => new HttpRelay(stack, newId(), { endpoint: RelayEndpoint.fromUrl(URL) });

function redriveIn(stack: Stack): Redrive {
  const queue = new ProcessingQueue(stack, newId());
  const destination = RedriveDestination.queue(queue);
  return new Redrive(stack, newId(), { deadLetterQueue: queue.deadLetters, destination });
}

const OURS: Readonly<Record<string, (stack: Stack) => unknown>> = {
  AlarmSet: () => AlarmSet.ALL,
  AlarmDefaults: stack => AlarmDefaults.of(new Construct(stack, newId())),
  DeadLetterQueue: stack => new DeadLetterQueue(stack, newId()),
  DeliveryStatusLogging: stack => new DeliveryStatusLogging(stack, newId(), { topic: new Topic(stack, newId()) }),
  DurableTopic: stack => new DurableTopic(stack, newId()),
  FunctionFailures: stack => new FunctionFailures(stack, newId(), { handler: functionIn(stack) }),
  HttpRelay: relayIn,
  ImportedDeadLetterQueue: stack =>
    new ImportedDeadLetterQueue(stack, newId(), {
      queue: Queue.fromQueueArn(stack, newId(), arn('sqs', 'dead', APP_ENV)),
    }),
  ImportedTopic: stack => new ImportedTopic(stack, newId(), { topic: new Topic(stack, newId()) }),
  IRedriveDestination: stack => RedriveDestination.queue(new Queue(stack, newId())),
  IWatched: stack => new ProcessingQueue(stack, newId()),
  OpsDashboard: stack => new OpsDashboard(stack, newId()),
  ProcessingQueue: stack => new ProcessingQueue(stack, newId()),
  Redrive: redriveIn,
  RedriveLane: laneIn,
  RedriveLaneProps: stack => ({ handler: functionIn(stack) }),
  RelayFleet: stack => new RelayFleet(stack, newId()),
  FleetMetric: () => FleetMetric.DEAD,
  RedriveMetric: () => RedriveMetric.MOVED,
  RelayMetric: () => RelayMetric.DEAD,
  RelayEndpoint: () => RelayEndpoint.fromUrl(URL),
  TopicDelivery: delivered,
};

const CDK: Readonly<Record<string, (stack: Stack) => unknown>> = {
  'aws_cloudwatch.IAlarm': stack =>
    new Alarm(stack, newId(), {
      metric: new Queue(stack, newId()).metricNumberOfMessagesSent(),
      threshold: 1,
      evaluationPeriods: 1,
    }),
  'constructs.IConstruct': stack => new Topic(stack, newId()),
  'aws_events.IRule': newRule,
  'aws_iam.IGrantable': stack => new Role(stack, newId(), { assumedBy: new ServicePrincipal('lambda.amazonaws.com') }),
  'aws_kinesisfirehose.IDeliveryStream': stack =>
    DeliveryStream.fromDeliveryStreamArn(stack, newId(), arn('firehose', 'deliverystream/orders')),
  'aws_lambda.IFunction': functionIn,
  'aws_scheduler.ISchedule': stack => newSchedule(stack),
  'aws_secretsmanager.ISecret': stack => new Secret(stack, newId()),
  'aws_sns.DeliveryPolicy': () => ({ healthyRetryPolicy: { numRetries: 4 } }),
  'aws_sns.ITopic': stack => new Topic(stack, newId()),
  'aws_sns.Subscription': stack => delivered(stack).subscription,
  'aws_sns.SubscriptionProtocol': () => SubscriptionProtocol.SQS,
  'aws_sqs.IQueue': stack => new Queue(stack, newId()),
};

/** Parameters that are strings or numbers. */
const NAMED: Readonly<Record<string, unknown>> = {
  address: 'ops@example.com',
  endpointArn: arn('sns', 'endpoint/GCM/Rental/1'),
  id: 'Valid',
  messagesPerSecond: 1,
  phoneNumber: '+15550100',
  statusCode: 403,
  tokenUrl: URL,
  url: URL,
};

/** A value of every type that a required parameter or property has. */
export const SAMPLES: Samples = (stack, type, name) => {
  const ours = OURS[type.replace('dead-letter-office.', '')];
  const cdk = CDK[type.replace('aws-cdk-lib.', '')];
  const make = ours ?? cdk;
  if (make) return make(stack);
  if (type === 'constructs.Construct') return stack;
  if (name in NAMED) return NAMED[name];
  if (/Options|Props$|Credentials$/.test(type)) return undefined;
  throw new Error(`no sample of ${type} ${name}`);
};
