import { explain } from '../../../diagnosis/causes/explain';
import { feedingTopics, mayLog, sourceQueues, suspectsOf } from '../../../diagnosis/causes/suspects';
import type { Inventory, QueueFacts } from '../../../diagnosis/inventory/inventory';
import { mayDo } from '../../../template/access/may-do';
import {
  arnOf,
  functionArn,
  inventoryOf,
  key,
  keyArn,
  lambda,
  mapping,
  policyOf,
  queue,
  queueArn,
  role,
  roleArn,
  sendStatement,
  stream,
  subscription,
  topic,
  topicArn,
  UNKNOWN,
} from '../inventories';
import { DEAD, evidenceOf, failed, logOf, notified, ORDERS, onlyCause, seen, T0 } from './evidence';

describe('deliveries', () => {
  const BILLS = queueArn('bills');
  const BILL = functionArn('bill');
  const PARTNER = 'https://partner.example.com/orders?token=s3cret';
  const SNS = 'sns.amazonaws.com';

  const LETS_IN = policyOf(sendStatement(SNS, 'bills', ORDERS));
  const DENIES = { Effect: 'Deny', Principal: '*', Action: 'sqs:*', Resource: BILLS };

  /** Returns an account with a topic that delivers to one endpoint, with a dead-letter queue. */
  function account(endpoint: string, protocol: string, parts: Partial<Inventory> = {}): Inventory {
    return inventoryOf({
      topics: [topic('orders', { logging: [{ protocol: 'SQS', failureRoleArn: 'role' }] })],
      subscriptions: [subscription('orders', 'to-bills', { protocol, endpoint, deadLetterTargetArn: DEAD })],
      queues: [queue('dead'), queue('bills')],
      functions: [lambda('bill', { reservedConcurrency: 2 })],
      ...parts,
    });
  }

  function withBills(facts: Partial<QueueFacts>, parts: Partial<Inventory> = {}): Inventory {
    return account(BILLS, 'sqs', { queues: [queue('dead'), queue('bills', facts)], ...parts });
  }

  /** SQS's answer to SNS, as recorded (aws-semantics.md, section 3). */
  const NO_QUEUE = {
    ErrorCode: 'AWS.SimpleQueueService.NonExistentQueue',
    ErrorMessage: 'The specified queue does not exist or you do not have access to it.',
    sqsRequestId: 'Unrecoverable',
  };
  const DENIED = {
    ErrorCode: 'AccessDenied',
    ErrorMessage: 'Access to the resource https://sqs.eu-west-1.amazonaws.com/111122223333/bills is denied.',
    sqsRequestId: 'Unrecoverable',
  };
  const KMS_DENIED = {
    ErrorCode: 'KMS.AccessDeniedException',
    ErrorMessage: 'null (Service: AWSKMS; Status Code: 400; Error Code: AccessDeniedException)',
    sqsRequestId: 'Unrecoverable',
  };
  const TOO_MANY = {
    ErrorCode: 'InvalidParameterValue',
    ErrorMessage: 'Number of message attributes [11] exceeds the maximum allowed [10].',
    sqsRequestId: 'Unrecoverable',
  };

  const error = (ErrorCode: string, ErrorMessage = 'so it is') => ({ ErrorCode, ErrorMessage });

  describe('What SQS answered SNS', () => {
    test.each([
      [
        'the policy does not let it in',
        403,
        DENIED,
        withBills({}),
        'does not allow SNS to send',
        ['SetQueueAttributes'],
      ],
      ['the policy lets it in by now', 403, DENIED, withBills({ policy: LETS_IN }), 'does not allow SNS', undefined],
      [
        'a statement denies it',
        403,
        DENIED,
        withBills({ policy: policyOf(DENIES) }),
        'does not allow SNS',
        ['SetQueueAttributes'],
      ],
      [
        'another account has the queue',
        403,
        DENIED,
        account(BILLS, 'sqs', { queues: [] }),
        'does not allow',
        undefined,
      ],
      [
        'its key does not let it in',
        400,
        KMS_DENIED,
        withBills({ keyId: keyArn('k') }, { keys: [key('k')] }),
        'has no permission to use the key',
        ['PutKeyPolicy'],
      ],
      [
        'its key is one of AWS',
        400,
        KMS_DENIED,
        withBills({ keyId: 'alias/aws/sqs' }),
        'has no permission to use the key',
        ['SetQueueAttributes'],
      ],
      [
        'its key is disabled',
        400,
        error('KMS.DisabledException'),
        withBills({ keyId: keyArn('k') }, { keys: [key('k')] }),
        'is disabled',
        ['EnableKey'],
      ],
      ['its key is gone', 400, error('KMS.NotFoundException'), withBills({}), 'does not exist', undefined],
      [
        'its key is to be deleted',
        400,
        error('KMS.InvalidStateException'),
        withBills({}),
        'is scheduled for deletion',
        undefined,
      ],
      [
        'its key is to be deleted, as is seen',
        400,
        error('KMS.InvalidStateException'),
        withBills({ keyId: keyArn('k') }, { keys: [key('k', [], { isEnabled: false, state: 'PendingDeletion' })] }),
        'is scheduled for deletion',
        ['CancelKeyDeletion', 'EnableKey'],
      ],
      [
        'it was deleted',
        400,
        NO_QUEUE,
        account(BILLS, 'sqs', { queues: [queue('dead')] }),
        'bills does not exist',
        ['CreateQueue', 'Unsubscribe', 'Subscribe'],
      ],
      [
        'it was made anew',
        400,
        NO_QUEUE,
        withBills({ policy: LETS_IN }),
        'deleted and created again',
        ['Unsubscribe', 'Subscribe'],
      ],
      [
        'it was made anew, and lets nothing in',
        400,
        NO_QUEUE,
        withBills({}),
        'deleted and created again',
        ['SetQueueAttributes', 'Unsubscribe', 'Subscribe'],
      ],
      [
        'both were deleted',
        400,
        NO_QUEUE,
        account(BILLS, 'sqs', { subscriptions: [], queues: [] }),
        'does not exist',
        undefined,
      ],
      [
        'a bare message has too many attributes',
        400,
        TOO_MANY,
        withBills({}),
        'more message attributes than SQS accepts',
        undefined,
      ],
      ['it was throttled', 400, error('RequestThrottled'), withBills({}), 'was throttled', undefined],
      ['SQS failed', 503, error('ServiceUnavailable'), withBills({}), 'SQS failed', undefined],
      ['nobody has heard of it', 418, error('Teapot'), withBills({}), 'the service refuses it (418 Teapot)', undefined],
    ])('%s', (_, statusCode, answer, inventory, says, operations) => {
      const topicLogs = [logOf([failed(BILLS, answer, { statusCode })])];
      const cause = onlyCause({ messages: [notified('message-1')], topicLogs, inventory });
      expect(cause.says).toContain(says);
      expect(cause.fix?.calls?.map(({ operation }) => operation)).toEqual(operations);
      expect(cause).toMatchObject({
        key: { failed: 'subscription', by: ORDERS, code: `${statusCode} ${answer.ErrorCode}`, destination: BILLS },
        messages: 1,
        deliveries: 1,
        isInferred: false,
        example: { messageId: 'message-1', attempts: 1, dwellTimeMs: 53 },
      });
      expect(cause.example.answer).toBe(`${answer.ErrorCode}: ${answer.ErrorMessage}`);
    });

    test('a subscription that is created again keeps its settings, and is not replaced if they are unknown', () => {
      const facts = {
        endpoint: BILLS,
        deadLetterTargetArn: DEAD,
        isRaw: true,
        filterPolicy: { size: ['xl'] },
      };
      const callsOf = (more: object) => {
        const subscriptions = [subscription('orders', 'to-bills', { ...facts, ...more })];
        const topicLogs = [logOf([failed(BILLS, NO_QUEUE, { statusCode: 400 })])];
        return onlyCause({ inventory: account(BILLS, 'sqs', { subscriptions, queues: [] }), topicLogs }).fix?.calls;
      };
      expect(callsOf({})?.at(-1)?.input).toEqual({
        TopicArn: ORDERS,
        Protocol: 'sqs',
        Endpoint: BILLS,
        Attributes: {
          RawMessageDelivery: 'true',
          RedrivePolicy: JSON.stringify({ deadLetterTargetArn: DEAD }),
          FilterPolicy: '{"size":["xl"]}',
        },
      });
      // A body filter that is applied to the attributes matches no message.
      expect(callsOf({ filterPolicyScope: 'MessageBody' })?.at(-1)?.input['Attributes']).toMatchObject({
        FilterPolicy: '{"size":["xl"]}',
        FilterPolicyScope: 'MessageBody',
      });
      expect(
        callsOf({ filterPolicyScope: 'MessageBody', filterPolicy: undefined })?.at(-1)?.input['Attributes'],
      ).toEqual({
        RawMessageDelivery: 'true',
        RedrivePolicy: JSON.stringify({ deadLetterTargetArn: DEAD }),
      });
      expect(callsOf({ filterPolicy: { unknownBecause: 'may not be read' } })).toBeUndefined();
      expect(callsOf({ filterPolicyScope: { unknownBecause: 'may not be read' } })).toBeUndefined();
      expect(callsOf({ otherSettings: ['ReplayPolicy'] })).toBeUndefined();
    });
  });

  test('each of two topics a queue lets in neither of is let in by what mends the other, so that both may be made', () => {
    const both = ['orders', 'returns'];
    const inventory = withBills(
      {},
      {
        topics: both.map(name => topic(name)),
        subscriptions: both.map(name => subscription(name, '1', { endpoint: BILLS, deadLetterTargetArn: DEAD })),
      },
    );
    const topicLogs = both
      .map(topicArn)
      .map(arn =>
        logOf([failed(BILLS, DENIED, { statusCode: 403 }, { topicArn: arn, messageId: arn })], { topicArn: arn }),
      );
    const { causes, notes } = explain(evidenceOf({ inventory, topicLogs }));
    expect(causes.map(({ key: { by } }) => by).sort()).toEqual(both.map(topicArn));
    for (const { fix } of causes) {
      const { Policy } = Object(fix?.calls?.[0]?.input['Attributes']);
      const asks = both.map(name => ({
        service: SNS,
        action: 'sqs:SendMessage',
        resource: BILLS,
        sourceArn: topicArn(name),
      }));
      expect(asks.map(ask => mayDo(ask, JSON.parse(Policy)))).toEqual(['yes', 'yes']);
    }
    const made = notes.flatMap(({ fix }) => fix?.calls ?? []).map(({ operation }) => operation);
    expect(made.filter(it => it === 'CreateRole')).toHaveLength(1);
  });

  test.each([
    ['403 AccessDeniedException', 403, 'does not allow SNS to invoke it', ['AddPermission']],
    ['404 ResourceNotFoundException', 404, 'does not exist', undefined],
    ['429 TooManyRequestsException', 429, 'was throttled', undefined],
    ['500 ServiceException', 500, 'Lambda failed', undefined],
  ])('What Lambda answered SNS %s', (code, statusCode, says, operations) => {
    const answer = error(code.split(' ')[1] ?? '');
    const topicLogs = [logOf([failed(BILL, answer, { statusCode })])];
    const cause = onlyCause({ topicLogs, inventory: account(BILL, 'lambda') });
    expect([cause.key.code, cause.says]).toEqual([code, expect.stringContaining(says)]);
    expect(cause.fix?.calls?.map(({ operation }) => operation)).toEqual(operations);
  });

  describe('What Firehose answered SNS', () => {
    const STREAM = arnOf('firehose', 'deliverystream/records');
    const put = { Effect: 'Allow', Action: 'firehose:PutRecord', Resource: STREAM };
    const withRole = (...statements: readonly object[]) =>
      account(STREAM, 'firehose', {
        subscriptions: [
          subscription('orders', 'to-bills', {
            protocol: 'firehose',
            endpoint: STREAM,
            deadLetterTargetArn: DEAD,
            roleArn: roleArn('writer'),
          }),
        ],
        roles: [role('writer', ...statements)],
      });

    test.each([
      [
        'AccessDeniedException',
        withRole(),
        'may not write to the stream records',
        /^Allow the role writer/,
        ['PutRolePolicy'],
      ],
      ['AccessDeniedException', withRole(put), 'may not write', /trust policy needs this statement/, undefined],
      [
        'AccessDeniedException',
        account(STREAM, 'firehose'),
        'may not write',
        /^Give the subscription a role/,
        undefined,
      ],
      [
        'ResourceNotFoundException',
        withRole(put),
        'does not exist, or was not active',
        /describe-delivery-stream/,
        undefined,
      ],
      ['InvalidArgumentException', withRole(put), 'refuses the record', /Direct PUT/, undefined],
      ['InvalidKMSResourceException', withRole(put), 'cannot use its key', /^Enable the key/, undefined],
      [
        'InvalidArgumentException',
        { ...withRole(put), streams: [stream('records', { type: 'KinesisStreamAsSource' })] },
        'has a source of its own (KinesisStreamAsSource)',
        /publish to its source/,
        undefined,
      ],
      [
        'ResourceNotFoundException',
        { ...withRole(put), streams: [stream('records', { status: 'CREATING_FAILED' })] },
        'its status is CREATING_FAILED',
        /FailureDescription/,
        undefined,
      ],
      [
        'ResourceNotFoundException',
        { ...withRole(put), streams: [stream('records')] },
        'It is active now',
        /^Redrive/,
        undefined,
      ],
      ['ServiceUnavailableException', withRole(put), 'throttled the stream', /higher quota/, undefined],
    ])('%s', (code, inventory, says, fix, operations) => {
      const topicLogs = [logOf([failed(STREAM, error(code), { statusCode: 400 })])];
      const cause = onlyCause({ topicLogs, inventory });
      expect([cause.says, cause.fix?.says]).toEqual([expect.stringContaining(says), expect.stringMatching(fix)]);
      expect(cause.fix?.calls?.map(({ operation }) => operation)).toEqual(operations);
    });

    test.each([
      ['does not exist', [], 'ResourceNotFoundException'],
      ['is being deleted', [stream('records', { status: 'DELETING' })], 'ResourceNotFoundException'],
    ])('is foreseen where the stream %s', (_, streams, code) => {
      const quiet = { ...withRole(put), streams, topics: [topic('orders', { logging: [] })] };
      const cause = onlyCause({ messages: [notified('message-1')], inventory: quiet });
      expect([cause.key.code, cause.isInferred]).toEqual([`400 ${code}`, true]);
    });

    test('is foreseen where the topic logs nothing and the role may not write', () => {
      const quiet = { ...withRole(), streams: [stream('records')], topics: [topic('orders', { logging: [] })] };
      expect(onlyCause({ messages: [notified('message-1')], inventory: quiet })).toMatchObject({
        rule: 'stream-denies-sns',
        isInferred: true,
      });
    });
  });

  test.each([
    [401, 'requires credentials'],
    [403, 'it refuses SNS'],
    [404, 'nothing exists at this path'],
    [410, 'gone for good'],
    [413, 'larger than it accepts'],
    [415, 'content type'],
    [418, 'refuses the request'],
    [429, '4 attempts in all: it asks for fewer requests'],
    [302, 'does not follow redirects'],
    [503, '4 attempts in all: it was down for longer than SNS retries'],
    [undefined, 'No answer came from partner.example.com, 4 attempts in all'],
  ])('What endpoints answered SNS %s', (statusCode, says) => {
    const delivery = { attempts: 4, ...(statusCode !== undefined && { statusCode }) };
    const topicLogs = [logOf([failed(PARTNER, 'what it said', delivery)])];
    const cause = onlyCause({ topicLogs, inventory: account(PARTNER, 'https') });
    expect(cause.key.code).toBe(statusCode === undefined ? 'no answer' : `${statusCode}`);
    expect(cause.says).toContain(says);
    expect(cause.example).toMatchObject({ answer: 'what it said', attempts: 4 });
    expect(cause.fix?.calls).toBeUndefined();
    expect(`${cause.says}${cause.fix?.says}`).not.toContain('s3cret');
  });

  describe('A message and its record', () => {
    const other = queueArn('parcels');

    test('are joined by the message and the subscription, each once', () => {
      const subscriptions = [
        subscription('orders', 'to-bills', { endpoint: BILLS, deadLetterTargetArn: DEAD }),
        subscription('orders', 'to-parcels', { endpoint: other, deadLetterTargetArn: DEAD }),
      ];
      const topicLogs = [
        logOf([failed(other, DENIED, { statusCode: 403 }), failed(BILLS, KMS_DENIED, { statusCode: 400 })]),
      ];
      const { causes, unexplained } = explain(
        evidenceOf({
          messages: [notified('message-1', 'to-bills'), notified('message-2', 'to-bills')],
          inventory: account(BILLS, 'sqs', { subscriptions }),
          topicLogs,
        }),
      );
      const counts = causes.map(({ key: { destination }, messages, deliveries }) => [
        destination,
        messages,
        deliveries,
      ]);
      expect(counts).toEqual([
        [BILLS, 1, 1],
        // The second message has no record. Its cause is inferred from how its queue would answer now.
        [BILLS, 1, 0],
        [other, 0, 1],
      ]);
      expect(unexplained).toEqual([]);
    });

    test('are joined if the message names a deleted subscription, after those that name an existing one', () => {
      const subscriptions = [
        subscription('orders', 'to-bills', { endpoint: BILLS, deadLetterTargetArn: DEAD }),
        subscription('orders', 'to-parcels-anew', { endpoint: other, deadLetterTargetArn: DEAD }),
      ];
      const inventory = account(BILLS, 'sqs', { subscriptions, queues: [queue('bills'), queue('parcels')] });
      const topicLogs = [
        logOf([failed(BILLS, DENIED, { statusCode: 403 }), failed(other, NO_QUEUE, { statusCode: 400 })]),
      ];
      const messages = [notified('message-1', 'to-parcels'), notified('message-1', 'to-bills')];
      const { causes } = explain(evidenceOf({ messages, inventory, topicLogs }));
      const reported = causes.map(({ key: { destination }, messages: count, deliveries, fix }) => [
        destination,
        count,
        deliveries,
        fix?.says.split(':')[0],
      ]);
      expect(reported.toSorted()).toEqual([
        [BILLS, 1, 1, 'Let SNS (for the topic orders) send to the queue bills'],
        [other, 1, 1, 'No fix is needed'],
      ]);
    });

    test('are not joined if the message is for another subscriber, whose failures are not logged', () => {
      const subscriptions = [
        subscription('orders', 'to-bills', { endpoint: BILLS, deadLetterTargetArn: DEAD }),
        subscription('orders', 'to-mail', {
          protocol: 'email',
          endpoint: 'ops@example.com',
          deadLetterTargetArn: DEAD,
        }),
      ];
      const { causes, unexplained } = explain(
        evidenceOf({
          messages: [notified('message-1', 'to-mail')],
          inventory: account(BILLS, 'sqs', { subscriptions }),
          topicLogs: [logOf([failed(BILLS, DENIED, { statusCode: 403 })])],
        }),
      );
      expect(causes.map(({ key, messages }) => [key.destination, messages])).toEqual([[BILLS, 0]]);
      expect(unexplained).toMatchObject([{ messages: 1, says: expect.stringContaining('deliveries by email') }]);
    });

    test('are joined by what is said where the message is bare', () => {
      const message = seen('a bare order');
      const topicLogs = [
        logOf([
          failed(BILLS, DENIED, { statusCode: 403 }, { messageMD5Sum: message.bodyMd5 }),
          failed(BILLS, TOO_MANY),
        ]),
      ];
      const { causes } = explain(evidenceOf({ messages: [message], topicLogs, inventory: withBills({}) }));
      expect(causes.map(({ messages, deliveries }) => [messages, deliveries])).toEqual([
        [1, 1],
        [0, 1],
      ]);
    });

    test('and what ended in another queue, or was delivered, is no cause here', () => {
      const elsewhere = failed(BILLS, DENIED, { redrivePolicy: '{"deadLetterTargetArn": "arn:aws:sqs:x:y:z"}' });
      const { record } = failed(BILLS, DENIED);
      const delivered = { atMs: 0, record: { ...record, status: 'SUCCESS' as const } };
      expect(explain(evidenceOf({ topicLogs: [logOf([elsewhere, delivered])] })).causes).toEqual([]);
    });

    test('and what SNS could not even bury is lost, and told so with what mends the queue of the dead', () => {
      const { redrivePolicy: _, ...delivery } = failed(DEAD, DENIED, { statusCode: 403 }).record.delivery;
      const record = { ...failed(DEAD, DENIED).record, delivery };
      const cause = onlyCause({ topicLogs: [logOf([{ atMs: 0, record }])], inventory: withBills({}) });
      expect(cause.key.failed).toBe('dead-letter-queue');
      expect(cause.says).toMatch(/^LOST: SNS could not send these to dead itself\. The policy of the queue dead/);
      expect(cause.fix?.calls?.[0]?.operation).toBe('SetQueueAttributes');
    });
  });

  describe('A message without a record', () => {
    const messages = [notified('message-1'), notified('message-2')];
    const explained = (inventory: Inventory, more = {}) =>
      explain(evidenceOf({ messages, inventory, topicLogs: [logOf([])], ...more }));

    test.each([
      ['a queue that lets nobody in', withBills({}), '403 AccessDenied'],
      [
        'a queue that does not exist',
        account(BILLS, 'sqs', { queues: [] }),
        '400 AWS.SimpleQueueService.NonExistentQueue',
      ],
      [
        'a key that lets nobody in',
        withBills({ policy: LETS_IN, keyId: keyArn('k') }, { keys: [key('k')] }),
        '400 KMS.AccessDeniedException',
      ],
      [
        'a key that is disabled',
        withBills({ policy: LETS_IN, keyId: keyArn('k') }, { keys: [key('k', [], { isEnabled: false })] }),
        '400 KMS.DisabledException',
      ],
      ['a function that lets nobody in', account(BILL, 'lambda'), '403 AccessDeniedException'],
      ['a function that does not exist', account(BILL, 'lambda', { functions: [] }), '404 ResourceNotFoundException'],
    ])('is explained by %s', (_, inventory, code) => {
      const { causes, unexplained } = explained(inventory);
      expect(
        causes.map(({ key: { code: reported }, messages: count, isInferred }) => [reported, count, isInferred]),
      ).toEqual([[code, 2, true]]);
      expect(unexplained).toEqual([]);
    });

    test.each([
      ['that is told of nobody', withBills({ policy: LETS_IN }), {}, 'without a record in its log'],
      [
        'whose topic logs nothing',
        withBills({ policy: LETS_IN }, { topics: [topic('orders')] }),
        {},
        'does not log failed SQS',
      ],
      [
        'whose log may not be read',
        withBills({ policy: LETS_IN }),
        { topicLogs: [logOf([], { unread: 'may not be read' })] },
        'whose log sns/eu-west-1/111122223333/orders/Failure may not be read',
      ],
      ['of an e-mail', account('a@example.com', 'email'), {}, 'SNS does not log deliveries by email'],
      [
        'whose policy is not known',
        withBills({ policy: { unknownBecause: 'may not be read' } }),
        {},
        'without a record',
      ],
      ['of a queue elsewhere', account('arn:aws:sqs:eu-west-1:999999999999:bills', 'sqs'), {}, 'without a record'],
    ])('is not explained %s', (_, inventory, more, says) => {
      const { causes, unexplained } = explained(inventory, more);
      expect(causes).toEqual([]);
      expect(unexplained).toEqual([expect.objectContaining({ messages: 2, says: expect.stringContaining(says) })]);
    });

    test('that is older than what was read is said to be', () => {
      const { unexplained } = explained(withBills({ policy: LETS_IN }), { fromMs: T0 + 1 });
      expect(unexplained).toEqual([
        expect.objectContaining({ says: expect.stringContaining('look further back with --since') }),
      ]);
    });

    test('dies of what others of it are told to have died of, where that is how things still are', () => {
      const topicLogs = [logOf([failed(BILLS, DENIED, { statusCode: 403 })])];
      const cause = onlyCause({ messages, topicLogs, inventory: withBills({}) });
      expect(cause).toMatchObject({
        messages: 2,
        deliveries: 1,
        isInferred: false,
        example: { messageId: 'message-1' },
      });
    });

    test('has a note say how its topic logs from now on: with a role that is there, or with a new one', () => {
      const inventory = withBills({}, { topics: [topic('orders'), topic('others')] });
      const operations = (it: Inventory) =>
        explained(it).notes.map(({ fix }) => fix?.calls?.map(({ operation }) => operation));
      expect(operations(inventory)).toEqual([['CreateRole', 'PutRolePolicy', 'SetTopicAttributes']]);
      const others = topic('others', { logging: [{ protocol: 'HTTP', failureRoleArn: 'arn:aws:iam::1:role/logs' }] });
      const [note] = explained({ ...inventory, topics: [topic('orders'), others] }).notes;
      expect(note?.fix?.calls).toEqual([
        {
          service: 'sns',
          operation: 'SetTopicAttributes',
          input: {
            TopicArn: ORDERS,
            AttributeName: 'SQSFailureFeedbackRoleArn',
            AttributeValue: 'arn:aws:iam::1:role/logs',
          },
        },
      ]);
      expect(
        operations(withBills({}, { topics: [topic('orders', { logging: { unknownBecause: 'may not be read' } })] })),
      ).toEqual([]);
    });
  });
});

