import {
  BREAKER_ALARM_PREFIX,
  BREAKER_SCHEDULE_MS,
  type BreakerSettings,
  concernsRelay,
  MAX_BREAKER_RELAYS,
  RELAYS_PER_TARGET,
  readBreakerEvent,
  readBreakerSettings,
} from '../../../policy/relay/breaker-event';

const SETTINGS: BreakerSettings = {
  mappingId: '5a7a0a5f-0000-4000-8000-000000000000',
  configuredConcurrency: 5,
  alarmName: 'Breaker',
  queueUrl: 'https://sqs.us-east-1.amazonaws.com/123456789012/Relay',
  functionName: 'Relay',
  settleMs: 300_000,
  probeIntervalMs: 300_000,
  tickMs: 300_000,
  functionTimeoutMs: 45_000,
  retentionMs: 864_000_000,
};

const NOON = Date.UTC(2026, 0, 5, 12);

const TICK = { source: 'aws.events', time: '2026-01-05T12:02:00Z', resources: ['arn'], spreadMs: 250 };

function alarmChange(alarmName: string) {
  const resources = [`arn:aws:cloudwatch:us-east-1:123456789012:alarm:${alarmName}`];
  return { source: 'aws.cloudwatch', time: TICK.time, resources, spreadMs: 250, relays: [SETTINGS] };
}

describe('The event of a breaker', () => {
  test('has the time of a scheduled tick, and how long the checks may be spread', () => {
    expect(readBreakerEvent({ ...TICK, relays: [SETTINGS] })).toEqual({
      tickAtMs: NOON + 120_000,
      alarmName: undefined,
      spreadMs: 250,
      relays: [SETTINGS],
    });
  });

  test('names the alarm that fired, also one with colons in its name', () => {
    expect(readBreakerEvent(alarmChange('a:alarm:b'))).toMatchObject({ alarmName: 'a:alarm:b', tickAtMs: undefined });
  });

  test.each([
    {},
    { source: 'aws.events', time: 'soon' },
    { source: 'aws.cloudwatch', resources: ['arn:of:something'] },
  ])('of any other origin has neither a time nor an alarm: %j', event => {
    expect(readBreakerEvent({ ...event, relays: [] })).toEqual({
      tickAtMs: undefined,
      alarmName: undefined,
      spreadMs: 0,
      relays: [],
    });
  });

  test.each([undefined, null, 7, [], {}, { relays: {} }])('must have relays: %j', event => {
    expect(() => readBreakerEvent(event)).toThrow('the event must have relays, a list with the settings of each relay');
  });
});

describe('The settings of a breaker', () => {
  test('are read as they were written', () => {
    expect(readBreakerSettings(SETTINGS)).toEqual(SETTINGS);
  });

  test.each([undefined, null, '{}', []])('must be an object: %j', settings => {
    expect(() => readBreakerSettings(settings)).toThrow('the settings of a relay must be an object');
  });

  test('are refused with all their problems', () => {
    const changes = {
      mappingId: '',
      alarmName: undefined,
      functionName: 7,
      settleMs: 0,
      tickMs: '5',
      probeIntervalMs: null,
    };
    expect(() => readBreakerSettings({ ...SETTINGS, ...changes })).toThrow(
      new Error(
        'the settings of a relay: mappingId must be a string that is not empty; alarmName must be a string that is not empty; ' +
          'functionName must be a string that is not empty; settleMs must be a number greater than 0; ' +
          'probeIntervalMs must be a number greater than 0; tickMs must be a number greater than 0',
      ),
    );
  });

  test('of as many relays as a target serves fit into 8,192 characters, however long the names are', () => {
    const long: BreakerSettings = {
      mappingId: 'm'.repeat(36),
      configuredConcurrency: 1_000,
      alarmName: `${BREAKER_ALARM_PREFIX}${'s'.repeat(128)}-${'i'.repeat(40)}-12345678`,
      queueUrl: `https://sqs.ap-northeast-3.amazonaws.com.cn/123456789012/${'q'.repeat(80)}`,
      functionName: 'f'.repeat(64),
      settleMs: 1_200_000,
      probeIntervalMs: 86_400_000,
      tickMs: 900_000,
      functionTimeoutMs: 900_000,
      retentionMs: 1_209_600_000,
    };
    expect(long.alarmName.length).toBeLessThanOrEqual(255);
    const relays = Array.from({ length: RELAYS_PER_TARGET }, () => long);
    const spreadMs = 125 * MAX_BREAKER_RELAYS;
    const input = JSON.stringify({ source: '<source>', time: '<time>', resources: '<resources>', spreadMs, relays });
    expect(input.length).toBeLessThanOrEqual(8_192);
  });
});

describe('A relay', () => {
  const ticks = Array.from({ length: 12 }, (_, index) => NOON + 120_000 + index * BREAKER_SCHEDULE_MS);

  const checkedAt = (tickMs: number, times: readonly number[]) =>
    times
      .map(atMs => ({ ...TICK, time: new Date(atMs).toISOString(), relays: [] }))
      .map(event => concernsRelay(readBreakerEvent(event), { ...SETTINGS, tickMs }));

  test.each([
    [300_000, 12],
    [600_000, 6],
    [900_000, 4],
  ])('with checks every %i ms is checked in that interval, and no sooner', (tickMs, times) => {
    const every = tickMs / BREAKER_SCHEDULE_MS;
    const checks = checkedAt(tickMs, ticks);
    expect(checks.filter(Boolean)).toHaveLength(times);
    expect(checks).toEqual(checks.map((_, index) => index % every === 0));
  });

  test('is checked as often if ticks are up to two minutes early or late', () => {
    const moved = ticks.map((atMs, index) => atMs + ((index * 7) % 5) * 60_000 - 120_000);
    expect(checkedAt(900_000, moved)).toEqual(checkedAt(900_000, ticks));
  });

  test('is concerned by its own alarm only, not by one whose name begins the same', () => {
    expect(concernsRelay(readBreakerEvent(alarmChange('Breaker')), SETTINGS)).toBe(true);
    expect(concernsRelay(readBreakerEvent(alarmChange('Breaker-2')), SETTINGS)).toBe(false);
  });

  test('is concerned by an event of an operator, also between its ticks', () => {
    expect(concernsRelay(readBreakerEvent({ relays: [] }), { ...SETTINGS, tickMs: 900_000 })).toBe(true);
  });
});
