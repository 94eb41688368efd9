import { SNSServiceException } from '@aws-sdk/client-sns';
import type { ActResult } from '../../../lambda/redrive/act';
import { type RedrivePorts, redriveHandler } from '../../../lambda/redrive/handler';
import type { FactReader, FactReading } from '../../../mover/redrive-facts/fact-reader';
import type { RedrivePlan } from '../../../policy/redrive/redrive-decision';
import { MINUTE_MS } from '../../../policy/time-units';
import { depth, FACTS, move, NOW } from '../../policy/redrive/fixtures';

const refusal = (name: string) =>
  new SNSServiceException({ name, $fault: 'client', message: 'AWS says so', $metadata: {} });

const WAITING: RedrivePlan = { decision: { kind: 'wait', reason: 'what was moved may come back' }, state: 'settling' };

const FINISHED: RedrivePlan = {
  decision: { kind: 'finish', reason: 'all dead letters have been moved' },
  state: 'idle',
  run: {
    startedAtMs: NOW - 10 * MINUTE_MS,
    moved: 5,
    returned: 0,
    ending: { reason: 'all dead letters have been moved', overAtMs: NOW - 1 },
  },
};

const TICK = { trigger: 'tick', time: new Date(NOW).toISOString() };

interface Scene {
  readonly plan?: RedrivePlan;
  readonly factReader?: Partial<FactReader>;
  readonly gathered?: Partial<FactReading>;
  readonly ports?: Partial<RedrivePorts>;
}

const DONE: ActResult = { outcome: 'done', state: 'settling', isBegun: false };

async function invoked(event: object, { plan = WAITING, factReader, gathered, ports }: Scene = {}) {
  const lines: unknown[] = [];
  const metrics: unknown[] = [];
  const reported: string[] = [];
  const handler = redriveHandler({
    name: 'Shop/OrdersRedrive',
    tickMs: MINUTE_MS,
    factReader: {
      readFirst: async () => ({ nowMs: NOW, deadLetters: depth(5), tasks: [] }),
      isStillQuiet: async () => false,
      isQuiet: async () => false,
      readAll: async (_, trigger) => {
        const facts = { ...FACTS, trigger, moves: [move()] };
        return { facts, ifUnreadWereHealthy: facts, unread: [], ...gathered };
      },
      readAgain: () => Promise.reject(new Error('nobody looks again')),
      ...factReader,
    },
    plan: () => plan,
    act: async () => ({ ...DONE, state: plan.state }),
    sendRunReport: async name => void reported.push(name),
    writeMetrics: (_, values) => void metrics.push(values),
    nowMs: () => NOW,
    log: line => lines.push(line),
    ...ports,
  });
  const error: unknown = await handler(event, { getRemainingTimeInMillis: () => MINUTE_MS }).catch(it => it);
  return { lines, metrics, reported, error };
}

const quiet = async () => true;

test.each<[string, Partial<FactReader>]>([
  ['has nothing to do', { isQuiet: quiet }],
  ['follows a quiet one', { isStillQuiet: quiet, readFirst: () => Promise.reject(new Error('the tasks were listed')) }],
])('A tick that %s reports an idle redrive, and nothing else', async (_, factReader) => {
  const { lines, metrics, error } = await invoked(TICK, { factReader });
  expect([lines, metrics, error]).toEqual([[], [{ RedriveState: 0 }], undefined]);
});

test('An operator who asks for a run gets an answer even if nothing happens', async () => {
  const { lines } = await invoked({ trigger: 'operator' }, { factReader: { isStillQuiet: quiet, isQuiet: quiet } });
  expect(lines).toMatchObject([{ trigger: 'operator', did: 'wait' }]);
});