describe('suspects', () => {
  const DEAD = queueArn('dead');
  const inventory = inventoryOf({
    queues: [
      queue('dead'),
      queue('work', { redrivePolicy: { deadLetterTargetArn: DEAD, maxReceiveCount: 3 } }),
      queue('other'),
    ],
    functions: [lambda('print', { deadLetterTargetArn: DEAD }), lambda('bill')],
    mappings: [mapping('read', 'stream', { onFailureArn: DEAD }), mapping('bill', 'other')],
    topics: [
      topic('silent', { logging: [] }),
      topic('logging', { logging: [{ protocol: 'SQS', failureRoleArn: 'role' }] }),
      topic('untold', { logging: UNKNOWN }),
    ],
    subscriptions: [
      subscription('silent', 'one', { deadLetterTargetArn: DEAD }),
      subscription('silent', 'two', { deadLetterTargetArn: DEAD }),
      subscription('logging', 'three'),
    ],
  });

  test('messages come from the queues that use it as their dead-letter queue, and from those that the messages name', () => {
    const found = sourceQueues(DEAD, inventory, new Set([queueArn('gone')]));
    expect([...found].sort()).toEqual([queueArn('gone'), queueArn('work')]);
  });

  test('functions may have failed that send their own failures, or read a source, by whichever alias', () => {
    const mappings = [
      { uuid: '1', sourceArn: queueArn('work'), functionArn: `${functionArn('bill')}:live`, state: 'Enabled' },
    ];
    expect([...suspectsOf(DEAD, inventory, mappings)].sort()).toEqual(
      ['bill', 'print', 'read'].map(name => functionArn(name)),
    );
  });

  test('a topic feeds a queue however many of its subscriptions do', () => {
    expect(feedingTopics(DEAD, inventory)).toEqual([topicArn('silent')]);
  });

  test.each([
    ['silent', false],
    ['logging', true],
    ['untold', true],
    ['gone', true],
  ])('whether the topic %s may log is %p', (name, may) => {
    expect(mayLog(topicArn(name), inventory)).toBe(may);
  });
});
