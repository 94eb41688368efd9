import { Duration, Stack } from 'aws-cdk-lib';
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import { PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Key } from 'aws-cdk-lib/aws-kms';
import {
  type CfnTopic,
  type DeliveryPolicy,
  LoggingProtocol,
  Subscription,
  SubscriptionProtocol,
  Topic,
} from 'aws-cdk-lib/aws-sns';
import {
  LambdaSubscription,
  SmsSubscription,
  SqsSubscription,
  UrlSubscription,
} from 'aws-cdk-lib/aws-sns-subscriptions';
import { type CfnQueue, type IQueue, Queue } from 'aws-cdk-lib/aws-sqs';
import type { Finding } from '../../../diagnosis/checks/finding';
import { findingsOfApp } from '../../support/examined';
import { handler } from './healthy-stacks';

/** A mistake that aws-cdk-lib accepts (design, section 4), written with plain constructs, and the finding of dlo doctor. */
interface Hole {
  readonly hole: number;
  readonly of: string;
  readonly plain: (stack: Stack) => unknown;
  readonly id: string;
  readonly severity: string;
  /** The path of the construct below the stack. */
  readonly at: string;
}

const URL = 'https://partner.example.com/orders';
const HERE = { account: '123456789012', region: 'us-east-1' };
const OPT_IN = { ...HERE, region: 'eu-south-1' };

const keyed = (stack: Stack) => ({ encryptionMasterKey: new Key(stack, 'Key') });
const imported = (stack: Stack, region: string, account: string) =>
  Queue.fromQueueArn(stack, 'Dead', `arn:aws:sqs:${region}:${account}:dead`);

/** A queue that is subscribed, with a dead-letter queue. */
function subscribed(stack: Stack, deadLetterQueue: IQueue, fifo?: true) {
  const type = fifo ? { fifo } : {};
  const subscription = new SqsSubscription(new Queue(stack, 'Queue', type), { deadLetterQueue });
  return new Topic(stack, 'Orders', type).addSubscription(subscription);
}

const REJECTED: readonly [string, DeliveryPolicy][] = [
  ['phases above numRetries', { healthyRetryPolicy: { numRetries: 3, numNoDelayRetries: 2, numMinDelayRetries: 2 } }],
  ['a minDelayTarget above the default maximum', { healthyRetryPolicy: { minDelayTarget: Duration.seconds(60) } }],
  ['a fraction of a retry', { healthyRetryPolicy: { numRetries: 2.5 } }],
  ['not a number', { healthyRetryPolicy: { numRetries: Number.NaN } }],
  [
    '100 retries of an hour',
    { healthyRetryPolicy: { numRetries: 100, minDelayTarget: Duration.hours(1), maxDelayTarget: Duration.hours(1) } },
  ],
  ['any content type', { requestPolicy: { headerContentType: 'a/b' } }],
  ['an empty policy', {}],
];

const AT_URL = `Orders/${URL.replaceAll('/', '--')}`;

