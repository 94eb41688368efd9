import { readBreakerSettings } from '../../../policy/relay/breaker-settings';

const SETTINGS = {
  mappingId: '5a7a0a5f-0000-4000-8000-000000000000',
  configuredConcurrency: 5,
  alarmName: 'Breaker',
  queueUrl: 'https://sqs.us-east-1.amazonaws.com/123456789012/Relay',
  queueArn: 'arn:aws:sqs:us-east-1:123456789012:Relay',
  functionName: 'Relay',
  settleMs: 300_000,
  probeIntervalMs: 300_000,
  tickMs: 300_000,
  functionTimeoutMs: 45_000,
  retentionMs: 864_000_000,
};

test('The settings of a breaker come back as they were written', () => {
  expect(readBreakerSettings(JSON.stringify(SETTINGS))).toEqual(SETTINGS);
});

test.each([undefined, '', '{', 'null', '7'])('The text %p is none', text => {
  expect(() => readBreakerSettings(text)).toThrow('RELAY_BREAKER_SETTINGS must be a JSON object');
});

test('All that is wrong with them is said at once', () => {
  const changes = {
    mappingId: '',
    alarmName: undefined,
    functionName: 7,
    settleMs: 0,
    tickMs: '5',
    probeIntervalMs: null,
  };
  expect(() => readBreakerSettings(JSON.stringify({ ...SETTINGS, ...changes }))).toThrow(
    new Error(
      'RELAY_BREAKER_SETTINGS: mappingId must be a text that is not empty; alarmName must be a text that is not empty; ' +
        'functionName must be a text that is not empty; settleMs must be a number of more than 0; ' +
        'probeIntervalMs must be a number of more than 0; tickMs must be a number of more than 0',
    ),
  );
});
