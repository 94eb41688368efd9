import { FAILURE_PHRASES, failureKinds } from '../../../diagnosis/causes/consumer';
import type { FunctionEvidence } from '../../../diagnosis/causes/evidence';
import { explain } from '../../../diagnosis/causes/explain';
import type { FunctionFacts, Inventory } from '../../../diagnosis/inventory/inventory';
import { FLEET_DEAD_LETTER_CAUSES } from '../../../policy/fleet/dead-letter-cause';
import { DEAD_LETTER_CAUSES } from '../../../policy/relay/attempt-verdict';
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
  roleArn,
  ruleTarget,
  schedule,
  sendStatement,
  subscription,
} from '../inventories';
import { DEAD, evidenceOf, onlyCause, saying, seen, T0 } from './evidence';

const BILL = functionArn('bill');
const WORK = queueArn('work');
const ID = '72b87a8a-d7f4-47f4-8953-995e7d51172d';
const GROUP = '/aws/lambda/bill';

function fed(facts: Partial<FunctionFacts> = {}, parts: Partial<Inventory> = {}): Inventory {
  return inventoryOf({ functions: [lambda('bill', { deadLetterTargetArn: DEAD, ...facts })], ...parts });
}

function logged(message: string, more: Partial<FunctionEvidence> = {}): FunctionEvidence {
  return { functionArn: BILL, logGroupName: GROUP, lines: [{ atMs: T0, message }], ...more };
}