const HOLES: readonly Hole[] = [
  ...REJECTED.map(
    ([of, deliveryPolicy]): Hole => ({
      hole: 1,
      of: `a delivery policy of ${of}`,
      plain: stack => new Topic(stack, 'Orders').addSubscription(new UrlSubscription(URL, { deliveryPolicy })),
      id: 'delivery-policy-rejected',
      severity: 'rejected',
      at: AT_URL,
    }),
  ),
  {
    hole: 2,
    of: 'a delivery policy for a whole topic',
    plain: stack => {
      const topic = new Topic(stack, 'Orders').node.defaultChild as CfnTopic;
      topic.addPropertyOverride('DeliveryPolicy', { http: { defaultHealthyRetryPolicy: { numRetries: 7 } } });
    },
    id: 'topic-delivery-policy-in-template',
    severity: 'rejected',
    at: 'Orders',
  },
  {
    hole: 3,
    of: 'a logging configuration without roles',
    plain: stack => {
      const loggingConfigs = [{ protocol: LoggingProtocol.SQS, successFeedbackSampleRate: 100 }];
      const topic = new Topic(stack, 'Orders', { loggingConfigs });
      topic.addSubscription(new SqsSubscription(new Queue(stack, 'Queue')));
    },
    id: 'logging-without-role',
    severity: 'unwatched',
    at: 'Orders',
  },
  {
    hole: 4,
    of: 'a dead-letter queue that is dropped',
    plain: stack => {
      const deadLetterQueue = new Queue(stack, 'DeadLetters');
      new Topic(stack, 'Orders').addSubscription(new SmsSubscription('+15550100', { deadLetterQueue }));
    },
    id: 'sms-without-dead-letter-queue',
    severity: 'at-risk',
    at: 'Orders/+15550100',
  },
  {
    hole: 5,
    of: 'a subscription’s dead-letter queue with a key',
    plain: stack => subscribed(stack, new Queue(stack, 'DeadLetters', keyed(stack))),
    id: 'key-policy-keeps-out',
    severity: 'at-risk',
    at: 'Key',
  },
  {
    hole: 5,
    of: 'a function’s dead-letter queue with a key',
    plain: stack => handler(stack, 'Handler', { deadLetterQueue: new Queue(stack, 'DeadLetters', keyed(stack)) }),
    id: 'key-policy-keeps-out',
    severity: 'at-risk',
    at: 'Key',
  },
  {
    hole: 5,
    of: 'an alarm into a topic with a key',
    plain: stack => {
      const ops = new Topic(stack, 'Ops', { masterKey: new Key(stack, 'Key') });
      const metric = new Queue(stack, 'Queue').metricApproximateAgeOfOldestMessage();
      metric.createAlarm(stack, 'Alarm', { threshold: 1, evaluationPeriods: 1 }).addAlarmAction(new SnsAction(ops));
    },
    id: 'alarm-topic-closed',
    severity: 'unwatched',
    at: 'Ops',
  },
  {
    hole: 6,
    of: 'an imported dead-letter queue',
    plain: stack => subscribed(stack, imported(stack, HERE.region, HERE.account)),
    id: 'queue-policy-not-writable',
    severity: 'unwatched',
    at: 'Queue/TestOrders',
  },
  {
    hole: 7,
    of: 'a subscription that comes before the policy of its dead-letter queue',
    plain: stack => subscribed(stack, new Queue(stack, 'DeadLetters')),
    id: 'subscription-does-not-wait',
    severity: 'on-change',
    at: 'Queue/TestOrders',
  },
  ...[
    ['eu-west-1', HERE.account, 'rejected'],
    [HERE.region, '999999999999', 'at-risk'],
  ].map(
    ([region = '', account = '', severity = '']): Hole => ({
      hole: 8,
      of: `a dead-letter queue in ${region} of ${account}`,
      plain: stack => subscribed(stack, imported(stack, region, account)),
      id: 'dead-letter-queue-elsewhere',
      severity,
      at: 'Queue/TestOrders',
    }),
  ),
  {
    hole: 8,
    of: 'a FIFO dead-letter queue for a standard topic',
    plain: stack => subscribed(stack, new Queue(stack, 'Dead', { fifo: true })),
    id: 'dead-letter-queue-of-another-type',
    severity: 'rejected',
    at: 'Queue/TestOrders',
  },
  {
    hole: 8,
    of: 'a standard dead-letter queue for a FIFO queue of a FIFO topic',
    plain: stack => subscribed(stack, new Queue(stack, 'Dead'), true),
    id: 'dead-letter-queue-of-another-type',
    severity: 'rejected',
    at: 'Queue/TestOrders',
  },
  {
    hole: 8,
    of: 'a server as subscriber of a FIFO topic',
    plain: stack => new Topic(stack, 'Orders', { fifo: true }).addSubscription(new UrlSubscription(URL)),
    id: 'fifo-topic-to-other-than-queues',
    severity: 'rejected',
    at: AT_URL,
  },
  {
    hole: 9,
    of: '1,001 receives',
    plain: stack => withDeadLetterQueue(stack, 1_001),
    id: 'receive-count-out-of-range',
    severity: 'rejected',
    at: 'Queue',
  },
  {
    hole: 9,
    of: 'a dead-letter queue that keeps messages no longer than its source',
    plain: stack => withDeadLetterQueue(stack, 5),
    id: 'dead-letters-expire-early',
    severity: 'at-risk',
    at: 'Dead',
  },
  {
    hole: 10,
    of: 'a redrive-allow policy that names the queue using the dead-letter queue',
    plain: stack => {
      const { source, dead } = withDeadLetterQueue(stack, 5);
      const redriveAllowPolicy = { redrivePermission: 'byQueue', sourceQueueArns: [source.queueArn] };
      (dead.node.defaultChild as CfnQueue).redriveAllowPolicy = redriveAllowPolicy;
    },
    id: 'redrive-allow-policy-cycle',
    severity: 'rejected',
    at: 'Dead',
  },
  {
    hole: 11,
    of: 'losses nobody is told of',
    plain: stack => subscribed(stack, new Queue(stack, 'DeadLetters')),
    id: 'losses-unwatched',
    severity: 'unwatched',
    at: 'Orders',
  },
  {
    hole: 11,
    of: 'a grant that does not suffice to move dead letters',
    plain: stack => {
      const { dead } = withDeadLetterQueue(stack, 5);
      const role = new Role(stack, 'Operator', { assumedBy: new ServicePrincipal('lambda.amazonaws.com') });
      role.addToPolicy(new PolicyStatement({ actions: ['sqs:StartMessageMoveTask'], resources: [dead.queueArn] }));
    },
    id: 'redrive-role-lacks',
    severity: 'unwatched',
    at: 'Operator',
  },
  {
    hole: 13,
    of: 'a URL that is its subscription’s id',
    plain: stack => new Topic(stack, 'Orders').addSubscription(new UrlSubscription(URL)),
    id: 'url-as-construct-id',
    severity: 'on-change',
    at: AT_URL,
  },
  {
    hole: 13,
    // A UrlSubscription ignores the protocol it is given. A Subscription writes it to the template.
    of: 'a protocol that is not the URL’s',
    plain: stack => {
      const topic = new Topic(stack, 'Orders');
      new Subscription(stack, 'Partner', { topic, endpoint: URL, protocol: SubscriptionProtocol.HTTP });
    },
    id: 'endpoint-of-another-protocol',
    severity: 'rejected',
    at: 'Partner',
  },
];

