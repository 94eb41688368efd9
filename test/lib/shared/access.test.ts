import { Duration, Stack } from 'aws-cdk-lib';
import { Annotations, Match } from 'aws-cdk-lib/assertions';
import { Rule, Schedule } from 'aws-cdk-lib/aws-events';
import { SqsQueue } from 'aws-cdk-lib/aws-events-targets';
import { ArnPrincipal, PolicyStatement } from 'aws-cdk-lib/aws-iam';
import { Key } from 'aws-cdk-lib/aws-kms';
import { Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import { Secret } from 'aws-cdk-lib/aws-secretsmanager';
import { type ITopic, Topic } from 'aws-cdk-lib/aws-sns';
import { LambdaSubscription, SqsSubscription } from 'aws-cdk-lib/aws-sns-subscriptions';
import { Queue } from 'aws-cdk-lib/aws-sqs';
import {
  DeadLetterAccess,
  DeadLetterQueue,
  DurableTopic,
  HttpRelay,
  ImportedDeadLetterQueue,
  OpsTopic,
  RelayEndpoint,
} from '../../../lib';
import { newFunction } from '../../support/inline-function';
import { allowPlainConsumers, HERE, newApp, newStack, problemsOf, templateOf, warningText } from '../support';

/** Returns the topics that a key allows, as `principal source`. */
function admittedByKey(stack: Stack): string[] {
  const [key] = Object.values(templateOf(stack).findResources('AWS::KMS::Key'));
  const statements: KeyStatement[] = key?.['Properties'].KeyPolicy.Statement ?? [];
  return statements.flatMap(({ Principal, Condition }) =>
    Principal.Service ? [`${Principal.Service} ${flat(Condition?.ArnLike?.['aws:SourceArn'])}`] : [],
  );
}

interface KeyStatement {
  readonly Principal: { readonly Service?: string };
  readonly Condition?: { readonly ArnLike?: Readonly<Record<string, unknown>> };
}

/** Returns a text of a template, with names such as `<AWS::Region>` in place of tokens. */
function flat(value: unknown): string {
  if (typeof value === 'string') return value;
  const { Ref, 'Fn::Join': join } = value as { Ref?: string; 'Fn::Join'?: [string, unknown[]] };
  return join ? join[1].map(flat).join(join[0]) : `<${Ref}>`;
}

describe('The policy of a key admits SNS for the account and Region of the topic', () => {
  /** Delivers from `HERE` to an encrypted queue elsewhere, with a dead-letter queue in the stack of the topic or of the queue. */
  function keyOfQueueIn(env: typeof HERE, dlqBeside: 'topic' | 'queue'): string[] {
    const app = newApp();
    const [topics, queues] = [new Stack(app, 'Topics', { env: HERE }), new Stack(app, 'Queues', { env })];
    const queue = new Queue(queues, 'Queue', { queueName: 'orders', encryptionMasterKey: new Key(queues, 'Key') });
    const beside = dlqBeside === 'topic' ? topics : queues;
    const deadLetterQueue = new DeadLetterQueue(beside, 'Dlq', { queueName: 'dlq' });
    new DurableTopic(topics, 'Topic', { topicName: 'orders' }).deliverToQueue('Orders', queue, { deadLetterQueue });
    return admittedByKey(queues);
  }

  test('if the queue is in another Region', () => {
    expect(keyOfQueueIn({ ...HERE, region: 'eu-west-1' }, 'topic')).toEqual([
      'sns.amazonaws.com arn:<AWS::Partition>:sns:us-east-1:111122223333:*',
    ]);
  });

  test('if the queue is in an opt-in Region, by the name that SNS has there', () => {
    expect(keyOfQueueIn({ ...HERE, region: 'eu-south-1' }, 'topic')).toEqual([
      'sns.eu-south-1.amazonaws.com arn:<AWS::Partition>:sns:us-east-1:111122223333:*',
    ]);
  });

  test('if the queue is in another account', () => {
    expect(keyOfQueueIn({ ...HERE, account: '222222222222' }, 'queue')).toEqual([
      'sns.amazonaws.com arn:<AWS::Partition>:sns:us-east-1:111122223333:*',
    ]);
  });

  test('if the dead-letter queue is in another account, with the key of the topic', () => {
    const app = newApp();
    const topics = new Stack(app, 'Topics', { env: HERE });
    const queues = new Stack(app, 'Queues', { env: { ...HERE, account: '222222222222' } });
    const masterKey = new Key(topics, 'Key', { alias: 'orders' });
    const topic = new DurableTopic(topics, 'Topic', { topicName: 'orders', masterKey });
    const deadLetterQueue = new DeadLetterQueue(queues, 'Dlq', { encryptionMasterKey: masterKey });
    topic.deliverToQueue('Orders', new Queue(queues, 'Queue', { queueName: 'orders' }), { deadLetterQueue });
    expect(admittedByKey(topics)).toEqual(['sns.amazonaws.com arn:<AWS::Partition>:sns:us-east-1:111122223333:*']);
  });

  test.each<[string, (stack: Stack) => ITopic, string]>([
    [
      'another account and Region',
      stack => Topic.fromTopicArn(stack, 'Topic', 'arn:aws:sns:eu-west-1:999999999999:orders'),
      'arn:<AWS::Partition>:sns:eu-west-1:999999999999:*',
    ],
    [
      'the stack itself',
      stack => new Topic(stack, 'Topic'),
      'arn:<AWS::Partition>:sns:<AWS::Region>:<AWS::AccountId>:*',
    ],
  ])('if a dead-letter queue is fed by a topic of %s', (_, topicIn, source) => {
    const stack = newStack();
    new DeadLetterQueue(stack, 'Dlq', { encryptionMasterKey: new Key(stack, 'Key') }).fedBy(topicIn(stack));
    expect(admittedByKey(stack)).toEqual([`sns.amazonaws.com ${source}`]);
  });
});

describe('If this stack cannot write a policy, a warning has the statement to add', () => {
  test('to a queue', () => {
    const stack = newStack(HERE);
    const queue = Queue.fromQueueArn(stack, 'Queue', 'arn:aws:sqs:us-east-1:111122223333:orders');
    new DurableTopic(stack, 'Topic').deliverToQueue('Orders', queue);
    expect(warningText(stack, 'queue-policy-not-writable')).toContain(
      'This app cannot change the policy of queue Stack/Queue. Without this statement its messages become dead letters: ' +
        '{"Action":"sqs:SendMessage","Condition":{"ArnEquals":{"aws:SourceArn":"<ARN of Stack/Topic>"}},"Effect":"Allow",' +
        '"Principal":{"Service":"sns.amazonaws.com"},"Resource":"arn:aws:sqs:us-east-1:111122223333:orders"}',
    );
  });

  test('to a function', () => {
    const stack = newStack(HERE);
    const handler = LambdaFunction.fromFunctionArn(stack, 'F', 'arn:aws:lambda:us-east-1:999999999999:function:bill');
    new DurableTopic(stack, 'Topic').deliverToFunction('Bill', handler);
    expect(warningText(stack, 'function-policy-not-writable')).toContain(
      '{"Action":"lambda:InvokeFunction","Condition":{"ArnLike":{"AWS:SourceArn":"<ARN of Stack/Topic>"}},"Effect":"Allow",' +
        '"Principal":{"Service":"sns.amazonaws.com"},"Resource":"arn:aws:lambda:us-east-1:999999999999:function:bill"}',
    );
  });

  test('to a key, for a stack without a stated account', () => {
    const stack = newStack();
    const arn = 'arn:aws:kms:us-east-1:111122223333:key/12345678-1234-1234-1234-123456789012';
    const encryptionMasterKey = Key.fromKeyArn(stack, 'Key', arn);
    const queue = new DeadLetterQueue(stack, 'Dlq', { encryptionMasterKey });
    queue.fedBy(new Topic(stack, 'Topic'));
    expect(warningText(stack, 'key-policy-not-writable')).toContain(
      'This app cannot change the policy of key Stack/Key. Without this statement every message that needs the key is lost: ' +
        '{"Action":["kms:Decrypt","kms:GenerateDataKey*"],"Condition":{"ArnLike":{"aws:SourceArn":' +
        '"arn:<AWS::Partition>:sns:<AWS::Region>:<AWS::AccountId>:*"}},"Effect":"Allow",' +
        '"Principal":{"Service":"sns.amazonaws.com"},"Resource":"*"}',
    );
  });

  test('and no warning shows a token', () => {
    const stack = newStack();
    const topic = new DurableTopic(stack, 'Topic');
    topic.deliverToQueue('Orders', Queue.fromQueueArn(stack, 'Q', 'arn:aws:sqs:us-east-1:111122223333:orders'));
    const arn = 'arn:aws:lambda:us-east-1:999999999999:function:bill';
    topic.deliverToFunction('Bill', LambdaFunction.fromFunctionArn(stack, 'F', arn));
    const ours = Annotations.fromStack(stack)
      .findWarning('*', Match.stringLikeRegexp('dead-letter-office:.*-not-writable'))
      .map(({ entry }) => String(entry.data));
    expect(ours).toHaveLength(2);
    expect(ours.filter(text => text.includes('Token['))).toEqual([]);
  });
});

/**
 * "21 statements were found in the submitted policy, max allowed is 20" (recorded, aws/aws-cdk#16303).
 * @see https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/quotas-policies.html
 */
describe('Because SQS accepts 20 statements in a queue policy,', () => {
  const SOURCES = 25;
  const each = <T>(make: (index: number) => T): T[] => Array.from({ length: SOURCES }, (_, index) => make(index));

  /** The sources of each service that a queue's policy allows, a list for each statement. */
  function sourcesIn(stack: Stack, type = 'AWS::SQS::QueuePolicy'): Readonly<Record<string, unknown[][]>> {
    const found = Object.values(templateOf(stack).findResources(type));
    const statements: readonly SendStatement[] = found.flatMap(it => it['Properties'].PolicyDocument.Statement);
    const bySource: Record<string, unknown[][]> = {};
    for (const { Principal, Condition, Effect } of statements) {
      const list = Effect === 'Allow' ? [Condition.ArnEquals['aws:SourceArn']].flat() : [];
      if (list.length > 0) bySource[Principal.Service] = [...(bySource[Principal.Service] ?? []), list];
    }
    return bySource;
  }

  interface SendStatement {
    readonly Effect: string;
    readonly Principal: { readonly Service: string };
    readonly Condition: { readonly ArnEquals: { readonly 'aws:SourceArn': unknown } };
  }

  test('topics, rules and subscriptions of aws-cdk-lib that share a dead-letter queue share a statement for each service,', () => {
    const stack = newStack(HERE);
    const dead = new DeadLetterQueue(stack, 'Dlq');
    const queue = new Queue(stack, 'Queue');
    const topics = each(i => new DurableTopic(stack, `Topic${i}`));
    for (const topic of topics) topic.deliverToQueue('Queue', queue, { deadLetterQueue: dead });
    const target = new SqsQueue(queue, { deadLetterQueue: dead });
    const rules = each(i => new Rule(stack, `Rule${i}`, { schedule: Schedule.rate(Duration.days(1)) }));
    for (const rule of rules) {
      rule.addTarget(target);
      dead.fedBy(rule);
    }
    const plain = new Topic(stack, 'Plain');
    plain.addSubscription(new SqsSubscription(queue, { deadLetterQueue: dead }));

    const all = [...topics, plain].map(it => stack.resolve(it.topicArn));
    const ruleArns = rules.map(it => stack.resolve(it.ruleArn));
    expect(sourcesIn(stack)).toEqual({
      'sns.amazonaws.com': [all, all],
      'events.amazonaws.com': [ruleArns, ruleArns],
    });
  });

  test('also topics of other stacks, and in a policy that this stack writes for an imported queue;', () => {
    const app = newApp();
    const [topics, queues] = [new Stack(app, 'Topics', { env: HERE }), new Stack(app, 'Queues', { env: HERE })];
    const queue = Queue.fromQueueArn(queues, 'Queue', 'arn:aws:sqs:us-east-1:111122223333:dead');
    const dead = new ImportedDeadLetterQueue(queues, 'Dlq', { queue, access: DeadLetterAccess.WRITE_POLICY });
    const all = each(i => new Topic(topics, `Topic${i}`));
    for (const topic of all) dead.fedBy(topic);
    const written = sourcesIn(queues, 'AWS::SQS::QueueInlinePolicy');
    expect(written['sns.amazonaws.com']).toEqual([
      all.map(() => ({ 'Fn::ImportValue': expect.stringContaining('Topics:ExportsOutputRefTopic') })),
    ]);
  });

  test('the ARN of a single source is a string, not an array, so that existing templates do not change;', () => {
    const stack = newStack();
    const topic = new Topic(stack, 'Topic');
    new DeadLetterQueue(stack, 'Dlq').fedBy(topic);
    const ArnEquals = { 'aws:SourceArn': stack.resolve(topic.topicArn) };
    templateOf(stack).hasResourceProperties('AWS::SQS::QueuePolicy', {
      PolicyDocument: { Statement: Match.arrayWith([Match.objectLike({ Condition: { ArnEquals } })]) },
    });
  });

  /** Adds statements that cannot be joined. */
  const crowd = (resource: Queue | Topic | Key, count: number) => {
    for (let i = 0; i < count; i += 1) {
      const principals = [new ArnPrincipal(`arn:aws:iam::111122223333:role/${'r'.repeat(40)}${i}`)];
      const sid = `Own${i}`;
      const actions = [
        resource instanceof Queue ? 'sqs:SendMessage' : resource instanceof Key ? 'kms:Decrypt' : 'sns:Publish',
      ];
      resource.addToResourcePolicy(new PolicyStatement({ sid, principals, actions, resources: ['*'] }));
    }
  };

  test('the size of a function’s policy counts the ids that CloudFormation makes from the name of the stack;', () => {
    const bytesIn = (stackName: string) => {
      const stack = new Stack(newApp(), 'Stack', { stackName });
      allowPlainConsumers(stack);
      const handler = newFunction(stack);
      const topicArn = (i: number) => `arn:aws:sns:us-east-1:111122223333:orders-${i}`;
      for (let i = 100; i < 200; i += 1) {
        const topic = Topic.fromTopicArn(stack, `T${i}`, topicArn(i));
        topic.addSubscription(new LambdaSubscription(handler));
      }
      new DurableTopic(stack, 'Topic', { logDeliveryStatus: false }).deliverToFunction('It', handler);
      const [, bytes = ''] = /policy has ([\d,]+) bytes/.exec(problemsOf(() => templateOf(stack)).join()) ?? [];
      return Number(bytes.replace(',', ''));
    };
    expect(bytesIn('s'.repeat(21)) - bytesIn('s')).toBe(101 * 20);
  });

  test.each<[string, RegExp, (stack: Stack) => unknown]>([
    [
      'a dead-letter queue',
      /\[Stack\/It\] policy has 21 statements, but SQS accepts at most 20\. Give it fewer sources/,
      stack => crowd(new DeadLetterQueue(stack, 'It'), 20),
    ],
    [
      'a queue that a topic delivers to',
      /\[Stack\/It\] policy has 21 statements, but SQS accepts at most 20/,
      stack => {
        const queue = new Queue(stack, 'It');
        crowd(queue, 20);
        new DurableTopic(stack, 'Topic').deliverToQueue('Queue', queue);
      },
    ],
    [
      'a topic',
      /\[Stack\/It\] policy has 101 statements, but SNS accepts at most 100/,
      stack => crowd(new DurableTopic(stack, 'It', { enforceSSL: false }), 101),
    ],
    [
      'an operations topic',
      /\[Stack\/It\] policy has 102 statements, but SNS accepts at most 100/,
      stack => crowd(new OpsTopic(stack, 'It'), 100),
    ],
    [
      'a key',
      /\[Stack\/It\] policy has [\d,]+ bytes, but KMS accepts at most 32,768/,
      stack => {
        const encryptionMasterKey = new Key(stack, 'It');
        crowd(encryptionMasterKey, 250);
        new DeadLetterQueue(stack, 'Dlq', { encryptionMasterKey }).fedBy(new Topic(stack, 'Topic'));
      },
    ],
    [
      'a function',
      /\[Stack\/Function\] policy has [\d,]+ bytes, but Lambda accepts at most 20,480/,
      stack => {
        const handler = newFunction(stack);
        for (let i = 0; i < 90; i += 1)
          new DurableTopic(stack, `Topic${i}`, { logDeliveryStatus: false }).deliverToFunction('It', handler);
      },
    ],
  ])('the synthesis fails for the policy of %s that AWS would refuse', (_, text, fill) => {
    const stack = newStack();
    allowPlainConsumers(stack);
    fill(stack);
    expect(problemsOf(() => templateOf(stack)).join('\n')).toMatch(text);
  });
});

/** AWS documents no condition here. A condition on a key that SNS does not send would silently stop all logging. */
test('The role for SNS’s delivery logs trusts SNS, and writes only to the log groups of its topic', () => {
  const stack = newStack();
  const { deliveryStatus } = new DurableTopic(stack, 'Topic');
  const template = templateOf(stack);
  const trust = { Action: 'sts:AssumeRole', Effect: 'Allow', Principal: { Service: 'sns.amazonaws.com' } };
  template.hasResourceProperties('AWS::IAM::Role', { AssumeRolePolicyDocument: { Statement: [trust] } });
  const groups = [deliveryStatus?.successLogGroup, deliveryStatus?.failureLogGroup];
  const Resource = groups.map(group => stack.resolve(group?.logGroupArn));
  template.hasResourceProperties('AWS::IAM::Policy', {
    PolicyDocument: { Statement: [Match.objectLike({ Resource })] },
  });
});

/**
 * AWS documents the value of `kms:ViaService` as `<service>.<region>.amazonaws.com`, and not what it is in China.
 * @see https://docs.aws.amazon.com/kms/latest/developerguide/conditions-kms.html#conditions-kms-via-service
 */
const viaServiceIn = (region?: string) => {
  const stack = newStack(region === undefined ? undefined : { ...HERE, region });
  const headersSecret = new Secret(stack, 'Secret', { encryptionKey: new Key(stack, 'Key') });
  new HttpRelay(stack, 'Relay', { endpoint: RelayEndpoint.fromUrl('https://partner.example.com'), headersSecret });
  const policies = Object.values(templateOf(stack).findResources('AWS::IAM::Role')).flatMap(
    ({ Properties }) => Properties.Policies ?? [],
  );
  const statements = policies.flatMap(({ PolicyDocument }) => PolicyDocument.Statement);
  return statements.flatMap(({ Condition }) => Condition?.StringEquals?.['kms:ViaService'] ?? []);
};

test('A secret with a key is decrypted only through Secrets Manager, in China by either of its names', () => {
  expect(viaServiceIn('eu-west-1')).toEqual(['secretsmanager.eu-west-1.amazonaws.com']);
  expect(viaServiceIn('cn-north-1')).toEqual([
    'secretsmanager.cn-north-1.amazonaws.com',
    'secretsmanager.cn-north-1.amazonaws.com.cn',
  ]);
  expect(viaServiceIn().map(flat)).toEqual([
    'secretsmanager.<AWS::Region>.amazonaws.com',
    'secretsmanager.<AWS::Region>.<AWS::URLSuffix>',
  ]);
});