describe('What Lambda wrote on an event a function failed on (aws-semantics.md, section 8)', () => {
  const DENIED_PUT =
    'User: arn:aws:sts::111122223333:assumed-role/bill/bill is not authorized to perform: dynamodb:PutItem on resource: arn:aws:dynamodb:eu-west-1:111122223333:table/bills because no identity-based policy allows the dynamodb:PutItem action';

  test.each([
    ['200', 'no such order 17', 'no such order #', 'bill failed: no such order #', undefined],
    [
      '200',
      `2026-01-05T02:00:00.000Z ${ID} Task timed out after 3.00 seconds`,
      'Task timed out after 3.00 seconds',
      'timed out after 3 seconds',
      ['UpdateFunctionConfiguration'],
    ],
    [
      '200',
      `RequestId: ${ID} Error: Runtime exited with error: signal: killed`,
      'Runtime exited with error: signal: killed',
      'ran out of memory',
      undefined,
    ],
    ['200', "Cannot find module 'pg'", "Cannot find module 'pg'", 'its code cannot be loaded', undefined],
    [
      '200',
      DENIED_PUT,
      'User: arn:aws:sts::#:assumed-role/bill/bill',
      'has no permission for dynamodb:PutItem',
      ['PutRolePolicy'],
    ],
    ['429', 'Rate Exceeded.', '429 Rate Exceeded.', 'was throttled', ['DeleteFunctionConcurrency']],
    ['404', 'Function not found', '404 Function not found', 'no longer exists', undefined],
    ['403', 'KMS says no', '403 KMS says no', 'was denied', undefined],
    ['400', 'Recursive invocation', '400 Recursive invocation', 'refused the invocation', undefined],
    ['500', 'Service exception', '500 Service exception', 'could not run the function bill (500)', undefined],
  ])('%s %s', (ErrorCode, ErrorMessage, code, says, operations) => {
    const messages = [saying({ RequestID: ID, ErrorCode, ErrorMessage })];
    const cause = onlyCause({ messages, inventory: fed({ reservedConcurrency: 0 }) });
    expect(cause.key).toMatchObject({ failed: 'function', by: BILL, destination: BILL });
    expect(cause.key.code).toContain(code);
    expect(cause.says).toContain(says);
    expect(cause.fix?.calls?.map(({ operation }) => operation)).toEqual(operations);
    expect(cause.example).toEqual({ messageId: ID, answer: ErrorMessage });
  });

  test('its role is let do just what the error names, by a policy of its own', () => {
    const { fix } = onlyCause({
      messages: [saying({ RequestID: ID, ErrorCode: '200', ErrorMessage: DENIED_PUT })],
      inventory: fed(),
    });
    expect(fix?.statement).toEqual({
      Effect: 'Allow',
      Action: ['dynamodb:PutItem'],
      Resource: 'arn:aws:dynamodb:eu-west-1:111122223333:table/bills',
    });
    expect(fix?.calls?.[0]?.input).toMatchObject({ RoleName: 'bill' });
    const limited = DENIED_PUT.replace('identity-based policy', 'permissions boundary');
    const bounded = [saying({ RequestID: ID, ErrorCode: '200', ErrorMessage: limited })];
    expect(onlyCause({ messages: bounded, inventory: fed() }).fix).toEqual({
      says: expect.stringMatching(/^The permissions boundary does not allow it, and no other policy makes up for that/),
    });
    const explicit = DENIED_PUT.replace('no identity-based policy allows', 'with an explicit deny in');
    const messages = [saying({ RequestID: ID, ErrorCode: '200', ErrorMessage: explicit })];
    expect(onlyCause({ messages, inventory: fed() }).fix?.calls).toBeUndefined();
  });

  test('what differs from time to time makes no other cause', () => {
    const messages = [
      'order 1 of 7f3e0000-0000-4000-8000-000000000001',
      'order 22 of 7f3e0000-0000-4000-8000-000000000002',
    ].map((ErrorMessage, at) =>
      saying({ RequestID: `${ID}${at}`, ErrorCode: '200', ErrorMessage }, '{}', { sentAtMs: T0 + at }),
    );
    expect(onlyCause({ messages, inventory: fed() })).toMatchObject({
      key: { code: 'order # of #' },
      messages: 2,
      firstAtMs: T0,
      lastAtMs: T0 + 1,
      example: { answer: expect.stringContaining('order 22') },
    });
  });

  test('whose it was is known by the log that has the request, and the log is shown', () => {
    const functions = [lambda('bill', { deadLetterTargetArn: DEAD }), lambda('ship', { deadLetterTargetArn: DEAD })];
    const messages = [saying({ RequestID: ID, ErrorCode: '200', ErrorMessage: 'indigestible' })];
    const inventory = inventoryOf({ functions });
    const line = `2026-01-05T02:00:00.000Z ${ID} ERROR Invoke Error {"errorMessage":"indigestible"}`;
    const cause = onlyCause({ messages, inventory, functions: [logged('START'), logged(`${line}\n`)] });
    expect(cause).toMatchObject({ key: { by: BILL }, example: { log: { group: GROUP, lines: [line] } } });
    expect(onlyCause({ messages, inventory })).toMatchObject({
      key: { by: 'a function' },
      says: 'An unknown function failed: indigestible',
      fix: { says: expect.stringMatching(/^Fix the code of the function, /) },
      details: ['The messages do not name the function; these functions send dead letters to this queue: bill, ship.'],
    });
  });

  test.each([
    [
      '200',
      '2026-01-05T02:00:00.000Z Task timed out after 3.00 seconds',
      'An unknown function timed out after 3 seconds.',
    ],
    ['200', DENIED_PUT, 'The role of an unknown function has no permission for dynamodb:PutItem.'],
    ['404', 'Function not found', 'An unknown function, or the version or alias that was invoked, no longer exists.'],
    ['403', 'KMS says no', 'Lambda could not run an unknown function: access to its key or its code was denied.'],
  ])('of an unknown function, %s %s makes a sentence', (ErrorCode, ErrorMessage, says) => {
    const messages = [saying({ RequestID: ID, ErrorCode, ErrorMessage })];
    const cause = onlyCause({ messages, inventory: inventoryOf() });
    expect([cause.says, cause.details]).toEqual([
      says,
      ['The messages do not name the function; no function that could be read sends dead letters to this queue.'],
    ]);
  });
});