function withDeadLetterQueue(stack: Stack, maxReceiveCount: number): { readonly source: Queue; readonly dead: Queue } {
  const dead = new Queue(stack, 'Dead');
  const deadLetterQueue = { queue: dead, maxReceiveCount };
  return { source: new Queue(stack, 'Queue', { queueName: 'source', deadLetterQueue }), dead };
}

/** Returns the construct paths that have a finding of this id and severity. */
function whereFound(findings: readonly Finding[], { id, severity }: Pick<Hole, 'id' | 'severity'>): string[] {
  const found = findings.filter(it => it.id === id && it.severity === severity);
  return found.map(({ resource }) => resource.name.replace(/^Test\//, ''));
}

describe('dlo doctor', () => {
  test.each(HOLES)('finds hole $hole: $of', hole => {
    const findings = findingsOfApp(app => hole.plain(new Stack(app, 'Test', { env: HERE })));
    expect(whereFound(findings, hole)).toContainEqual(expect.stringContaining(hole.at));
  });

  test('finds hole 12: SNS let in by a name that is another in an opt-in Region', () => {
    const findings = findingsOfApp(app => {
      const topics = new Stack(app, 'Topics', { env: OPT_IN });
      const stack = new Stack(app, 'Test', { env: HERE });
      const topic = new Topic(topics, 'Orders', { topicName: 'orders' });
      topic.addSubscription(new LambdaSubscription(handler(stack, 'Handler', { functionName: 'x' })));
    });
    const found = findings.filter(({ id }) => id === 'principal-of-opt-in-region');
    expect(found.map(({ severity }) => severity)).toEqual(['loses']);
  });
});
