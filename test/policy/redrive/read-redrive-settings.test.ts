import { formatProblem } from '../../../policy/problem';
import { readRedriveSettings } from '../../../policy/redrive/read-redrive-settings';
import type { RedriveSettings } from '../../../policy/redrive/redrive-settings';
import { QUARANTINE, SETTINGS } from './fixtures';

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

test('Settings come back as they were written, whether what is optional is there or not', () => {
  for (const settings of [
    SETTINGS,
    FEWEST,
    REPLAYING,
    { ...SETTINGS, carrier: 'copy', maxBacklog: 0, healthyForMs: 0 },
  ]) {
    expect(readRedriveSettings(JSON.stringify(settings))).toEqual({ kind: 'settings', settings });
  }
});

test('What copies or replays must be able to', () => {
  expect(problems({ carrier: 'copy', mayCarry: false })).toEqual([
    'mayCarry must be true where the carrier is copy, got false',
  ]);
  expect(problems({ mayCarry: false }, REPLAYING)).toEqual([
    'mayCarry must be true where the carrier is replay, got false',
  ]);
  expect(problems({ mayCarry: false })).toEqual([]);
});

test.each([
  [undefined, 'REDRIVE_SETTINGS must be a JSON object, got nothing'],
  ['', 'REDRIVE_SETTINGS must be a JSON object, got ""'],
  ['{', 'REDRIVE_SETTINGS must be a JSON object, got "{"'],
  ['[]', 'REDRIVE_SETTINGS must be a JSON object, got "[]"'],
  ['null', 'REDRIVE_SETTINGS must be a JSON object, got "null"'],
])('The text %p is none', (text, problem) => {
  const reading = readRedriveSettings(text);
  expect(reading.kind === 'problems' && reading.problems.map(formatProblem)).toEqual([problem]);
});

const queue = { url: 'https://sqs.us-east-1.amazonaws.com/123456789012/orders', arn: 'arn' };

test.each([
  ['enabled', 'yes', 'must be true or false, got "yes"'],
  ['name', '', 'must be a text that is not empty, got ""'],
  ['deadLetters', 'orders-dlq', 'must be an object, got "orders-dlq"'],
  ['deadLetters.arn', { url: 'https://x.example' }, 'must be a text that is not empty, got nothing'],
  ['deadLetters.kind', { ...queue, kind: 'queue' }, 'is not known, got "queue"'],
  ['destination', queue, `must be an object of the kind queue or function, got ${JSON.stringify(queue)}`],
  ['destination', null, 'must be an object of the kind queue or function, got null'],
  ['destination.url', { kind: 'queue', arn: 'arn' }, 'must be a text that is not empty, got nothing'],
  ['destination.bodyIs', { ...queue, kind: 'queue', bodyIs: 'event' }, 'is not known, got "event"'],
  ['destination.bodyIs', { kind: 'function', arn: 'arn', bodyIs: 'text' }, 'must be event or envelope, got "text"'],
  ['destination.arn', { kind: 'function', arn: '', bodyIs: 'event' }, 'must be a text that is not empty, got ""'],
  ['carrier', 'post', 'must be task, copy or replay, got "post"'],
  ['failures.url', { arn: 'arn' }, 'must be a text that is not empty, got nothing'],
  ['quarantine', 7, 'must be an object, got 7'],
  ['mappingIds', 'mapping-1', 'must be a list, got "mapping-1"'],
  ['mappingIds[1]', ['mapping-1', ''], 'must be a text that is not empty, got ""'],
  ['recoveryAlarms[0]', [7], 'must be a text that is not empty, got 7'],
  ['healthAlarms', undefined, 'must be a list, got nothing'],
  ['healthyForMs', -1, 'must be a number of at least 0, got -1'],
  ['maxBacklog', -1, 'must be a number of at least 0, got -1'],
  ['maxAgeSeconds', '600', 'must be a number of at least 0, got "600"'],
  ['proofOfHealth', 1, 'must be true or false, got 1'],
  ['steps', {}, 'must be a list, got {}'],
  ['steps[0]', [5], 'must be an object, got 5'],
  ['steps[0].messagesPerSecond', [{}], 'must be a number of more than 0, got nothing'],
  ['steps[0].messages', [{ messagesPerSecond: 1, messages: 0 }], 'must be a number of more than 0, got 0'],
  ['steps[0].rate', [{ messagesPerSecond: 1, rate: 1 }], 'is not known, got 1'],
  ['settleMs', null, 'must be a number of at least 0, got null'],
  ['maxReturnedPercent', -1, 'must be a number of at least 0, got -1'],
  ['maxReturnedPercent', 101, 'must be a number from 0 to 100, got 101'],
  ['restMs', undefined, 'must be a number of at least 0, got nothing'],
  ['runsPerDay', 0, 'must be a number of at least 1, got 0'],
  ['messagesPerDay', 0, 'must be a number of at least 1, got 0'],
  ['messagesPerDay', 500.5, 'must be a whole number of at least 1, got 500.5'],
  ['switchParameter', '', 'must be a text that is not empty, got ""'],
  ['tickMs', 0, 'must be a number of more than 0, got 0'],
  ['functionTimeoutMs', 0, 'must be a number of more than 0, got 0'],
  ['resultsTopicArn', '', 'must be a text that is not empty, got ""'],
  ['carrier', 'replay', 'must not be replay where the destination is a queue, got "replay"'],
  ['rate', 5, 'is not known, got 5'],
])('%s of %j %s', (property, value, rule) => {
  const [member = ''] = property.split(/[.[]/);
  expect(problems({ [member]: value })).toEqual([`${property} ${rule}`]);
});

test('A function is replayed to, and deletes nothing', () => {
  expect(problems({ carrier: 'copy', proofOfHealth: true }, REPLAYING)).toEqual([
    'carrier must be replay where the destination is a function, got "copy"',
    'proofOfHealth must be false where a function is invoked, got true',
  ]);
});

test('All problems come at once: those of each property, and then those of all together', () => {
  expect(problems({ name: '', tickMs: 0 })).toEqual([
    'name must be a text that is not empty, got ""',
    'tickMs must be a number of more than 0, got 0',
  ]);
  expect(problems({ runsPerDay: 11, carrier: 'replay' })).toHaveLength(2);
});
