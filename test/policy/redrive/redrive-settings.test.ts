import { MOVE_TASK_LIMITS } from '../../../policy/aws-limits';
import { formatProblem } from '../../../policy/problem';
import {
  type RedriveSettings,
  type RunTerms,
  readRedriveSettings,
  runProblems,
} from '../../../policy/redrive/redrive-settings';
import { QUARANTINE, SETTINGS } from './fixtures';

describe('read redrive settings', () => {
  const FUNCTION = {
    kind: 'function',
    arn: 'arn:aws:lambda:us-east-1:123456789012:function:billing',
    bodyIs: 'envelope',
    subscriptionArn: 'arn:aws:sns:us-east-1:123456789012:events:5a7a0a5f-0000-4000-8000-000000000000',
  } as const;

  const { failures: _, maxBacklog: __, maxAgeSeconds: ___, ...FEWEST } = SETTINGS;

  const REPLAYING: RedriveSettings = {
    ...FEWEST,
    destination: FUNCTION,
    carrier: 'replay',
    quarantine: QUARANTINE,
    proofOfHealth: false,
    resultsTopicArn: 'arn:aws:sns:us-east-1:123456789012:ops',
  };

  function problems(changes: Readonly<Record<string, unknown>>, of: RedriveSettings = SETTINGS): string[] {
    const reading = readRedriveSettings(JSON.stringify({ ...of, ...changes }));
    return reading.kind === 'problems' ? reading.problems.map(formatProblem) : [];
  }

  test('Settings are read as they were written, with and without the optional ones', () => {
    for (const settings of [
      SETTINGS,
      FEWEST,
      REPLAYING,
      { ...SETTINGS, carrier: 'copy', maxBacklog: 0, healthyForMs: 0 },
    ]) {
      expect(readRedriveSettings(JSON.stringify(settings))).toEqual({ kind: 'settings', settings });
    }
  });

  test('A redrive that copies or replays must be able to do so', () => {
    expect(problems({ carrier: 'copy', mayMoveMessages: false })).toEqual([
      'mayMoveMessages must be true when the carrier is copy, got false',
    ]);
    expect(problems({ mayMoveMessages: false }, REPLAYING)).toEqual([
      'mayMoveMessages must be true when the carrier is replay, got false',
    ]);
    expect(problems({ mayMoveMessages: false })).toEqual([]);
  });

  test.each([
    [undefined, 'REDRIVE_SETTINGS must be a JSON object, got nothing'],
    ['', 'REDRIVE_SETTINGS must be a JSON object, got ""'],
    ['{', 'REDRIVE_SETTINGS must be a JSON object, got "{"'],
    ['[]', 'REDRIVE_SETTINGS must be a JSON object, got "[]"'],
    ['null', 'REDRIVE_SETTINGS must be a JSON object, got "null"'],
  ])('The text %p is no settings', (text, problem) => {
    const reading = readRedriveSettings(text);
    expect(reading.kind === 'problems' && reading.problems.map(formatProblem)).toEqual([problem]);
  });

  const queue = { url: 'https://sqs.us-east-1.amazonaws.com/123456789012/orders', arn: 'arn' };

  test.each([
    ['enabled', 'yes', 'must be true or false, got "yes"'],
    ['name', '', 'must be a string that is not empty, got ""'],
    ['deadLetters', 'orders-dlq', 'must be an object, got "orders-dlq"'],
    ['deadLetters.arn', { url: 'https://x.example' }, 'must be a string that is not empty, got nothing'],
    ['deadLetters.kind', { ...queue, kind: 'queue' }, 'is not known, got "queue"'],
    ['destination', queue, `must be an object whose kind is queue or function, got ${JSON.stringify(queue)}`],
    ['destination', null, 'must be an object whose kind is queue or function, got null'],
    ['destination.url', { kind: 'queue', arn: 'arn' }, 'must be a string that is not empty, got nothing'],
    ['destination.bodyIs', { ...queue, kind: 'queue', bodyIs: 'event' }, 'is not known, got "event"'],
    ['destination.bodyIs', { kind: 'function', arn: 'arn', bodyIs: 'text' }, 'must be event or envelope, got "text"'],
    ['destination.arn', { kind: 'function', arn: '', bodyIs: 'event' }, 'must be a string that is not empty, got ""'],
    ['carrier', 'post', 'must be task, copy or replay, got "post"'],
    ['failures.url', { arn: 'arn' }, 'must be a string that is not empty, got nothing'],
    ['quarantine', 7, 'must be an object, got 7'],
    ['mappingIds', 'mapping-1', 'must be a list, got "mapping-1"'],
    ['mappingIds[1]', ['mapping-1', ''], 'must be a string that is not empty, got ""'],
    ['recoveryAlarms[0]', [7], 'must be a string that is not empty, got 7'],
    ['healthAlarms', undefined, 'must be a list, got nothing'],
    ['healthyForMs', -1, 'must be a number of at least 0, got -1'],
    ['maxBacklog', -1, 'must be a number of at least 0, got -1'],
    ['maxAgeSeconds', '600', 'must be a number of at least 0, got "600"'],
    ['proofOfHealth', 1, 'must be true or false, got 1'],
    ['steps', {}, 'must be a list, got {}'],
    ['steps[0]', [5], 'must be an object, got 5'],
    ['steps[0].messagesPerSecond', [{}], 'must be a number greater than 0, got nothing'],
    ['steps[0].messages', [{ messagesPerSecond: 1, messages: 0 }], 'must be a number greater than 0, got 0'],
    ['steps[0].rate', [{ messagesPerSecond: 1, rate: 1 }], 'is not known, got 1'],
    ['settleMs', null, 'must be a number of at least 0, got null'],
    ['maxReturnedPercent', -1, 'must be a number of at least 0, got -1'],
    ['maxReturnedPercent', 101, 'must be a number from 0 to 100, got 101'],
    ['restMs', undefined, 'must be a number of at least 0, got nothing'],
    ['runsPerDay', 0, 'must be a number of at least 1, got 0'],
    ['messagesPerDay', 0, 'must be a number of at least 1, got 0'],
    ['messagesPerDay', 500.5, 'must be a whole number of at least 1, got 500.5'],
    ['switchParameter', '', 'must be a string that is not empty, got ""'],
    ['tickMs', 0, 'must be a number greater than 0, got 0'],
    ['functionTimeoutMs', 0, 'must be a number greater than 0, got 0'],
    ['resultsTopicArn', '', 'must be a string that is not empty, got ""'],
    ['carrier', 'replay', 'must not be replay when the destination is a queue, got "replay"'],
    ['rate', 5, 'is not known, got 5'],
  ])('%s of %j %s', (property, value, rule) => {
    const [member = ''] = property.split(/[.[]/);
    expect(problems({ [member]: value })).toEqual([`${property} ${rule}`]);
  });

  test('A redrive that replays has a function as its destination, and cannot delete', () => {
    expect(problems({ carrier: 'copy', proofOfHealth: true }, REPLAYING)).toEqual([
      'carrier must be replay when the destination is a function, got "copy"',
      'proofOfHealth must be false when the destination is a function, got true',
    ]);
  });

  test('All problems are reported at once: those of each property, and then those of all together', () => {
    expect(problems({ name: '', tickMs: 0 })).toEqual([
      'name must be a string that is not empty, got ""',
      'tickMs must be a number greater than 0, got 0',
    ]);
    expect(problems({ runsPerDay: 11, carrier: 'replay' })).toHaveLength(2);
  });
});

describe('redrive limits', () => {
  function problems(changes: Partial<RunTerms>): string[] {
    return runProblems({ ...SETTINGS, ...changes }).map(formatProblem);
  }

  /** Steps with these rates, each of 10 messages except the last. */
  function rates(...all: readonly number[]): RunTerms['steps'] {
    return all.map((messagesPerSecond, i) =>
      i === all.length - 1 ? { messagesPerSecond } : { messagesPerSecond, messages: 10 },
    );
  }

  test('SQS moves 1 to 500 messages a second, and lists ten tasks', () => {
    expect(MOVE_TASK_LIMITS).toEqual({
      messagesPerSecond: { min: 1, max: 500 },
      durationSeconds: 36 * 3_600,
      listedTasks: 10,
    });
  });

  test('Three steps three times a day need ten tasks at most, and so does one step ten times, or ten once', () => {
    expect(problems({})).toEqual([]);
    expect(problems({ steps: rates(500), runsPerDay: 10, messagesPerDay: 65_001 })).toEqual([]);
    expect(problems({ steps: rates(1, 2, 3, 4, 5, 6, 7, 8, 9, 500), runsPerDay: 1 })).toEqual([]);
  });

  test.each<[string, Partial<RunTerms>]>([
    ['steps must be from 1 to 10 steps: SQS lists only the last 10 tasks of a queue, got 0', { steps: [] }],
    ['steps[1].messagesPerSecond must be more than the rate of the step before it, 5, got 5', { steps: rates(5, 5) }],
    [
      'steps[2].messagesPerSecond must be more than the rate of the step before it, 5, got 4',
      { steps: rates(1, 5, 4) },
    ],
    ['steps[0].messagesPerSecond must be a whole number from 1 to 500, got 0', { steps: rates(0) }],
    ['steps[1].messagesPerSecond must be a whole number from 1 to 500, got 501', { steps: rates(1, 501) }],
    ['steps[0].messagesPerSecond must be a whole number from 1 to 500, got 1.5', { steps: rates(1.5) }],
    [
      'steps[0].messages must be a whole number of at least 1, got nothing',
      { steps: [{ messagesPerSecond: 1 }, { messagesPerSecond: 2 }] },
    ],
    [
      'steps[0].messages must be a whole number of at least 1, got 0',
      { steps: [{ messagesPerSecond: 1, messages: 0 }, { messagesPerSecond: 2 }] },
    ],
    [
      'steps[0].messages must be absent in the last step, which moves all that is left, got 10',
      { steps: [{ messagesPerSecond: 1, messages: 10 }] },
    ],
    ['runsPerDay must be a whole number from 1 to 10, got 0', { runsPerDay: 0 }],
    ['runsPerDay must be a whole number from 1 to 10, got 11', { runsPerDay: 11, steps: rates(1) }],
    ['runsPerDay must be a whole number from 1 to 10, got 1.5', { runsPerDay: 1.5 }],
    [
      'steps must be from 1 to 10 steps: SQS lists only the last 10 tasks of a queue, got 11',
      { steps: rates(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11) },
    ],
    ['messagesPerDay must be a whole number of at least 1, got 0', { messagesPerDay: 0 }],
    ['messagesPerDay must be a whole number of at least 1, got 1000.5', { messagesPerDay: 1_000.5 }],
    // One message a second for two ticks and ten seconds, and the first at once: 131.
    [
      'messagesPerDay must be at least 131: the canary can move that many before a check stops it, and with a smaller budget no run could begin, got 130',
      { messagesPerDay: 130 },
    ],
    ['maxReturnedPercent must be a number from 0 to 100, got -1', { maxReturnedPercent: -1 }],
    ['maxReturnedPercent must be a number from 0 to 100, got 100.5', { maxReturnedPercent: 100.5 }],
    ['maxReturnedPercent must be a number from 0 to 100, got NaN', { maxReturnedPercent: Number.NaN }],
  ])('%s', (problem, changes) => {
    expect(problems(changes)).toEqual([problem]);
  });

  test('The limits themselves are allowed', () => {
    expect(problems({ messagesPerDay: 131, maxReturnedPercent: 0 })).toEqual([]);
    expect(problems({ maxReturnedPercent: 100 })).toEqual([]);
  });

  test('A redrive that moves messages one by one can keep any budget', () => {
    expect(problems({ carrier: 'copy', messagesPerDay: 1 })).toEqual([]);
    expect(problems({ carrier: 'replay', messagesPerDay: 1 })).toEqual([]);
  });

  test('All problems are reported at once', () => {
    expect(problems({ steps: rates(2, 1), runsPerDay: 0, messagesPerDay: 0, maxReturnedPercent: 101 })).toHaveLength(4);
  });
});
