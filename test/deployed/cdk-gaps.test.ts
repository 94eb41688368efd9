import { SetQueueAttributesCommand } from '@aws-sdk/client-sqs';
import { Duration, type Environment, Stack, Token } from 'aws-cdk-lib';
import { Annotations, Match, Template } from 'aws-cdk-lib/assertions';
import { Key } from 'aws-cdk-lib/aws-kms';
import type { Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import { CfnTopic, type DeliveryPolicy, LoggingProtocol, SubscriptionProtocol, Topic } from 'aws-cdk-lib/aws-sns';
import {
  LambdaSubscription,
  SmsSubscription,
  SqsSubscription,
  UrlSubscription,
} from 'aws-cdk-lib/aws-sns-subscriptions';
import { type CfnQueue, type IQueue, Queue } from 'aws-cdk-lib/aws-sqs';
import {
  DeadLetterAccess,
  DeadLetterQueue,
  DurableTopic,
  FunctionFailures,
  ImportedDeadLetterQueue,
  ProcessingQueue,
} from '../../lib';
import { response } from '../../local';
import { newApp } from '../lib/support';
import { assemblyOf, assemblyOfStack, editTemplate } from '../support/assembly';
import { Deployed } from '../support/deployed';
import { inlineFunction } from '../support/inline-function';

/**
 * Mistakes that the constructs of aws-cdk-lib 2.276 accept (design, section 4), one block for each. A block shows that they
 * accept it, what it costs, and that our constructs do not. An alarm to an encrypted topic, also hole 5, is in ops-topic.test.ts.
 */

type Fill = (stack: Stack) => unknown;

const URL = 'https://partner.example.com/orders';
const PHONE = '+15550100';
const HERE = { account: '123456789012', region: 'us-east-1' };

/** Returns what synthesis reports about a stack: the error that stops it, or every warning. */
function said(fill: Fill, env?: Environment): string[] {
  const stack = new Stack(newApp(), 'Test', env && { env });
  try {
    fill(stack);
    const found = Annotations.fromStack(stack);
    const entries = [...found.findWarning('*', Match.anyValue()), ...found.findError('*', Match.anyValue())];
    return entries.map(({ entry }) => String(entry.data));
  } catch (error) {
    return String(error).split('\n').slice(1);
  }
}

/** The same without warnings about alarms without actions and about plain consumers, which no hole is about. */
const saidByOurs: typeof said = (...stack) =>
  said(...stack).filter(line => !/alarm-tells-nobody|(function|queue)-keeps-nothing/.test(line));

/** Returns the error of a failed deployment. */
async function refusal(fill: Fill): Promise<string> {
  return Deployed.stack(stack => void fill(stack)).then(
    () => 'none',
    error => String(error),
  );
}

/** A choice that loses messages or fails the deployment, written with each of the two libraries. */
interface Choice {
  readonly choice: string;
  readonly plain: Fill;
  readonly ours: Fill;
  /** The message of our construct. */
  readonly says: string | RegExp;
  readonly env?: Environment;
}

/** Tests for each choice that aws-cdk-lib reports nothing, and our construct one message. */
function testSaid(choices: readonly Choice[]): void {
  test.each(choices)('aws-cdk-lib says nothing of $choice', ({ plain, env }) => {
    expect(said(plain, env)).toEqual([]);
  });
  test.each(choices)('ours says something of $choice', ({ ours, says, env }) => {
    expect(saidByOurs(ours, env)).toEqual([expect.stringMatching(says)]);
  });
}

describe('Hole 1: delivery policies SNS rejects', () => {
  const POLICIES: readonly [string, { readonly deliveryPolicy: DeliveryPolicy }, string][] = [
    [
      'phases that sum up to more than numRetries',
      { deliveryPolicy: { healthyRetryPolicy: { numRetries: 3, numNoDelayRetries: 2, numMinDelayRetries: 2 } } },
      'numRetries',
    ],
    [
      'a minDelayTarget above the default maxDelayTarget',
      { deliveryPolicy: { healthyRetryPolicy: { minDelayTarget: Duration.seconds(60) } } },
      'DelayTarget',
    ],
    ['a fraction of a retry', { deliveryPolicy: { healthyRetryPolicy: { numRetries: 2.5 } } }, 'numRetries'],
    ['not a number', { deliveryPolicy: { healthyRetryPolicy: { numRetries: Number.NaN } } }, 'numRetries'],
    [
      '100 retries of an hour',
      {
        deliveryPolicy: {
          healthyRetryPolicy: {
            numRetries: 100,
            minDelayTarget: Duration.hours(1),
            maxDelayTarget: Duration.hours(1),
          },
        },
      },
      '3600 seconds',
    ],
    ['any content type', { deliveryPolicy: { requestPolicy: { headerContentType: 'a/b' } } }, 'headerContentType'],
    ['an empty policy', { deliveryPolicy: {} }, 'deliveryPolicy'],
  ];

  testSaid(
    POLICIES.map(([choice, props, says]) => ({
      choice,
      plain: stack => new Topic(stack, 'Orders').addSubscription(new UrlSubscription(URL, props)),
      ours: stack => new DurableTopic(stack, 'Orders').deliverToEndpoint('Partner', URL, props),
      says,
    })),
  );

  test.each(POLICIES)('%s fails the deployment', async (_, props) => {
    const plain: Fill = stack => new Topic(stack, 'Orders').addSubscription(new UrlSubscription(URL, props));
    expect(await refusal(plain)).toMatch(/Invalid parameter.*DeliveryPolicy/);
  });

  test('and a number that is not known before deployment stops aws-cdk-lib, not ours', () => {
    const deliveryPolicy = { healthyRetryPolicy: { numRetries: Token.asNumber({ Ref: 'Retries' }) } };
    const plain: Fill = stack => new Topic(stack, 'T').addSubscription(new UrlSubscription(URL, { deliveryPolicy }));
    const ours: Fill = stack => new DurableTopic(stack, 'T').deliverToEndpoint('Partner', URL, { deliveryPolicy });
    expect(() => plain(new Stack(newApp(), 'Test'))).toThrow('numRetries must be between 0 and 100');
    expect(saidByOurs(ours)).toEqual([]);
  });
});

describe('Hole 2: a delivery policy for a whole topic', () => {
  /** Returns the number of attempts at a partner that is down. */
  const attempts = async (fill: Fill) => {
    const deployed = await Deployed.stack(stack => void fill(stack));
    await deployed.aws.runUntilIdle();
    deployed.aws.confirmSubscription(URL);
    const partner = deployed.aws.endpoint('partner.example.com');
    const before = partner.requests.length;
    partner.behave({ reply: response(503) });
    await deployed.publish('Orders', 'order');
    await deployed.aws.runUntilIdle();
    return partner.requests.length - before;
  };

  test('is no property of a Topic, nor of CloudFormation’s', async () => {
    expect('deliveryPolicy' in new CfnTopic(new Stack(newApp(), 'Test'), 'Topic')).toBe(false);
    expect(await attempts(stack => new Topic(stack, 'Orders').addSubscription(new UrlSubscription(URL)))).toBe(1 + 3);
  });

  test('is one of a DurableTopic', async () => {
    const deliveryPolicy = { healthyRetryPolicy: { numRetries: 7 } };
    const ours: Fill = stack => new DurableTopic(stack, 'Orders', { deliveryPolicy }).deliverToEndpoint('Partner', URL);
    expect(await attempts(ours)).toBe(1 + 7);
  });
});

describe('Hole 3: delivery-status logging without a role', () => {
  const config = { protocol: LoggingProtocol.SQS, successFeedbackSampleRate: 100 };
  const deliver = (topic: Topic) => topic.addSubscription(new SqsSubscription(new Queue(topic.stack, 'Queue')));

  testSaid([
    {
      choice: 'a configuration without roles',
      plain: stack => new Topic(stack, 'Orders').addLoggingConfig(config),
      ours: stack => new DurableTopic(stack, 'Orders').addLoggingConfig(config),
      says: 'logging-without-role',
    },
  ]);

  test.each<[string, Fill, number]>([
    ['with aws-cdk-lib', stack => new Topic(stack, 'Orders', { loggingConfigs: [config] }), 0],
    ['with ours, which needs no configuration', stack => new DurableTopic(stack, 'Orders'), 1],
  ])('%s', async (_, topicIn, records) => {
    const deployed = await Deployed.stack(stack => deliver(topicIn(stack) as Topic));
    await deployed.publish('Orders', 'order');
    await deployed.aws.runUntilIdle();
    expect(await deployed.take('Queue')).toHaveLength(1);
    expect(deployed.log(`sns/us-east-1/123456789012/${deployed.name('Orders')}`)).toHaveLength(records);
  });
});

describe('Hole 4: the dead-letter queue of an SMS subscription', () => {
  const plain: Fill = stack => {
    const deadLetterQueue = new Queue(stack, 'DeadLetters');
    new Topic(stack, 'Orders').addSubscription(new SmsSubscription(PHONE, { deadLetterQueue }));
  };
  const added: Fill = stack => {
    const deadLetterQueue = new Queue(stack, 'DeadLetters');
    new DurableTopic(stack, 'Orders').addSubscription(new SmsSubscription(PHONE, { deadLetterQueue }));
  };
  const delivered: Fill = stack => {
    const deadLetterQueue = new DeadLetterQueue(stack, 'DeadLetters');
    new DurableTopic(stack, 'Orders').deliverToSms('Guard', PHONE, { deadLetterQueue });
  };

  testSaid([{ choice: 'the queue it drops', plain, ours: added, says: 'sms-without-dead-letter-queue' }]);

  test.each<[string, Fill, number, number]>([
    ['SmsSubscription', plain, 1, 0],
    ['deliverToSms', delivered, 0, 1],
  ])('with %s', async (_, fill, lost, kept) => {
    const deployed = await Deployed.stack(stack => void fill(stack));
    deployed.aws.recipients.behave(PHONE, { outcome: { kind: 'answered', statusCode: 400 } });
    await deployed.publish('Orders', 'text');
    await deployed.advance({ days: 1 });
    expect(deployed.happened('sns.lost')).toHaveLength(lost);
    expect(await deployed.take('DeadLetters')).toHaveLength(kept);
  });
});

describe('Hole 5: a dead-letter queue with a customer-managed key', () => {
  const keyIn = (stack: Stack) => new Key(stack, 'Key');

  const plainTopic: Fill = stack => {
    const deadLetterQueue = new Queue(stack, 'DeadLetters', { encryptionMasterKey: keyIn(stack) });
    const queue = new Queue(stack, 'Queue');
    new Topic(stack, 'Orders').addSubscription(new SqsSubscription(queue, { deadLetterQueue }));
  };
  const durableTopic: Fill = stack => {
    const deadLetterQueue = new DeadLetterQueue(stack, 'DeadLetters', { encryptionMasterKey: keyIn(stack) });
    new DurableTopic(stack, 'Orders').deliverToQueue('Queue', new Queue(stack, 'Queue'), { deadLetterQueue });
  };

  test.each<[string, Fill, number, number]>([
    ['a plain subscription', plainTopic, 1, 0],
    ['a DurableTopic', durableTopic, 0, 1],
  ])('of %s', async (_, fill, lost, kept) => {
    expect(saidByOurs(fill)).toEqual([]);
    const deployed = await Deployed.stack(stack => void fill(stack));
    await deployed.takeQueuePolicyAway('Queue');
    await deployed.publish('Orders', 'order');
    await deployed.aws.runUntilIdle();
    expect(await deployed.take('DeadLetters')).toHaveLength(kept);
    expect(deployed.happened('sns.lost').map(({ deadLetterFailure }) => deadLetterFailure)).toEqual(
      Array(lost).fill(expect.stringContaining('KMS.AccessDenied')),
    );
    expect(await deployed.topicSum('Orders', 'NumberOfNotificationsFailedToRedriveToDlq')).toBe(lost);
  });

  const FAILS = 'exports.handler = async () => { throw new RangeError("no such vehicle class"); };';
  const plainFunction: Fill = stack => {
    const deadLetterQueue = new Queue(stack, 'DeadLetters', { encryptionMasterKey: keyIn(stack) });
    inlineFunction(stack, 'Handler', FAILS, { deadLetterQueue });
  };
  const functionFailures: Fill = stack => {
    const deadLetterQueue = new DeadLetterQueue(stack, 'DeadLetters', { encryptionMasterKey: keyIn(stack) });
    new FunctionFailures(stack, 'Failures', { handler: inlineFunction(stack, 'Handler', FAILS), deadLetterQueue });
  };

  test.each<[string, Fill, number, number]>([
    ['a plain function', plainFunction, 1, 0],
    ['FunctionFailures', functionFailures, 0, 1],
  ])('of %s', async (_, fill, lost, kept) => {
    expect(saidByOurs(fill)).toEqual([]);
    const deployed = await Deployed.stack(stack => {
      fill(stack);
      const handler = stack.node.findChild('Handler') as LambdaFunction;
      new Topic(stack, 'Orders').addSubscription(new LambdaSubscription(handler));
    });
    await deployed.publish('Orders', 'order');
    await deployed.aws.runUntilIdle();
    expect(await deployed.take('DeadLetters')).toHaveLength(kept);
    expect(deployed.happened('lambda.lost')).toHaveLength(lost);
    expect(await deployed.functionSum('Handler', 'DeadLetterErrors')).toBe(lost);
  });
});

describe('Hole 6: an imported dead-letter queue', () => {
  const deadIn = (stack: Stack) => Queue.fromQueueArn(stack, 'Dead', 'arn:aws:sqs:us-east-1:123456789012:dead');
  const plain: Fill = stack => {
    const subscription = new SqsSubscription(new Queue(stack, 'Queue'), { deadLetterQueue: deadIn(stack) });
    new Topic(stack, 'Orders').addSubscription(subscription);
  };
  const deliver = (stack: Stack, deadLetterQueue: IQueue) =>
    new DurableTopic(stack, 'Orders').deliverToQueue('Queue', new Queue(stack, 'Queue'), { deadLetterQueue });
  const oursWith = (access: DeadLetterAccess) => (stack: Stack) =>
    deliver(stack, new ImportedDeadLetterQueue(stack, 'DeadLetters', { queue: deadIn(stack), access }));

  /** Deploys with a queue that another app's stack creates. */
  const deploy = async (fill: Fill) => {
    const assembly = assemblyOf(app => {
      new Queue(new Stack(app, 'Elsewhere'), 'Dead', { queueName: 'dead' });
      fill(new Stack(app, 'Test'));
    });
    const deployed = await Deployed.assembly(assembly);
    await deployed.takeQueuePolicyAway('Queue');
    return deployed;
  };

  test('gets no policy from aws-cdk-lib, which says nothing, and its messages are lost', async () => {
    expect(said(plain)).toEqual([]);
    const deployed = await deploy(plain);
    await deployed.publish('Orders', 'order');
    await deployed.aws.runUntilIdle();
    expect(deployed.happened('sns.lost')).toHaveLength(1);
  });

  const REFUSED = saidByOurs(stack => deliver(stack, deadIn(stack))).join();

  test('is an error of ours, which says what to add by hand', () => {
    expect(REFUSED).toContain('Without this statement its dead letters are lost: {');
  });

  test('keeps them once it has that statement', async () => {
    const deployed = await deploy(oursWith(DeadLetterAccess.GRANTED_ELSEWHERE));
    const statement = /\{.*\}/.exec(REFUSED)?.[0].replace('<ARN of Test/Orders>', deployed.ref('Orders'));
    const Attributes = { Policy: `{"Version":"2012-10-17","Statement":[${statement}]}` };
    await deployed.sqs.send(new SetQueueAttributesCommand({ QueueUrl: deployed.ref('/Elsewhere/Dead'), Attributes }));
    await deployed.publish('Orders', 'order');
    await deployed.aws.runUntilIdle();
    expect(await deployed.take('/Elsewhere/Dead')).toHaveLength(1);
  });

  test('keeps them once ours writes its policy', async () => {
    const deployed = await deploy(oursWith(DeadLetterAccess.WRITE_POLICY));
    await deployed.publish('Orders', 'order');
    await deployed.aws.runUntilIdle();
    expect(await deployed.take('/Elsewhere/Dead')).toHaveLength(1);
  });
});

/** CloudFormation creates resources in any order that the dependencies allow. This tests the template's order and its reverse. */
describe('Hole 7: between the creation of a subscription and of the policies it needs', () => {
  const creationOrder = async (reversed: boolean, fill: Fill) => {
    const assembly = assemblyOfStack(stack => void fill(stack));
    editTemplate(assembly, 'Test', ({ Resources }) => {
      for (const [id, resource] of reversed ? Object.entries(Resources).reverse() : []) {
        delete Resources[id];
        Resources[id] = resource;
      }
    });
    const { aws } = await Deployed.assembly(assembly);
    const paths = [...(aws.stacks[0]?.resources.values() ?? [])].map(({ path = '' }) => path);
    return (path: string) => {
      expect(paths).toContain(`Test/${path}`);
      return paths.indexOf(`Test/${path}`);
    };
  };

  test('a message can get lost with aws-cdk-lib', async () => {
    const at = await creationOrder(true, stack => {
      const deadLetterQueue = new Queue(stack, 'DeadLetters');
      new Topic(stack, 'Orders').addSubscription(new SqsSubscription(new Queue(stack, 'Queue'), { deadLetterQueue }));
    });
    expect(at('DeadLetters/Policy/Resource')).toBeGreaterThan(at('Queue/TestOrdersC225794E/Resource'));
  });

  test.each([false, true])('none can, or go unlogged, with DurableTopic (reversed: %s)', async reversed => {
    const at = await creationOrder(reversed, stack => {
      new DurableTopic(stack, 'Orders').deliverToQueue('Delivery', new Queue(stack, 'Queue'));
    });
    const subscribed = at('Orders/Deliveries/Delivery/Subscription/Resource');
    expect(at('Orders/Deliveries/Delivery/DeadLetterQueue/Policy/Resource')).toBeLessThan(subscribed);
    expect(at('Queue/Policy/Resource')).toBeLessThan(subscribed);
    expect(at('Orders/DeliveryStatus/Failures/Resource')).toBeLessThan(subscribed);
    expect(at('Orders/DeliveryStatus/Role/DefaultPolicy/Resource')).toBeLessThan(subscribed);
  });
});

describe('Hole 8: a dead-letter queue SNS does not reach, or of another type', () => {
  const imported = (region: string, account: string) => (stack: Stack) =>
    Queue.fromQueueArn(stack, 'Dead', `arn:aws:sqs:${region}:${account}:dead`);

  interface Pairing {
    readonly choice: string;
    readonly dead: (stack: Stack) => IQueue;
    readonly fifo?: boolean;
    readonly says: string;
    readonly refused?: true;
  }

  const PAIRINGS: readonly Pairing[] = [
    { choice: 'one in another Region', dead: imported('eu-west-1', HERE.account), says: 'must be in the Region' },
    { choice: 'one of another account', dead: imported(HERE.region, '999999999999'), says: 'must be in the account' },
    {
      choice: 'a FIFO one for a standard topic',
      dead: stack => new Queue(stack, 'Dead', { fifo: true }),
      says: 'must be a standard queue',
      refused: true,
    },
    {
      choice: 'a standard one for a FIFO queue of a FIFO topic',
      dead: stack => new Queue(stack, 'Dead'),
      fifo: true,
      says: 'must be FIFO',
      refused: true,
    },
  ];

  const plainOf = ({ dead, fifo = false }: Pairing): Fill => {
    const type = fifo ? { fifo } : {};
    return stack => {
      const subscription = new SqsSubscription(new Queue(stack, 'Queue', type), { deadLetterQueue: dead(stack) });
      new Topic(stack, 'Orders', type).addSubscription(subscription);
    };
  };
  const oursOf = ({ dead, fifo = false }: Pairing): Fill => {
    const type = fifo ? { fifo } : {};
    return stack => {
      const options = { deadLetterQueue: dead(stack) };
      new DurableTopic(stack, 'Orders', type).deliverToQueue('Queue', new Queue(stack, 'Queue', type), options);
    };
  };
  const plainUrl: Fill = stack => new Topic(stack, 'Orders', { fifo: true }).addSubscription(new UrlSubscription(URL));
  const ourUrl: Fill = stack => new DurableTopic(stack, 'Orders', { fifo: true }).deliverToEndpoint('Partner', URL);

  testSaid([
    ...PAIRINGS.map(it => ({ ...it, plain: plainOf(it), ours: oursOf(it), env: HERE })),
    { choice: 'a server as subscriber of a FIFO topic', plain: plainUrl, ours: ourUrl, says: 'must be a queue' },
  ]);

  test.each(PAIRINGS.filter(({ refused }) => refused))('$choice fails the deployment', async it => {
    expect(await refusal(plainOf(it))).toMatch(/Invalid parameter/);
  });

  test('a server as subscriber of a FIFO topic fails the deployment', async () => {
    expect(await refusal(plainUrl)).toMatch(/Invalid parameter/);
  });
});

describe('Hole 9: receives SQS rejects, and a dead-letter queue where messages expire as soon as they come', () => {
  const plainReceives: Fill = stack => {
    const queue = new Queue(stack, 'Dead');
    new Queue(stack, 'Queue', { deadLetterQueue: { queue, maxReceiveCount: 1_001 } });
  };
  /** Four days for each queue, SQS's default. */
  const plainRetention: Fill = stack => {
    const queue = new Queue(stack, 'Dead');
    new Queue(stack, 'Queue', { deadLetterQueue: { queue, maxReceiveCount: 1 } });
  };

  testSaid([
    {
      choice: '1,001 receives',
      plain: plainReceives,
      ours: stack => new ProcessingQueue(stack, 'Queue', { maxReceiveCount: 1_001 }),
      says: 'maxReceiveCount must be a whole number from 1 to 1,000',
    },
    {
      choice: 'a dead-letter queue that keeps messages no longer than its source',
      plain: plainRetention,
      ours: stack => new ProcessingQueue(stack, 'Queue', { retentionPeriod: Duration.days(14) }),
      says: 'dead-letters-expire-early',
    },
  ]);

  test('1,001 receives fail the deployment', async () => {
    expect(await refusal(plainReceives)).toMatch(/maxReceiveCount/);
  });

  test.each<[string, Fill, number]>([
    ['is gone when somebody looks a minute later, with two plain queues', plainRetention, 0],
    [
      'is there for ten days, with a ProcessingQueue',
      stack => new ProcessingQueue(stack, 'Queue', { maxReceiveCount: 1 }),
      1,
    ],
  ])('what is received at the end of its time %s', async (_, fill, kept) => {
    const deployed = await Deployed.stack(stack => void fill(stack));
    await deployed.send('Queue', 'poison');
    await deployed.advance({ days: 3, hours: 23, minutes: 59 });
    expect(await deployed.receive('Queue')).toHaveLength(1);
    await deployed.advance({ seconds: 30 });
    expect(await deployed.receive('Queue')).toEqual([]);
    expect(deployed.happened('sqs.dead-lettered')).toHaveLength(1);
    await deployed.advance({ minutes: 1 });
    const { visible } = deployed.aws.state().queues.find(({ name }) => /Dead/.test(name)) ?? {};
    expect(visible).toBe(kept);
  });
});

describe('Hole 10: a redrive-allow policy that names the queue using the dead-letter queue', () => {
  const plain: Fill = stack => {
    const queue = new Queue(stack, 'Dead');
    const source = new Queue(stack, 'Source', { queueName: 'source', deadLetterQueue: { queue, maxReceiveCount: 1 } });
    const redriveAllowPolicy = { redrivePermission: 'byQueue', sourceQueueArns: [source.queueArn] };
    (queue.node.defaultChild as CfnQueue).redriveAllowPolicy = redriveAllowPolicy;
  };
  const ours: Fill = stack => new ProcessingQueue(stack, 'Source', { queueName: 'source', maxReceiveCount: 1 });

  test('is a cycle with aws-cdk-lib, found no sooner than by CloudFormation', async () => {
    expect(said(plain)).toEqual([]);
    expect(await refusal(plain)).toMatch(/circular/i);
  });

  test('is there with ours: its queue is let in, and no other', async () => {
    const deployed = await Deployed.stack(stack => {
      ours(stack);
      new Queue(stack, 'Stranger');
    });
    await deployed.send('Source', 'poison');
    await deployed.receive('Source');
    await deployed.advance({ seconds: 30 });
    await deployed.receive('Source');
    expect(await deployed.take('Source/DeadLetterQueue')).toEqual(['poison']);
    const RedrivePolicy = JSON.stringify({
      deadLetterTargetArn: deployed.arn('Source/DeadLetterQueue'),
      maxReceiveCount: 1,
    });
    const stranger = { QueueUrl: deployed.ref('Stranger'), Attributes: { RedrivePolicy } };
    await expect(deployed.sqs.send(new SetQueueAttributesCommand(stranger))).rejects.toThrow(/redrive/i);
  });
});

describe('Hole 11: metrics of dead letters, and grants to move them', () => {
  const methodsOf = (it: object): string[] => {
    const parent: object | null = Object.getPrototypeOf(it);
    return parent ? [...Object.getOwnPropertyNames(parent), ...methodsOf(parent)] : [];
  };
  const about = (it: object) => methodsOf(it).filter(name => /^(metric|grant).*Redriv/.test(name));

  test('aws-cdk-lib has none', () => {
    const stack = new Stack(newApp(), 'Test');
    expect([new Topic(stack, 'Topic'), new Queue(stack, 'Queue')].flatMap(about)).toEqual([]);
  });

  test('ours has them', () => {
    const stack = new Stack(newApp(), 'Test');
    expect([new DurableTopic(stack, 'Topic'), new DeadLetterQueue(stack, 'Queue')].flatMap(about)).toEqual(
      expect.arrayContaining([
        'metricNotificationsRedrivenToDlq',
        'metricNotificationsFailedToRedriveToDlq',
        'grantRedrive',
      ]),
    );
  });
});

describe('Hole 12: the name of SNS in an opt-in Region', () => {
  const OPT_IN = { ...HERE, region: 'eu-south-1' };

  /** Returns the principals with which a topic in an opt-in Region may invoke a function in another Region. */
  const principals = (subscribe: (topics: Stack, handler: LambdaFunction) => void) => {
    const app = newApp();
    const [topics, functions] = [new Stack(app, 'Topics', { env: OPT_IN }), new Stack(app, 'Functions', { env: HERE })];
    subscribe(topics, inlineFunction(functions, 'Handler', 'exports.handler = async () => {};', { functionName: 'x' }));
    const permissions = Template.fromStack(functions).findResources('AWS::Lambda::Permission');
    return Object.values(permissions).map(({ Properties }) => Properties.Principal);
  };

  test('is always the same with aws-cdk-lib, and such a topic kept out', () => {
    const plain = principals((topics, handler) =>
      new Topic(topics, 'Orders', { topicName: 'orders' }).addSubscription(new LambdaSubscription(handler)),
    );
    expect(plain).toEqual(['sns.amazonaws.com']);
  });

  test('is the Region’s own with ours', () => {
    const ours = principals((topics, handler) => {
      const deadLetterQueue = new DeadLetterQueue(topics, 'Dead', { queueName: 'dead' });
      new DurableTopic(topics, 'Orders', { topicName: 'orders' }).deliverToFunction('Handler', handler, {
        deadLetterQueue,
      });
    });
    expect(ours).toEqual(['sns.eu-south-1.amazonaws.com']);
  });
});

describe('Hole 13: a URL', () => {
  const idsOf = (fill: Fill) => {
    const stack = new Stack(newApp(), 'Test');
    fill(stack);
    return Object.keys(Template.fromStack(stack).findResources('AWS::SNS::Subscription'));
  };
  const SECRET = 'https://user:secret@partner.example.com/orders';

  test('is its subscription’s id with aws-cdk-lib: another URL is another subscription', () => {
    const plain = (url: string) => idsOf(stack => new Topic(stack, 'Orders').addSubscription(new UrlSubscription(url)));
    expect(plain(URL)).not.toEqual(plain(SECRET));
    expect(plain(SECRET)).toEqual([expect.stringContaining('secret')]);
  });

  test('is none with ours', () => {
    const ours = (url: string) => idsOf(stack => new DurableTopic(stack, 'Orders').deliverToEndpoint('Partner', url));
    expect(ours(URL)).toEqual(ours(SECRET));
  });

  testSaid([
    {
      choice: 'a protocol it ignores, for it is not the URL’s',
      plain: stack =>
        new Topic(stack, 'Orders').addSubscription(new UrlSubscription(URL, { protocol: SubscriptionProtocol.HTTP })),
      ours: stack =>
        new DurableTopic(stack, 'Orders').deliverToEndpoint('Partner', URL, { protocol: SubscriptionProtocol.HTTP }),
      says: 'protocol must be the URL',
    },
  ]);
});