test('Each tick that found something writes a record: what it found, what it decided, why, and the state of the run', async () => {
  const { lines, metrics } = await invoked(TICK);
  expect(metrics).toEqual([{ RedriveState: 2 }]);
  expect(lines).toEqual([
    {
      level: 'INFO',
      message: 'redrive',
      name: 'Shop/OrdersRedrive',
      trigger: 'tick',
      did: 'wait',
      reason: 'what was moved may come back',
      outcome: 'done',
      state: 'settling',
      saw: {
        killSwitch: 'on',
        deadLetters: { visible: 500, inFlight: 0, delayed: 0 },
        destination: { depth: { visible: 0, inFlight: 0, delayed: 0 } },
        alarms: { 'orders-failing': 'OK', 'orders-late': 'OK' },
        mappings: { 'mapping-1': 'Enabled' },
        moves: [
          {
            startedAt: '2026-01-05T08:54:00.000Z',
            carrier: 'task',
            status: 'CANCELLED',
            messagesPerSecond: 1,
            moved: 60,
            toMove: 560,
            destination: 'orders',
          },
        ],
      },
    },
  ]);
});

test('A tick that finds messages, but no request for a run, writes no record', async () => {
  const plan: RedrivePlan = {
    decision: { kind: 'leave', cause: 'nothing-to-do', reason: 'nobody asks' },
    state: 'idle',
  };
  expect((await invoked(TICK, { plan })).lines).toEqual([]);
  expect((await invoked({ trigger: 'schedule' }, { plan })).lines).toHaveLength(1);
});

test.each(['schedule', 'operator'])('An unneeded request by %s gets a warning, and is counted', async trigger => {
  const refused = (cause: 'not-healthy-for-long' | 'no-dead-letters'): RedrivePlan => ({
    decision: { kind: 'leave', cause, reason: 'it is so' },
    state: 'idle',
  });
  const { lines, metrics, error } = await invoked({ trigger }, { plan: refused('not-healthy-for-long') });
  expect(lines).toMatchObject([{ level: 'WARN', trigger, did: 'leave', cause: 'not-healthy-for-long' }]);
  expect([metrics, error]).toEqual([[{ RedriveState: 0, RunsRefused: 1 }], undefined]);
  const unneeded = await invoked({ trigger }, { plan: refused('no-dead-letters') });
  expect(unneeded.lines).toMatchObject([{ level: 'INFO' }]);
  expect(unneeded.metrics).toEqual([{ RedriveState: 0 }]);
  const waiting = await invoked(TICK, { plan: refused('not-healthy-for-long') });
  expect(waiting.lines).toMatchObject([{ level: 'INFO' }]);
  expect(waiting.metrics).toEqual([{ RedriveState: 0 }]);
});

test('A run that starts is counted', async () => {
  const act = async (): Promise<ActResult> => ({ outcome: 'done', state: 'moving', isBegun: true });
  expect((await invoked(TICK, { ports: { act } })).metrics).toEqual([{ RedriveState: 1, RunsStarted: 1 }]);
});

test('A run that ended well is reported and counted', async () => {
  const { reported, metrics, error } = await invoked(TICK, { plan: FINISHED });
  expect([reported, error]).toEqual([['Shop/OrdersRedrive'], undefined]);
  expect(metrics).toEqual([{ RedriveState: 0 }, { RunsFinished: 1, Moved: 5, Returned: 0 }]);
});

test('A report that SNS refused is not counted either: the invocation fails, and Lambda’s retry publishes and counts it', async () => {
  const sendRunReport = () => Promise.reject(refusal('Throttling'));
  const { lines, metrics, error } = await invoked(TICK, { plan: FINISHED, ports: { sendRunReport } });
  expect(lines.at(-1)).toMatchObject({ level: 'ERROR', message: 'report-failed', outcome: 'throttled' });
  expect(metrics).toEqual([{ RedriveState: 0 }]);
  expect(error).toEqual(new Error('Publish: Throttling: AWS says so'));
  const repeated = await invoked(TICK, { plan: FINISHED });
  expect([repeated.reported.length, repeated.metrics.length]).toEqual([1, 2]);
});

