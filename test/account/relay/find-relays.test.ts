import { relayBreaker } from '../../../account/relay/find-relays';

const WRITTEN = { functionName: 'Partner', configuredConcurrency: 10, alarmName: 'Breaker', probeIntervalMs: 300_000 };

test('What an operator needs of a breaker is read from settings of any version', () => {
  expect(relayBreaker(JSON.stringify({ ...WRITTEN, mappingId: '1', later: true }))).toEqual(WRITTEN);
  const { functionName, configuredConcurrency } = WRITTEN;
  const least = { functionName, configuredConcurrency };
  expect(relayBreaker(JSON.stringify(least))).toEqual({ ...least, alarmName: '', probeIntervalMs: undefined });
});

test.each(['', '{', 'null', '7', '[]', '{"functionName":"Partner"}', '{"functionName":7,"configuredConcurrency":10}'])(
  'Settings such as %p do not say whose breaker it is',
  written => {
    expect(relayBreaker(written)).toBeUndefined();
  },
);
