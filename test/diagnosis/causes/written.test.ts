import { explain } from '../../../diagnosis/causes/explain';
import type { Inventory } from '../../../diagnosis/inventory/inventory';
import { DEAD_LETTER_CAUSES } from '../../../policy/relay/relay-step';
import {
  arnOf,
  functionArn,
  inventoryOf,
  key,
  keyArn,
  lambda,
  policyOf,
  queue,
  queueArn,
  roleArn,
  ruleTarget,
  schedule,
  sendStatement,
} from '../inventories';
import { evidenceOf, onlyCause, saying } from './evidence';

const WORK = queueArn('work');
const BILL = functionArn('bill');
const RULE = arnOf('events', 'rule/sold');
const NIGHTLY = arnOf('scheduler', 'schedule/default/nightly');

/** What EventBridge says of an event that reached nobody. */
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
    ['NO_PERMISSIONS', WORK, ruled(WORK), 'Work does not let the rule sold in', 'SetQueueAttributes'],
    ['NO_PERMISSIONS', BILL, ruled(BILL), 'bill does not let', 'AddPermission'],
    [
      'NO_PERMISSIONS',
      WORK,
      ruled(WORK, {
        queues: [
          queue('work', { policy: policyOf(sendStatement('events.amazonaws.com', 'work', RULE)), keyId: keyArn('k') }),
        ],
        keys: [key('k')],
      }),
      'does not let',
      'PutKeyPolicy',
    ],
    [
      'NO_PERMISSIONS',
      WORK,
      ruled(WORK, { targets: [ruleTarget('sold', WORK, { roleArn: roleArn('sold') })] }),
      'does not let',
      'PutRolePolicy',
    ],
    ['NO_PERMISSIONS', WORK, ruled(WORK, { targets: [] }), 'does not let', undefined],
    ['FAILED_TO_ASSUME_ROLE', WORK, ruled(WORK), 'cannot be assumed', undefined],
    ['NO_RESOURCE', WORK, ruled(WORK), 'does not exist', undefined],
    ['THROTTLING', BILL, ruled(BILL), 'throttled the rule sold', undefined],
    ['INVALID_JSON', BILL, ruled(BILL), 'does not take what', undefined],
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

  test('lets nobody in whom only a letter names', () => {
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
  ['AccessDeniedException', 'does not let the schedule nightly in', 'PutRolePolicy'],
  ['AWS.SimpleQueueService.NonExistentQueue', 'does not exist', undefined],
  ['ThrottlingException', 'throttled', undefined],
  ['ValidationException', 'does not take', undefined],
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

  test('a cause of another version is told as it is', () => {
    const messages = [saying({ DeadLetterCause: 'novel', DeadLetterReason: 'never seen', Destination })];
    expect(onlyCause({ messages })).toMatchObject({ key: { code: 'novel' }, says: 'A relay gave it up: never seen.' });
  });
});

test('What a redrive wrote on a letter in quarantine', () => {
  const messages = [
    saying({ QuarantineCause: 'came-back', QuarantineReason: 'it came back 3 times', QuarantinedFrom: WORK }),
  ];
  const cause = onlyCause({ messages });
  expect(cause.key).toEqual({ failed: 'redrive', by: WORK, code: 'came-back', destination: WORK });
  expect(cause.says).toContain('it came back 3 times');
});

test('What nobody wrote anything on is not explained, and letters alike are told once', () => {
  const messages = ['one', 'two'].map(body => saying({}, body));
  const { causes, unexplained, notes } = explain(evidenceOf({ messages }));
  expect(causes).toEqual([]);
  expect(notes).toEqual([{ says: expect.stringContaining('Nothing in this account and Region is configured') }]);
  expect(unexplained).toEqual([
    expect.objectContaining({ messages: 2, says: expect.stringContaining('without a word') }),
  ]);
});