describe('The record of a failed invocation', () => {
  const record = (condition: string, response: object) =>
    seen(
      JSON.stringify({
        version: '1.0',
        timestamp: '2026-01-05T02:00:00.000Z',
        requestContext: { requestId: ID, functionArn: `${BILL}:$LATEST`, condition, approximateInvokeCount: 3 },
        requestPayload: {},
        ...response,
      }),
    );
  const threw = {
    responseContext: { statusCode: 200, executedVersion: '$LATEST', functionError: 'Unhandled' },
    responsePayload: { errorType: 'RangeError', errorMessage: 'order 7' },
  };

  test('tells what the function threw, and how often', () => {
    expect(onlyCause({ messages: [record('RetriesExhausted', threw)], inventory: fed() })).toMatchObject({
      key: { failed: 'function', by: BILL, code: 'RangeError: order #' },
      example: { messageId: ID, answer: 'RangeError: order 7', attempts: 3 },
      details: [],
    });
  });

  test('tells that the event was too old', () => {
    const { key, details } = onlyCause({ messages: [record('EventAgeExceeded', threw)], inventory: fed() });
    expect([key.code, details]).toEqual([
      'EventAgeExceeded: RangeError: order #',
      [expect.stringContaining('MaximumEventAge')],
    ]);
  });

  test('tells that it never ran', () => {
    const messages = [record('EventAgeExceeded', { responsePayload: null })];
    expect(onlyCause({ messages, inventory: fed() }).says).toContain('was throttled');
  });
});

describe('What a log says of failed invocations', () => {
  const at = (messages: readonly string[]) =>
    failureKinds(messages.map((message, index) => ({ atMs: index, message })));

  const FAILED: readonly (readonly [line: string, common: string])[] = [
    [
      `2026-01-05T02:00:00.000Z ${ID} ERROR Invoke Error {"errorType":"Error","errorMessage":"no order 7"}`,
      'Error: no order #',
    ],
    [`2026-01-05T02:00:00.000Z ${ID} Task timed out after 3.00 seconds\n`, 'Task timed out after 3.00 seconds'],
    [
      `2026-01-05T02:00:00.000Z ${ID} ERROR Uncaught Exception {"errorType":"TypeError","errorMessage":"x"}`,
      'TypeError: x',
    ],
    [
      `2026-01-05T02:00:00.000Z ${ID} ERROR Unhandled Promise Rejection {"errorType":"Runtime.UnhandledPromiseRejection","errorMessage":"late"}`,
      'Runtime.UnhandledPromiseRejection: late',
    ],
    [`RequestId: ${ID} Error Type: Runtime.ExitError`, 'Runtime.ExitError'],
    [`[ERROR] ValueError: bad order 9\nTraceback (most recent call last):`, 'ValueError: bad order #'],
    [`[ERROR] 2026-01-05T02:00:00.000Z ${ID} KeyError: 'id'`, "KeyError: 'id'"],
    [
      `RequestId: ${ID} Error: Runtime exited with error: exit status 1`,
      'Error: Runtime exited with error: exit status #',
    ],
    [
      `{"timestamp":"2026-01-05T02:00:00.000Z","level":"ERROR","requestId":"${ID}","message":{"errorType":"Error","errorMessage":"json 5"}}`,
      'Error: json #',
    ],
    [
      `{"time":"2026-01-05T02:00:00.000Z","type":"platform.report","record":{"requestId":"${ID}","status":"timeout","metrics":{"durationMs":3000}}}`,
      'Task timed out after 3.00 seconds',
    ],
  ];

  test.each(FAILED)('%s', (message, common) => {
    expect(at([message])).toEqual([expect.objectContaining({ common, count: 1 })]);
  });

  test.each(FAILURE_PHRASES)('a log is searched for %p, which one of these lines holds', phrase => {
    expect(FAILED.map(([line]) => line)).toContainEqual(expect.stringContaining(phrase));
  });

  test.each([
    'START RequestId: 1 Version: $LATEST',
    '{"level":"INFO","message":{"errorMessage":"told of, not failed"}}',
    '{"type":"platform.report","record":{"status":"success"}}',
    'it went well',
    '{"level":"ERROR","message":"a word of its own"}',
  ])('nothing: %s', message => {
    expect(at([message])).toEqual([]);
  });

  test('once a run, and the most frequent first', () => {
    const run = (id: string, text: string) => `2026-01-05T02:00:00.000Z ${ID.slice(0, -1)}${id} ${text}`;
    const messages = [
      run('1', 'Task timed out after 3.00 seconds'),
      run('2', 'ERROR Invoke Error {"errorType":"Error","errorMessage":"a"}'),
      run('2', 'ERROR Uncaught Exception {"errorType":"Error","errorMessage":"a"}'),
      run('3', 'ERROR Invoke Error {"errorType":"Error","errorMessage":"a"}'),
    ];
    expect(at(messages).map(({ common, count, firstAtMs, last }) => [common, count, firstAtMs, last.atMs])).toEqual([
      ['Error: a', 2, 1, 3],
      ['Task timed out after 3.00 seconds', 1, 0, 0],
    ]);
  });
});

