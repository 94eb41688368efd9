import { relayBreaker } from '../../../account/relay/find-relays';

const WRITTEN = { hasBreaker: true, maximumConcurrency: 10, probeIntervalMs: 300_000 };

test('What an operator needs of a breaker is read from settings of any version', () => {
  const logGroupName = 'log of the breaker';
  expect(relayBreaker(JSON.stringify({ ...WRITTEN, later: true }), logGroupName)).toEqual({
    configuredConcurrency: 10,
    probeIntervalMs: 300_000,
    logGroupName,
  });
  const least = JSON.stringify({ hasBreaker: true, maximumConcurrency: 10 });
  expect(relayBreaker(least, undefined)).toEqual({
    configuredConcurrency: 10,
    probeIntervalMs: undefined,
    logGroupName: undefined,
  });
});

test.each([
  undefined,
  '',
  '{',
  'null',
  '7',
  '[]',
  '{"maximumConcurrency":10}',
  '{"hasBreaker":true}',
  '{"hasBreaker":true,"maximumConcurrency":"10"}',
])('Settings such as %p do not say that there is a breaker, or its concurrency while closed', written => {
  expect(relayBreaker(written, 'log of the breaker')).toBeUndefined();
});