test('A run whose facts were incomplete is reported only by the retry, so that it is reported once', async () => {
  const unread = ['DescribeAlarms: ThrottlingException: Rate exceeded'];
  const { reported, metrics, error } = await invoked(TICK, { plan: FINISHED, gathered: { unread } });
  expect([reported, metrics, error]).toEqual([[], [{ RedriveState: 0 }], new Error(unread[0])]);
  const repeated = await invoked(TICK, { plan: FINISHED });
  expect([repeated.reported.length, repeated.metrics.length, repeated.error]).toEqual([1, 2, undefined]);
});

test('A tick that cannot read the queue says so, and fails', async () => {
  const denied = refusal('AccessDenied');
  const { lines, metrics, error } = await invoked(TICK, { factReader: { readFirst: () => Promise.reject(denied) } });
  expect(lines).toEqual([
    {
      level: 'ERROR',
      message: 'redrive',
      name: 'Shop/OrdersRedrive',
      trigger: 'tick',
      did: 'nothing',
      outcome: 'permissions-missing',
      reason: 'reading the dead-letter queue: AccessDenied: AWS says so',
    },
  ]);
  expect([metrics, error]).toEqual([[], denied]);
});

test('A call that failed is in the record, and fails the invocation after everything else is done', async () => {
  const unread = ['GetParameter: ThrottlingException: Rate exceeded'];
  const { lines, metrics, error } = await invoked(TICK, { gathered: { unread } });
  expect(lines).toMatchObject([{ level: 'ERROR', unread }]);
  expect([metrics, error]).toEqual([[{ RedriveState: 2 }], new Error(unread[0])]);
  const act = async (): Promise<ActResult> => ({ ...DONE, outcome: 'throttled', failure: 'not now' });
  const undone = await invoked(TICK, { ports: { act } });
  expect(undone.lines).toMatchObject([{ level: 'ERROR', outcome: 'throttled', failure: 'not now' }]);
  expect(undone.error).toEqual(new Error('not now'));
});

test('A step that starts first counts the messages in the queue for repeated failures, because CloudWatch has no data of an idle queue', async () => {
  const plan: RedrivePlan = {
    decision: { kind: 'start', step: 0, carrier: 'task', messagesPerSecond: 1, messages: 10, reason: 'somebody asks' },
    state: 'moving',
  };
  const facts = { ...FACTS, failures: { now: 40 } };
  const act = () => Promise.reject(new Error('broken off'));
  expect((await invoked(TICK, { plan, gathered: { facts }, ports: { act } })).metrics).toEqual([
    { FailuresAtStart: 40 },
  ]);
  expect((await invoked(TICK, { plan })).metrics).toEqual([{ RedriveState: 1 }]);
  expect((await invoked(TICK, { gathered: { facts } })).metrics).toEqual([{ RedriveState: 2 }]);
});

describe('A stopped run whose messages still wait', () => {
  const cause = 'returned';
  const reason = '16 of 60 messages came back';
  const stop = { kind: 'stop', cause, reason } as const;
  const resting = { kind: 'leave', cause: 'resting', reason: 'recoveries wait for a while' } as const;
  const said = async (
    minutes: number,
    decision: RedrivePlan['decision'] = stop,
    trigger: object = { trigger: 'tick' },
  ) => {
    const ending = { cause, reason, overAtMs: NOW } as const;
    const plan: RedrivePlan = { decision, state: 'stopped', run: { startedAtMs: NOW - MINUTE_MS, moved: 60, ending } };
    const facts = { ...FACTS, ...trigger, nowMs: NOW + minutes * MINUTE_MS };
    return (await invoked(trigger, { plan, gathered: { facts } })).lines.length;
  };

  test('is reported by each tick at first, and then once an hour', async () => {
    for (const minutes of [-5, 0, 1.9, 60, 120.9]) expect(await said(minutes)).toBe(1);
    for (const minutes of [2, 59.9, 61, 6_001]) {
      expect([await said(minutes), await said(minutes, resting)]).toEqual([0, 0]);
    }
  });

  test('is reported to an operator who asks', async () => {
    expect(await said(30, resting, { trigger: 'operator' })).toBe(1);
    expect(await said(30, { ...resting, cause: 'switched-off' })).toBe(1);
  });
});