describe('A message SQS moved', () => {
  const messages = [seen('work', { movedFromArn: WORK, receiveCount: 4 })];
  const redrivePolicy = { deadLetterTargetArn: DEAD, maxReceiveCount: 3 };
  const TIMED_OUT = `2026-01-05T02:00:00.000Z ${ID} Task timed out after 10.00 seconds`;

  function consumed(facts: Partial<FunctionFacts> = {}, parts: Partial<Inventory> = {}): Inventory {
    return inventoryOf({
      queues: [queue('dead'), queue('work', { redrivePolicy, visibilityTimeoutSeconds: 60 })],
      functions: [lambda('bill', { timeoutSeconds: 10, roleArn: roleArn('bill'), ...facts })],
      mappings: [mapping('bill', 'work', { batchingWindowSeconds: 5 })],
      ...parts,
    });
  }

  const state = (it: string, lastProcessingResult?: string) => ({
    mappings: [
      {
        uuid: 'uuid-1',
        sourceArn: WORK,
        functionArn: BILL,
        state: it,
        ...(lastProcessingResult !== undefined && { lastProcessingResult }),
      },
    ],
  });

  test.each([
    ['its function failed', consumed(), { functions: [logged(TIMED_OUT)] }, 'timed out after 10 seconds', false],
    ['its queue is gone', consumed({}, { queues: [] }), {}, 'which no longer exists', false],
    ['nobody reads it', consumed({}, { mappings: [] }), {}, 'No function reads work', false],
    ['its function is gone', consumed({}, { functions: [] }), {}, 'The function bill, which should read work', true],
    ['it was throttled', consumed(), { functions: [logged('', { throttles: 7 })] }, 'was throttled', true],
    ['it is switched off', consumed({ reservedConcurrency: 0 }), {}, 'was throttled', true],
    ['it came back too soon', consumed({ timeoutSeconds: 90 }), {}, 'become visible again after 60 s', true],
    ['its mapping is disabled', consumed(), state('Disabled'), 'its event source mapping is Disabled', true],
    ['nobody knows', consumed(), state('Enabled'), 'No log in this period says why', false],
  ])('because %s', (_, inventory, more, says, isInferred) => {
    const cause = onlyCause({ messages, inventory, ...more });
    expect(cause.says).toContain(says);
    expect(cause).toMatchObject({
      key: { failed: 'consumer', by: WORK },
      isInferred,
      oneOf: [],
      messages: 1,
      lastAtMs: T0 + 1_000,
      example: { messageId: 'letter-1' },
    });
  });

  test('is explained by the most frequent failure, and all else that bears on it is told', () => {
    const lines = [TIMED_OUT, TIMED_OUT.replace('2d', '2e'), '[ERROR] ValueError: bad'].map((message, at) => ({
      atMs: T0 + at,
      message,
    }));
    const cause = onlyCause({
      messages,
      inventory: consumed({ timeoutSeconds: 90 }),
      functions: [logged('', { lines, throttles: 2 })],
      ...state('Enabled', 'PROBLEM: Function call failed'),
    });
    expect(cause).toMatchObject({
      messages: 1,
      deliveries: 2,
      isInferred: true,
      oneOf: [
        { code: 'Task timed out after 10.00 seconds', times: 2, lastAtMs: T0 + 1 },
        { code: 'ValueError: bad', times: 1, lastAtMs: T0 + 2 },
      ],
      example: { attempts: 3, log: { group: GROUP, lines: [TIMED_OUT.replace('2d', '2e')] } },
    });
    expect(cause.details).toEqual([
      'Its log does not say which of them caused a dead letter: fix all of them first.',
      'Lambda throttled it 2 times. Each time, a message used one of its maxReceiveCount receives.',
      'Lambda reports for its mapping: PROBLEM: Function call failed',
      'The visibility timeout of the queue is 60 s, but the function may take 90 s.',
    ]);
  });

  test('is not explained by a log of later', () => {
    const cause = onlyCause({ messages, inventory: consumed(), functions: [logged(TIMED_OUT)], fromMs: T0 + 2_000 });
    expect(cause).toMatchObject({ says: expect.stringContaining('No log in this period says why'), deliveries: 0 });
  });

  test('is explained with a doubt where others invoke the function, and without its log where that cannot be read', () => {
    const subscriptions = [subscription('orders', 'to-bill', { protocol: 'lambda', endpoint: BILL })];
    const shared = consumed({}, { subscriptions });
    expect(onlyCause({ messages, inventory: shared, functions: [logged(TIMED_OUT)] }).details).toEqual([
      expect.stringContaining('Other sources invoke it as well'),
    ]);
    const unread = { lines: [], unread: 'may not be read' };
    expect(onlyCause({ messages, inventory: shared, functions: [logged('', unread)] }).details).toEqual([
      'Its log /aws/lambda/bill may not be read.',
    ]);
  });

  test('gets time: first the queue, whose timeout Lambda holds the function to, then the function', () => {
    const { fix } = onlyCause({ messages, inventory: consumed(), functions: [logged(TIMED_OUT)] });
    expect(fix?.calls).toEqual([
      {
        service: 'sqs',
        operation: 'SetQueueAttributes',
        input: { QueueUrl: expect.stringContaining('/work'), Attributes: { VisibilityTimeout: '125' } },
      },
      { service: 'lambda', operation: 'UpdateFunctionConfiguration', input: { FunctionName: BILL, Timeout: 20 } },
    ]);
    const most = onlyCause({
      messages,
      inventory: consumed({ timeoutSeconds: 900 }),
      functions: [logged(TIMED_OUT)],
    });
    expect(most.fix?.calls).toBeUndefined();
  });

  test('is explained by who wrote it where it came from a queue of the dead', () => {
    const dead = queue('dead', { redrivePolicy: { deadLetterTargetArn: queueArn('deader'), maxReceiveCount: 3 } });
    const said = { RequestID: ID, ErrorCode: '200', ErrorMessage: 'indigestible' };
    const inventory = fed({}, { queues: [dead] });
    const evidence = evidenceOf({
      queueArn: queueArn('deader'),
      messages: [saying(said, '{}', { movedFromArn: DEAD })],
      inventory,
    });
    expect(explain(evidence).causes.map(({ key }) => key.failed)).toEqual(['function']);
  });
});

