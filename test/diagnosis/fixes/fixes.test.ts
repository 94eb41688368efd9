import { keepFailures, keepUndelivered } from '../../../diagnosis/fixes/add-dead-letter-queue';
import { watchQueue } from '../../../diagnosis/fixes/alarms';
import {
  allowSources,
  encryptBySqs,
  resumeMapping,
  setMaxReceiveCount,
  setRetention,
  setVisibilityTimeout,
} from '../../../diagnosis/fixes/change-settings';
import type { Fix } from '../../../diagnosis/fixes/fix';
import {
  allowInvoke,
  allowKeyUse,
  allowPublish,
  allowRole,
  allowSend,
  giveConcurrency,
} from '../../../diagnosis/fixes/grant-access';
import type { EventInvokeFacts, KeyFacts, QueueFacts } from '../../../diagnosis/inventory/inventory';
import {
  arnOf,
  functionArn,
  inventoryOf,
  lambda,
  OPS,
  queue,
  queueArn,
  REGION,
  roleArn,
  subscription,
  topic,
  topicArn,
  topicsOwnPolicy,
  UNKNOWN,
} from '../inventories';

describe('fixes', () => {
  const DEAD = queue('dead');
  const redrive = { deadLetterTargetArn: queueArn('dead'), maxReceiveCount: 1 };
  const inputs = ({ calls = [] }: Fix) => calls.map(({ operation, input }) => [operation, input]);
  const set = (attributes: object) => [['SetQueueAttributes', { QueueUrl: DEAD.url, Attributes: attributes }]];

  test.each<[what: string, fix: Fix, attributes: object]>([
    ['retention', setRetention(DEAD, 1_209_600, 'Keep.'), { MessageRetentionPeriod: '1209600' }],
    ['visibility', setVisibilityTimeout(DEAD, 180), { VisibilityTimeout: '180' }],
    [
      'the redrive policy, whole',
      setMaxReceiveCount(DEAD, redrive, 5),
      { RedrivePolicy: `{"deadLetterTargetArn":"${queueArn('dead')}","maxReceiveCount":5}` },
    ],
    [
      'the redrive-allow policy',
      allowSources(DEAD, [queueArn('work')], 'Allow.'),
      { RedriveAllowPolicy: `{"redrivePermission":"byQueue","sourceQueueArns":["${queueArn('work')}"]}` },
    ],
    ['encryption', encryptBySqs(DEAD), { KmsMasterKeyId: '', SqsManagedSseEnabled: 'true' }],
  ])('sets %s of a queue, and nothing else', (_, fix, attributes) => {
    expect(inputs(fix)).toEqual(set(attributes));
  });

  test('a queue whose URL nobody knows, or whose dead-letter queue, is not set by a call', () => {
    const { url: _, ...unknown } = DEAD;
    expect(setVisibilityTimeout(unknown, 180).calls).toBeUndefined();
    expect(setMaxReceiveCount(DEAD, { ...redrive, deadLetterTargetArn: UNKNOWN }, 5).calls).toBeUndefined();
  });

  describe('An alarm', () => {
    test('is on the metric that moves, one for each way dead letters come', () => {
      const { calls = [] } = watchQueue(DEAD, ['sent', 'moved'], [OPS]);
      expect(calls.map(({ input }) => [input['MetricName'], input['Statistic'], input['AlarmActions']])).toEqual([
        ['NumberOfMessagesSent', 'Sum', [OPS]],
        ['ApproximateNumberOfMessagesVisible', 'Maximum', [OPS]],
      ]);
      expect(new Set(calls.map(({ input }) => input['AlarmName'])).size).toBe(2);
    });

    test('is for a person to make where there is nobody to tell', () => {
      expect(watchQueue(DEAD, ['sent'], []).calls).toBeUndefined();
    });
  });

  describe('A dead-letter queue for a subscription', () => {
    test('lets its topic send, and then is named', () => {
      const [create, name] = keepUndelivered(subscription('orders', '1'), inventoryOf()).calls ?? [];
      expect(create).toMatchObject({ operation: 'CreateQueue', input: { QueueName: 'orders-topic-dead-letters' } });
      expect(JSON.stringify(create?.input)).toContain(topicArn('orders'));
      expect(name?.input).toEqual({
        SubscriptionArn: `${topicArn('orders')}:1`,
        AttributeName: 'RedrivePolicy',
        AttributeValue: `{"deadLetterTargetArn":"${queueArn('orders-topic-dead-letters')}"}`,
      });
    });

    test('is FIFO where a FIFO queue is delivered to, and has a name nobody has', () => {
      const fifo = subscription('orders.fifo', '1', { endpoint: queueArn('work.fifo') });
      const there = inventoryOf({ queues: [queue('orders-topic-dead-letters.fifo')] });
      const [create] = keepUndelivered(fifo, there).calls ?? [];
      expect(create?.input).toMatchObject({
        QueueName: 'orders-topic-dead-letters-2.fifo',
        Attributes: { FifoQueue: 'true' },
      });
    });

    const nameOf = ({ calls = [] }: Fix) => calls[0]?.input['QueueName'];
    const nameAt = (topicName: string, facts: Parameters<typeof subscription>[2] = {}) =>
      nameOf(keepUndelivered(subscription(topicName, '1', facts), inventoryOf()));

    test('has a name no other topic’s or function’s gets, since a queue’s policy is for one of them', () => {
      const long = 't'.repeat(79);
      const theirs = { topicArn: arnOf('sns', 'orders', REGION, '999999999999') };
      const names = [
        nameAt('orders'),
        nameAt('orders', theirs),
        nameAt('orders.fifo'),
        nameAt('orders-fifo'),
        nameAt('orders.fifo', { endpoint: queueArn('work.fifo') }),
        nameAt(`${long}a`),
        nameAt(`${long}b`),
        nameOf(keepFailures(lambda('orders'), undefined, inventoryOf())),
      ];
      expect(new Set(names).size).toBe(names.length);
      // SQS: up to 80 letters, digits, hyphens and underscores, and .fifo.
      for (const name of names) expect(name).toMatch(/^(?=.{1,80}$)[\w-]+(\.fifo)?$/);
    });

    test('is one for all subscriptions of a topic, asked for alike', () => {
      const [one, other] = ['1', '2'].map(id => keepUndelivered(subscription('orders', id), inventoryOf()).calls?.[0]);
      expect(one).toEqual(other);
    });

    test('is of the account that subscribed, in the Region of the topic', () => {
      const topicOfOthers = arnOf('sns', 'orders', REGION, '999999999999');
      const { calls = [] } = keepUndelivered(subscription('orders', '1', { topicArn: topicOfOthers }), inventoryOf());
      const name = String(calls[0]?.input['QueueName']);
      expect(JSON.stringify(calls[0]?.input)).toContain(topicOfOthers);
      expect(calls[1]?.input['AttributeValue']).toBe(JSON.stringify({ deadLetterTargetArn: queueArn(name) }));
    });

    test.each([
      ['another account’s', { owner: '999999999999' }],
      ['nobody known’s', { owner: UNKNOWN }],
    ])('is for a person to make where the subscription is %s', (_, facts) => {
      expect(keepUndelivered(subscription('orders', '1', facts), inventoryOf()).calls).toBeUndefined();
    });

    test('is for a person to make where the topic is not told', () => {
      expect(keepUndelivered(subscription('o', '1', { topicArn: UNKNOWN }), inventoryOf()).calls).toBeUndefined();
    });
  });

  describe('A destination for a function', () => {
    test('is a queue its role may send to', () => {
      const calls = keepFailures(lambda('bill'), undefined, inventoryOf()).calls ?? [];
      expect(calls.map(({ operation }) => operation)).toEqual([
        'CreateQueue',
        'PutRolePolicy',
        'PutFunctionEventInvokeConfig',
      ]);
      expect(calls[1]?.input).toMatchObject({ RoleName: 'bill' });
      expect(calls[2]?.input).toEqual({
        FunctionName: 'bill',
        DestinationConfig: { OnFailure: { Destination: queueArn('bill-function-dead-letters') } },
      });
    });

    test('leaves the retries of a version or alias as they are', () => {
      const live = {
        qualifier: 'live',
        onFailureArn: undefined,
        onSuccessArn: undefined,
        maximumRetryAttempts: 0,
        maximumEventAgeSeconds: 60,
      };
      const { calls = [] } = keepFailures(lambda('bill', { eventInvokes: [live] }), 'live', inventoryOf());
      expect(calls.at(-1)).toMatchObject({
        operation: 'UpdateFunctionEventInvokeConfig',
        input: { Qualifier: 'live' },
      });
    });

    const succeeds = (onSuccessArn: EventInvokeFacts['onSuccessArn']) => ({
      qualifier: '$LATEST',
      onFailureArn: undefined,
      onSuccessArn,
      maximumRetryAttempts: 2,
      maximumEventAgeSeconds: 3600,
    });

    test('leaves the destination of what succeeds where it is', () => {
      const bill = lambda('bill', { eventInvokes: [succeeds(queueArn('billed'))] });
      const { calls = [] } = keepFailures(bill, undefined, inventoryOf());
      expect(calls.at(-1)?.input['DestinationConfig']).toEqual({
        OnFailure: { Destination: queueArn('bill-function-dead-letters') },
        OnSuccess: { Destination: queueArn('billed') },
      });
    });

    test('is for a person to make where what it has of destinations and retries is not told', () => {
      for (const eventInvokes of [UNKNOWN, [succeeds(UNKNOWN)]]) {
        expect(keepFailures(lambda('bill', { eventInvokes }), undefined, inventoryOf()).calls).toBeUndefined();
      }
    });

    test('is for a person to make where its role is not told', () => {
      expect(keepFailures(lambda('bill', { roleArn: UNKNOWN }), undefined, inventoryOf()).calls).toBeUndefined();
      expect(roleArn('bill')).toContain(':role/');
    });
  });

  test('what a topic’s policy says already stays there when a service is let in', () => {
    const { calls = [], statement } = allowPublish(topic('ops'), {
      service: 'cloudwatch.amazonaws.com',
      sourceArn: arnOf('cloudwatch', 'alarm:*'),
    });
    const policy: unknown = JSON.parse(String(calls[0]?.input['AttributeValue']));
    expect(policy).toEqual({ ...topicsOwnPolicy('ops'), Statement: [...topicsOwnPolicy('ops').Statement, statement] });
  });

  test.each([
    [
      0,
      'which stops it (it is 0)',
      [['DeleteFunctionConcurrency', { FunctionName: arnOf('lambda', 'function:bill') }]],
    ],
    [1, '(1 now)', []],
    [5, '(5 now)', []],
  ])(
    'a reserved concurrency of %p is taken away by a call only where it keeps the function from running',
    (reservedConcurrency, says, calls) => {
      const fix = giveConcurrency(lambda('bill', { reservedConcurrency }));
      expect(fix.says).toContain(says);
      expect(inputs(fix)).toEqual(calls);
    },
  );

  test('an alias is called with its function', () => {
    const live = `${functionArn('bill')}:live`;
    expect(resumeMapping('uuid-1', live).says).toContain('of the function bill:live, after');
    expect(allowInvoke(live, { service: 'sns.amazonaws.com', sourceArn: topicArn('orders') }).says).toContain(
      'bill:live',
    );
  });
});

