import { type BreakersPorts, breakersHandler } from '../../../lambda/relay-breaker/run-breakers';
import type { BreakerSettings } from '../../../policy/relay/breaker-event';
import { MINUTE_MS } from '../../../policy/time-units';

const NOW = Date.UTC(2026, 0, 5, 9);

function settingsOf(functionName: string, more: Partial<BreakerSettings> = {}): BreakerSettings {
  return {
    mappingId: `mapping of ${functionName}`,
    configuredConcurrency: 5,
    alarmName: `alarm of ${functionName}`,
    queueUrl: `https://sqs.us-east-1.amazonaws.com/123456789012/${functionName}-queue`,
    functionName,
    settleMs: 300_000,
    probeIntervalMs: 300_000,
    tickMs: 300_000,
    functionTimeoutMs: 45_000,
    retentionMs: 864_000_000,
    ...more,
  };
}

interface Scene {
  /** Relays whose mapping cannot be read, with the error. */
  readonly failing?: Readonly<Record<string, Error>>;
  /** Relays without an alarm. */
  readonly withoutAlarm?: readonly string[];
  readonly chances?: readonly number[];
}

function handlerIn({ failing = {}, withoutAlarm = [], chances = [] }: Scene = {}) {
  const did = { read: [] as string[], waits: [] as number[], lines: [] as unknown[], states: [] as string[] };
  const arns: string[] = [];
  const asked: (readonly string[])[] = [];
  const left = [...chances];
  const ports: BreakersPorts = {
    alarms: async names => {
      asked.push(names);
      const known = names.filter(name => !withoutAlarm.some(relay => name === `alarm of ${relay}`));
      return new Map(known.map(name => [name, { state: 'OK', sinceMs: NOW }]));
    },
    portsOf: ({ functionName }, queueArn) => {
      arns.push(queueArn);
      return {
        mapping: async () => {
          did.read.push(functionName);
          const error = failing[functionName];
          if (error) throw error;
          return { state: 'Enabled', maximumConcurrency: 5, lastModifiedAtMs: NOW };
        },
        change: () => Promise.reject(new Error('nothing was to be changed')),
        probe: () => Promise.reject(new Error('nothing was to be tried')),
        drain: () => Promise.reject(new Error('nothing was expiring')),
        writeState: state => did.states.push(`${functionName} ${state}`),
      };
    },
    nowMs: () => NOW,
    wait: async ms => void did.waits.push(ms),
    chance: () => left.shift() ?? 0,
    log: line => did.lines.push(line),
  };
  const run = (event: unknown) =>
    breakersHandler(ports)(event, {
      invokedFunctionArn: 'arn:aws-cn:lambda:cn-north-1:123456789012:function:Breaker',
      getRemainingTimeInMillis: () => 5 * MINUTE_MS,
    });
  return { run, did, arns, asked };
}

const tickOf = (...relays: readonly unknown[]) => ({
  source: 'aws.events',
  time: new Date(NOW).toISOString(),
  spreadMs: 1_000,
  relays,
});

const [FIRST, SECOND, THIRD] = [settingsOf('First'), settingsOf('Second'), settingsOf('Third')];

describe('The function of all breakers of a stack', () => {
  test('checks all relays of its event, writes the state of each, and names each in its log', async () => {
    const { run, did, arns, asked } = handlerIn();
    await run(tickOf(FIRST, SECOND, THIRD));
    expect(did.states).toEqual(['First 0', 'Second 0', 'Third 0']);
    expect(did.lines).toEqual(
      ['First', 'Second', 'Third'].map(relay => expect.objectContaining({ message: 'breaker', did: 'leave', relay })),
    );
    expect(arns[0]).toBe('arn:aws-cn:sqs:cn-north-1:123456789012:First-queue');
    expect(asked).toEqual([['alarm of First', 'alarm of Second', 'alarm of Third']]);
  });

  test('spreads its calls at random over the time stated in the event', async () => {
    const { run, did } = handlerIn({ chances: [0.5, 0, 0.9999] });
    await run(tickOf(FIRST, SECOND, THIRD));
    expect(did.waits).toEqual([500, 999]);
  });

  test('checks only the relay whose alarm fired, at once, and does nothing for an alarm of another stack', async () => {
    const alarm = (name: string) => ({
      source: 'aws.cloudwatch',
      resources: [`arn:aws:cloudwatch:us-east-1:123456789012:alarm:${name}`],
      spreadMs: 1_000,
      relays: [FIRST, SECOND],
    });
    const own = handlerIn({ chances: [0.5] });
    await own.run(alarm('alarm of Second'));
    expect([own.did.read, own.did.waits]).toEqual([['Second'], []]);
    const other = handlerIn();
    await other.run(alarm('alarm of another stack'));
    expect([other.did.read, other.asked]).toEqual([[], []]);
  });

  test('skips a relay with a longer interval at the ticks in between', async () => {
    const { run, did } = handlerIn();
    const slow = settingsOf('Slow', { tickMs: 15 * MINUTE_MS });
    for (const minutes of [2, 7, 12, 17]) {
      await run({ ...tickOf(FIRST, slow), time: new Date(NOW + minutes * MINUTE_MS).toISOString() });
    }
    expect(did.read.filter(name => name === 'First')).toHaveLength(4);
    expect(did.read.filter(name => name === 'Slow')).toHaveLength(2);
  });
});

describe('An error with one relay', () => {
  test.each([
    ['its mapping is gone', { failing: { Second: new Error('no mapping') } }, 'no mapping'],
    ['its alarm is gone', { withoutAlarm: ['Second'] }, 'there is no alarm alarm of Second'],
  ])('does not prevent the checks of the others, and fails the function: %s', async (_, scene, message) => {
    const { run, did } = handlerIn(scene);
    await expect(run(tickOf(FIRST, SECOND, THIRD))).rejects.toThrow(new Error(message));
    expect(did.states).toEqual(['First 0', 'Third 0']);
    expect(did.lines).toContainEqual({
      level: 'ERROR',
      message: 'breaker failed',
      relay: 'Second',
      error: `Error: ${message}`,
    });
  });

  test('is thrown together with the errors of others', async () => {
    const { run } = handlerIn({ failing: { First: new Error('one'), Third: new Error('two') } });
    const thrown: unknown = await run(tickOf(FIRST, SECOND, THIRD)).catch((error: unknown) => error);
    expect(thrown).toBeInstanceOf(AggregateError);
    expect(thrown).toMatchObject({ message: '2 errors, first Error: one' });
  });

  test('can be an error in its settings', async () => {
    const { run, did } = handlerIn();
    await expect(run(tickOf({ ...FIRST, mappingId: '' }, SECOND))).rejects.toThrow(
      'the settings of a relay: mappingId must be a string that is not empty',
    );
    expect(did.states).toEqual(['Second 0']);
  });
});