describe('written', () => {
  const WORK = queueArn('work');
  const BILL = functionArn('bill');
  const RULE = arnOf('events', 'rule/sold');
  const NIGHTLY = arnOf('scheduler', 'schedule/default/nightly');

  /** Returns the dead-letter message of an event that EventBridge could not deliver. */
  function undelivered(ERROR_CODE: string, TARGET_ARN: string, ERROR_MESSAGE = 'so it is') {
    return saying({ RULE_ARN: RULE, TARGET_ARN, ERROR_CODE, ERROR_MESSAGE, RETRY_ATTEMPTS: '0' });
  }

  function ruled(targetArn: string, parts: Partial<Inventory> = {}): Inventory {
    return inventoryOf({
      queues: [queue('work')],
      functions: [lambda('bill')],
      targets: [ruleTarget('sold', targetArn)],
      ...parts,
    });
  }

  describe('What EventBridge wrote on an event', () => {
    test.each([
      ['NO_PERMISSIONS', WORK, ruled(WORK), 'Work does not allow the rule sold', 'SetQueueAttributes'],
      ['NO_PERMISSIONS', BILL, ruled(BILL), 'bill does not allow', 'AddPermission'],
      [
        'NO_PERMISSIONS',
        WORK,
        ruled(WORK, {
          queues: [
            queue('work', {
              policy: policyOf(sendStatement('events.amazonaws.com', 'work', RULE)),
              keyId: keyArn('k'),
            }),
          ],
          keys: [key('k')],
        }),
        'does not allow',
        'PutKeyPolicy',
      ],
      [
        'NO_PERMISSIONS',
        WORK,
        ruled(WORK, { targets: [ruleTarget('sold', WORK, { roleArn: roleArn('sold') })] }),
        'does not allow',
        'PutRolePolicy',
      ],
      ['NO_PERMISSIONS', WORK, ruled(WORK, { targets: [] }), 'does not allow', undefined],
      ['FAILED_TO_ASSUME_ROLE', WORK, ruled(WORK), 'cannot be assumed', undefined],
      ['NO_RESOURCE', WORK, ruled(WORK), 'does not exist', undefined],
      ['THROTTLING', BILL, ruled(BILL), 'throttled the rule sold', undefined],
      ['INVALID_JSON', BILL, ruled(BILL), 'does not accept the input', undefined],
      ['CONNECTION_FAILURE', BILL, ruled(BILL), 'failed, or did not answer', undefined],
      ['THIRD_ACCOUNT_HOP_DETECTED', BILL, ruled(BILL), 'could not reach', undefined],
    ])('%s of %s', (code, target, inventory, says, operation) => {
      const cause = onlyCause({ messages: [undelivered(code, target)], inventory });
      expect(cause.key).toEqual({ failed: 'rule', by: RULE, code: `${code} so it is`, destination: target });
      expect(cause.says.toLowerCase()).toContain(says.toLowerCase());
      expect(cause.says).toMatch(/^[A-Z]/);
      expect(cause.fix?.calls?.[0]?.operation).toBe(operation);
      expect(cause.example).toMatchObject({ answer: 'so it is', attempts: 1 });
    });

    test('makes sentences of a message without the names of rule and target', () => {
      const nameless = saying({ RULE_ARN: 'a rule', ERROR_CODE: 'NO_RESOURCE', ERROR_MESSAGE: 'x' });
      expect(onlyCause({ messages: [nameless], inventory: inventoryOf() })).toMatchObject({
        key: { by: 'a rule', destination: 'the target' },
        says: 'The target of a rule does not exist.',
      });
    });

    test('allows no sender that only a message names', () => {
      const forged = saying({
        RULE_ARN: arnOf('events', 'rule/forged'),
        TARGET_ARN: WORK,
        ERROR_CODE: 'NO_PERMISSIONS',
        ERROR_MESSAGE: 'x',
      });
      expect(onlyCause({ messages: [forged], inventory: ruled(WORK) }).fix?.calls).toBeUndefined();
    });
  });

  test.each([
    ['AccessDeniedException', 'does not allow the schedule nightly', 'PutRolePolicy'],
    ['AWS.SimpleQueueService.NonExistentQueue', 'does not exist', undefined],
    ['ThrottlingException', 'throttled', undefined],
    ['ValidationException', 'does not accept', undefined],
  ])('What Scheduler wrote: %s', (ERROR_CODE, says, operation) => {
    const messages = [saying({ SCHEDULE_ARN: NIGHTLY, TARGET_ARN: WORK, ERROR_CODE, ERROR_MESSAGE: 'no' })];
    const cause = onlyCause({ messages, inventory: inventoryOf({ targets: [schedule('nightly', WORK)] }) });
    expect([cause.key.failed, cause.says]).toEqual(['schedule', expect.stringContaining(says)]);
    expect(cause.fix?.calls?.[0]?.operation).toBe(operation);
  });

  describe('What a relay wrote', () => {
    const Destination = 'https://partner.example.com/orders';

    test.each(DEAD_LETTER_CAUSES)('%s', DeadLetterCause => {
      const said = {
        DeadLetterCause,
        DeadLetterReason: 'so it is',
        Destination,
        LastStatusCode: '403',
        AttemptsSpent: '5',
      };
      const cause = onlyCause({ messages: [saying(said, '{}')] });
      expect(cause).toMatchObject({
        key: { failed: 'relay', by: Destination, code: `${DeadLetterCause} 403` },
        example: { answer: 'so it is', attempts: 5 },
      });
      expect(cause.says.length).toBeGreaterThan(20);
      expect(cause.fix?.says).toContain('dlo relay show');
    });

    const ofFleet = DEAD_LETTER_CAUSES.filter(cause => cause !== 'not-an-envelope');

    test.each([...FLEET_DEAD_LETTER_CAUSES, ...ofFleet])('%s, by a fleet', DeadLetterCause => {
      const said = { DeadLetterCause, DeadLetterReason: 'so it is', Destination: 'acme/orders' };
      const cause = onlyCause({ messages: [saying(said, '{}')] });
      expect(cause).toMatchObject({ key: { failed: 'fleet', by: 'acme/orders', code: DeadLetterCause } });
      expect(cause.says).toContain('acme/orders');
      expect(cause.fix?.says).toContain('dlo fleet show acme/orders');
    });

    const delivery = { id: 'msg_1', tenant: 'acme', endpoint: 'orders', eventId: 'e', type: 't', data: '{}' };
    const Body = JSON.stringify({ ...delivery, sentAtMs: T0, attempts: 0 });
    const gone = { DeadLetterCause: 'gone', DeadLetterReason: 'so it is', Destination: 'acme/orders' };
    const fleet = { name: 'hooks', eventsQueueArn: WORK, deliveriesQueueArn: WORK, deadLetterQueueArn: DEAD };
    const other = { ...fleet, name: 'other', deadLetterQueueArn: WORK };

    test.each([
      ['a fleet gave up', saying(gone, Body), [], [['fleet', 'replay', 'acme/orders']]],
      [
        'one of two fleets gave up',
        saying(gone, Body),
        [fleet, other],
        [['fleet', 'replay', 'acme/orders', '--fleet', 'hooks']],
      ],
      ['is no event', saying({ ...gone, DeadLetterCause: 'not-an-event' }, '{}'), [fleet], []],
      ['SQS moved in a fleet', seen(Body, { movedFromArn: WORK }), [fleet], [['fleet', 'replay', 'acme/orders']]],
      ['SQS moved elsewhere', seen(Body, { movedFromArn: WORK }), [other], []],
    ])('the replay of a message that %s', (_, message, fleets, replays) => {
      const functions = fleets.map((it, at) => lambda(`f${at}`, { fleet: it }));
      expect(onlyCause({ messages: [message], inventory: inventoryOf({ functions }) }).replays).toEqual(replays);
    });

    test.each(['partner.example.com', 'https://partner.example.com/x', 'arn:aws:sm:us-east-1:1:secret:a/b'])(
      '%s, as a relay names it, is no endpoint of a fleet',
      Destination => {
        const messages = [saying({ DeadLetterCause: 'gone', DeadLetterReason: 'so it is', Destination })];
        expect(onlyCause({ messages }).key.failed).toBe('relay');
      },
    );

    test('a cause of another version is told as it is', () => {
      const messages = [saying({ DeadLetterCause: 'novel', DeadLetterReason: 'never seen', Destination })];
      expect(onlyCause({ messages })).toMatchObject({
        key: { code: 'novel' },
        says: 'A relay gave it up: never seen.',
      });
    });
  });

  test('The reason that a redrive wrote on a message in quarantine', () => {
    const messages = [
      saying({ QuarantineCause: 'came-back', QuarantineReason: 'it came back 3 times', QuarantinedFrom: WORK }),
    ];
    const cause = onlyCause({ messages });
    expect(cause.key).toEqual({ failed: 'redrive', by: WORK, code: 'came-back', destination: WORK });
    expect(cause.says).toContain('it came back 3 times');
  });

  test('A message without any reason is not explained, and similar messages are reported once', () => {
    const messages = ['one', 'two'].map(body => saying({}, body));
    const { causes, unexplained, notes } = explain(evidenceOf({ messages }));
    expect(causes).toEqual([]);
    expect(notes).toEqual([{ says: expect.stringContaining('Nothing in this account and Region is configured') }]);
    expect(unexplained).toEqual([
      expect.objectContaining({ messages: 2, says: expect.stringContaining('do not show where they came from') }),
    ]);
  });
});