describe('let in', () => {
  const TOPIC = 'arn:aws:sns:eu-central-1:111122223333:orders';
  const RULE = 'arn:aws:events:eu-central-1:111122223333:rule/Shop/OrderPlaced';
  const SNS = { service: 'sns.amazonaws.com', sourceArn: TOPIC };
  const EVENTS = { service: 'events.amazonaws.com', sourceArn: RULE };

  const QUEUE: QueueFacts = {
    arn: 'arn:aws:sqs:eu-central-1:111122223333:bills',
    name: 'bills',
    url: 'https://sqs.eu-central-1.amazonaws.com/111122223333/bills',
    isFifo: false,
    retentionSeconds: 345_600,
    visibilityTimeoutSeconds: 30,
    redrivePolicy: undefined,
    redriveAllowPolicy: undefined,
    keyId: undefined,
    policy: undefined,
  };

  const KEY: KeyFacts = {
    arn: 'arn:aws:kms:eu-central-1:111122223333:key/1234',
    name: 'alias/bills',
    aliases: ['alias/bills'],
    isManagedByAws: false,
    isEnabled: true,
    policy: { Version: '2012-10-17', Statement: { Sid: 'Owner', Effect: 'Allow' } },
  };

  const MAY_SEND = {
    Sid: 'Allowsnsorders',
    Effect: 'Allow',
    Principal: { Service: 'sns.amazonaws.com' },
    Action: 'sqs:SendMessage',
    Resource: QUEUE.arn,
    Condition: { ArnEquals: { 'aws:SourceArn': TOPIC } },
  };

  /** Parses the policy in a call's input. */
  function policyIn(text: unknown): unknown {
    return JSON.parse(String(text));
  }

  test('a queue without a policy gets one of one statement', () => {
    const { says, statement, calls = [] } = allowSend(QUEUE, SNS);
    expect(says).toBe('Let SNS (for the topic orders) send to the queue bills: add this statement to its policy.');
    expect(statement).toEqual(MAY_SEND);
    expect(calls).toEqual([
      {
        service: 'sqs',
        operation: 'SetQueueAttributes',
        input: {
          QueueUrl: QUEUE.url,
          Attributes: { Policy: JSON.stringify({ Version: '2012-10-17', Statement: [MAY_SEND] }) },
        },
      },
    ]);
  });

  test('what a policy says stays, and a name that is taken is not taken again', () => {
    const there = [{ Sid: 'Allowsnsorders', Effect: 'Deny' }, { Effect: 'Allow' }];
    const policy = { Version: '2008-10-17', Id: 'mine', Statement: there };
    const { calls = [] } = allowSend({ ...QUEUE, policy }, SNS);
    expect(policyIn(Object(calls[0]?.input['Attributes']).Policy)).toEqual({
      ...policy,
      Statement: [...there, { ...MAY_SEND, Sid: 'Allowsnsorders2' }],
    });
  });

  test('a queue whose policy or URL is not known gets a statement and no calls', () => {
    const { url: _, ...planned } = QUEUE;
    const ofOthers = { ...QUEUE, policy: { unknownBecause: 'belongs to another account' } };
    for (const queue of [planned, ofOthers]) {
      const { statement, calls } = allowSend(queue, SNS);
      expect([statement, calls]).toEqual([MAY_SEND, undefined]);
    }
  });

  test('a key lets SNS in for one topic, and EventBridge, which does not say for which rule, for all', () => {
    const keyStatements = (who: typeof SNS) => {
      const { calls = [] } = allowKeyUse(KEY, who);
      expect(calls[0]).toMatchObject({
        service: 'kms',
        operation: 'PutKeyPolicy',
        input: { KeyId: KEY.arn, PolicyName: 'default' },
      });
      return Object(policyIn(calls[0]?.input['Policy'])).Statement;
    };
    const statement = { Effect: 'Allow', Action: ['kms:Decrypt', 'kms:GenerateDataKey*'], Resource: '*' };
    expect(keyStatements(SNS)).toEqual([
      { Sid: 'Owner', Effect: 'Allow' },
      {
        Sid: 'Allowsnsorders',
        ...statement,
        Principal: { Service: 'sns.amazonaws.com' },
        Condition: { ArnLike: { 'aws:SourceArn': TOPIC } },
      },
    ]);
    expect(keyStatements(EVENTS)[1]).toEqual({
      Sid: 'AlloweventsruleShopOrderPlaced',
      ...statement,
      Principal: { Service: 'events.amazonaws.com' },
    });
  });

  test('a key whose policy is not known gets a statement and no calls', () => {
    expect(allowKeyUse({ ...KEY, policy: { unknownBecause: 'may not be read' } }, SNS)).not.toHaveProperty('calls');
  });

  test('a function, or an alias of it, lets a service in', () => {
    const arn = 'arn:aws:lambda:eu-central-1:111122223333:function:bill';
    expect(allowInvoke(`${arn}:live`, EVENTS)).toMatchObject({
      says: 'Let EventBridge (for the rule OrderPlaced) invoke the function bill:live.',
      calls: [
        {
          service: 'lambda',
          operation: 'AddPermission',
          input: {
            FunctionName: arn,
            Qualifier: 'live',
            StatementId: 'Allow-events-rule-Shop-OrderPlaced',
            Action: 'lambda:InvokeFunction',
            Principal: 'events.amazonaws.com',
            SourceArn: RULE,
          },
        },
      ],
    });
    expect(allowInvoke(arn, SNS).calls?.[0]?.input).not.toHaveProperty('Qualifier');
  });

  test('a role gets a policy of its own, and keeps those it has', () => {
    const { calls = [] } = allowRole(
      'arn:aws:iam::111122223333:role/shop/Biller',
      ['dynamodb:PutItem'],
      `${QUEUE.arn}`,
    );
    expect(calls).toEqual([
      {
        service: 'iam',
        operation: 'PutRolePolicy',
        input: {
          RoleName: 'Biller',
          PolicyName: expect.stringMatching(/^Allow-dynamodb-PutItem-eu-central-1-bills-[0-9a-f]{8}$/),
          PolicyDocument: JSON.stringify({
            Version: '2012-10-17',
            Statement: [{ Effect: 'Allow', Action: ['dynamodb:PutItem'], Resource: QUEUE.arn }],
          }),
        },
      },
    ]);
  });

  test('a role’s policies for queues of one name, in two Regions or of long names, are by different names', () => {
    const long = (last: string) => `arn:aws:sqs:eu-west-1:111122223333:${'n'.repeat(79)}${last}`;
    const actions = ['kms:Decrypt', 'kms:GenerateDataKey', 'sqs:ReceiveMessage', 'sqs:DeleteMessage'];
    const resources = ['eu-west-1', 'us-east-1'].map(region => `arn:aws:sqs:${region}:111122223333:bills`);
    const names = [...resources, long('a'), long('b')].map(
      it => allowRole('arn:aws:iam::111122223333:role/Biller', actions, it).calls?.[0]?.input['PolicyName'],
    );
    expect(new Set(names).size).toBe(4);
    for (const name of names) expect(name).toMatch(/^[\w+=,.@-]{1,128}$/);
  });
});
