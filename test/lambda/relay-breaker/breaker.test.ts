import type { Message } from '@aws-sdk/client-sqs';
import { Duration } from 'aws-cdk-lib';
import { type BreakerPorts, type MappingChange, runBreaker } from '../../../lambda/relay-breaker/breaker';
import { type DrainOrder, type DrainResult, relayDrain, turnstile } from '../../../lambda/relay-breaker/drain';
import type { RelayQueue, RelayResponse } from '../../../lambda/relay-breaker/relay-client';
import { response, silence } from '../../../local';
import type { BreakerFacts, MappingFacts } from '../../../policy/relay/breaker';
import { HOUR_MS } from '../../../policy/time-units';
import { STACK_BREAKER } from '../../support/breakers';
import { DeployedBreaker } from './breaker-fixture';

const NOW = Date.UTC(2026, 0, 5, 9);

const OPEN: MappingFacts = { state: 'Disabled', maximumConcurrency: 2, lastModifiedAtMs: NOW - 300_000 };

const factsOf = (mapping: MappingFacts): BreakerFacts => ({
  nowMs: NOW,
  mapping,
  configuredConcurrency: 5,
  alarm: { state: 'OK', sinceMs: NOW - 300_000 },
  settleMs: 300_000,
  probeIntervalMs: 300_000,
  tickMs: 300_000,
});

/** Runs an open breaker whose mapping changes during its successful probe. */
async function runDuringWhich(afterwards: MappingFacts) {
  const changes: MappingChange[] = [];
  const reported: number[] = [];
  const lines: unknown[] = [];
  const ports: BreakerPorts = {
    facts: async () => factsOf(OPEN),
    mapping: async () => afterwards,
    change: async change => {
      changes.push(change);
      return { state: 'Enabling', maximumConcurrency: change.maximumConcurrency, lastModifiedAtMs: NOW };
    },
    probe: async () => ({ result: { kind: 'answered', attempts: 1, delivered: 1, failedAttempts: 0 } }),
    drain: () => Promise.reject(new Error('nothing was expiring')),
    nowMs: () => NOW,
    retentionMs: 864_000_000,
    writeState: state => reported.push(state),
    log: line => lines.push(line),
  };
  await runBreaker(ports, { remainingMs: () => 300_000 });
  return { changes, reported, lines };
}

describe('A breaker whose probe got an answer', () => {
  test('enables a mapping that nobody changed meanwhile', async () => {
    const { changes, reported } = await runDuringWhich(OPEN);
    expect([changes, reported]).toEqual([[{ enabled: true, maximumConcurrency: 2 }], [1]]);
  });

  test.each([
    ['somebody stopped by hand meanwhile', { ...OPEN, maximumConcurrency: 5 }, 3, 'stopped-by-hand'],
    ['another run started meanwhile', { ...OPEN, state: 'Enabled', maximumConcurrency: 4 }, 1, 'half-open'],
    ['somebody started meanwhile', { ...OPEN, state: 'Enabled', maximumConcurrency: 5 }, 0, 'closed'],
  ])('does not touch a mapping that %s', async (_, afterwards, state, to) => {
    const { changes, reported, lines } = await runDuringWhich(afterwards);
    expect([changes, reported]).toEqual([[], [state]]);
    expect(lines).toEqual([
      expect.objectContaining({
        did: 'probe',
        reason: 'the endpoint answers, but the mapping was changed meanwhile',
        from: 'open',
        to,
      }),
    ]);
  });
});

describe('A sweep of an open breaker', () => {
  const TICK = 300_000;
  /** The breaker sweeps a queue with a retention of ten days every twelve hours. */
  const SWEEP_AT = Date.UTC(2026, 0, 5, 12);

  async function run(tickAtMs: number | undefined, nowMs: number, drained: Partial<DrainResult> = {}) {
    const seen = { ...factsOf({ ...OPEN, lastModifiedAtMs: nowMs }), nowMs };
    const lines: unknown[] = [];
    let sweeps = 0;
    const ports: BreakerPorts = {
      facts: async () => seen,
      mapping: () => Promise.reject(new Error('nothing was tried')),
      change: () => Promise.reject(new Error('nothing was to be changed')),
      probe: () => Promise.reject(new Error('nothing was to be tried')),
      drain: async ({ isSweep }) => {
        if (isSweep) sweeps += 1;
        return { givenUp: 0, failed: 0, putBack: 0, ended: 'no message is left', errors: [], ...drained };
      },
      nowMs: () => nowMs,
      retentionMs: 240 * HOUR_MS,
      writeState: () => undefined,
      log: line => lines.push(line),
    };
    const ran = runBreaker(ports, { tickAtMs, remainingMs: () => 300_000 });
    return { ran, lines, sweeps: () => sweeps };
  }

  test('runs once per interval, however late its ticks are', async () => {
    const meant = [-1, 0, 1].map(ticks => SWEEP_AT + 1_000 + ticks * TICK);
    const late = [50_000, 59_000, 2_000];
    const sweeps = meant.map(async (atMs, index) => {
      const { ran, sweeps } = await run(atMs, atMs + (late[index] ?? 0));
      await ran;
      return sweeps();
    });
    expect(await Promise.all(sweeps)).toEqual([0, 1, 0]);
  });

  test('runs even if its tick comes later than the next one was due', async () => {
    const { ran, sweeps } = await run(SWEEP_AT + TICK - 1_000, SWEEP_AT + TICK + 30_000);
    await ran;
    expect(sweeps()).toBe(1);
  });

  test.each([
    [SWEEP_AT, 1],
    [SWEEP_AT + TICK, 0],
  ])('uses the time of its call if no tick started it: %i', async (nowMs, expected) => {
    const { ran, sweeps } = await run(undefined, nowMs);
    await ran;
    expect(sweeps()).toBe(expected);
  });

  test('that met an error reports how far it got, and fails, which triggers an alarm', async () => {
    const error = new Error('too large');
    const { ran, lines } = await run(undefined, SWEEP_AT, { givenUp: 7, failed: 1, errors: [error] });
    await expect(ran).rejects.toBe(error);
    expect(lines.at(-1)).toEqual(
      expect.objectContaining({ level: 'WARN', message: 'expiring', givenUp: 7, failed: 1 }),
    );
    const more = await run(undefined, SWEEP_AT, { errors: [error, error] });
    await expect(more.ran).rejects.toThrow('2 errors, first Error: too large');
  });
});

describe('the sweep of messages', () => {
  const NOW = Date.UTC(2026, 0, 5, 9);

  /** A message in a queue with a retention of four hours. After three hours it counts as expiring. */
  function message(MessageId: string, hoursOld: number, Body = 'a body'): Message {
    const SentTimestamp = String(NOW - hoursOld * HOUR_MS);
    return { MessageId, ReceiptHandle: `handle of ${MessageId}`, Body, Attributes: { SentTimestamp } };
  }

  /** Only the members that putting messages back needs. */
  const handles = (...ids: readonly string[]) => ids.map(id => ({ ReceiptHandle: `handle of ${id}` }));

  const answered = (...failed: readonly string[]): RelayResponse => ({
    answer: {
      batchItemFailures: failed.map(itemIdentifier => ({ itemIdentifier })),
      attempts: 0,
      delivered: 0,
      failedAttempts: 0,
    },
  });

  interface Scene {
    /** The result of each receive, or its error. */
    readonly batches: readonly (readonly Message[] | Error)[];
    /** The relay's answers in turn, or errors. @default - the relay gives up every message it is asked to */
    readonly answers?: readonly (RelayResponse | Error)[];
    readonly order?: Partial<DrainOrder>;
  }

  async function drained({ batches, answers = [], order = {} }: Scene) {
    const [arriving, saying] = [[...batches], [...answers]];
    const ids = (messages: readonly Message[]) => messages.map(({ MessageId }) => MessageId);
    const did: unknown[] = [];
    const queue: RelayQueue = {
      receive: async ({ hiddenSeconds }) => {
        did.push(['receive', hiddenSeconds]);
        const came = arriving.shift() ?? [];
        if (came instanceof Error) throw came;
        return came;
      },
      remove: async messages => void did.push(['remove', ids(messages)]),
      putBack: async messages => void did.push(['put back', messages]),
      inFlight: () => Promise.reject(new Error('nobody asked')),
    };
    const drain = relayDrain({
      queue,
      invokeRelay: async ({ Records, expiring }) => {
        did.push([expiring ? 'give up' : 'try', Records.map(({ messageId }) => messageId)]);
        const said = saying.shift() ?? answered();
        if (said instanceof Error) throw said;
        return said;
      },
      nowMs: () => NOW,
      queueArn: 'arn:aws:sqs:us-east-1:123456789012:Relay',
      retentionMs: 4 * HOUR_MS,
      inTurn: turnstile(8),
    });
    const came = await drain({ held: [], isSweep: false, remainingMs: () => 250_500, ...order });
    return { came, did };
  }

  test('A sweep dead-letters the messages it was given, and continues until it receives none that expires', async () => {
    const batches = [[message('b', 3.5), message('c', 2.9)], [message('d', 2)], [message('e', 3.9)]];
    const { came, did } = await drained({ batches, order: { held: [message('a', 3.9)] } });
    expect(came).toEqual({ givenUp: 2, failed: 0, putBack: 2, ended: 'nothing more expires', errors: [] });
    expect(did).toEqual([
      ['give up', ['a']],
      ['remove', ['a']],
      ['receive', 251],
      ['give up', ['b']],
      ['remove', ['b']],
      ['receive', 251],
      ['put back', handles('c', 'd')],
    ]);
  });

  test('A sweep makes messages that last longer visible again only at its end', async () => {
    const batches = [[message('a', 1)], [message('b', 2)], [message('c', 3)]];
    const { came, did } = await drained({ batches, order: { isSweep: true } });
    expect(came).toEqual({ givenUp: 1, failed: 0, putBack: 2, ended: 'no message is left', errors: [] });
    expect(did.at(-1)).toEqual(['put back', handles('a', 'b')]);
  });

  test('A sweep ends while there is time to make its messages visible again', async () => {
    let remaining = 120_000;
    const remainingMs = () => (remaining -= 10_000);
    const batches = Array.from({ length: 20 }, (_, index) => [message(`old ${index}`, 3), message(`new ${index}`, 1)]);
    const { came, did } = await drained({ batches, order: { remainingMs } });
    expect(came).toMatchObject({ givenUp: 3, putBack: 3, ended: 'the time was over' });
    expect(did.at(-1)).toEqual(['put back', handles('new 0', 'new 1', 'new 2')]);
  });

  test('A message that the relay does not dead-letter is not deleted, and the messages behind it are dead-lettered all the same', async () => {
    const broken = { broken: 'it was throttled' };
    const refused = new Error('too large');
    const batches = ['a', 'b', 'c', 'd', 'e'].map(id => [message(`${id}1`, 3), message(`${id}2`, 3)]);
    const answers = [answered('a1'), answered('b1', 'b2'), broken, answered(), refused];
    const { came, did } = await drained({ batches, answers });
    expect(came).toEqual({ givenUp: 3, failed: 7, putBack: 0, ended: 'no message is left', errors: [refused] });
    const removed = did.filter(it => Array.isArray(it) && it[0] === 'remove' && String(it[1]) !== '');
    expect(removed).toEqual([
      ['remove', ['a2']],
      ['remove', ['d1', 'd2']],
    ]);
  });

  test.each([
    ['the dead-letter queue takes none', answered('a', 'b', 'c', 'd')],
    ['it was throttled', { broken: 'it was throttled' }],
    ['Error: no permission', new Error('no permission')],
  ])('A sweep ends after three batches in a row without success: %s', async (ended, answer) => {
    const batches = [['x'], ['a'], ['b'], ['c'], ['d']].map(ids => ids.map(id => message(id, 3)));
    const { came, did } = await drained({ batches, answers: [answered(), answer, answer, answer] });
    expect(came).toMatchObject({ givenUp: 1, failed: 3, ended });
    expect(did.filter(it => Array.isArray(it) && it[0] === 'give up')).toHaveLength(4);
  });

  /** https://docs.aws.amazon.com/lambda/latest/dg/gettingstarted-limits.html: 6,291,456 bytes; a quote takes two in JSON. */
  test('Large messages are dead-lettered in several invocations, each small enough for Lambda', async () => {
    const batch = Array.from({ length: 10 }, (_, index) => message(String(index), 3, '"'.repeat(600_000)));
    const { came, did } = await drained({ batches: [batch] });
    expect(came).toMatchObject({ givenUp: 10, failed: 0 });
    const asked = did.flatMap(it => (Array.isArray(it) && it[0] === 'give up' ? [it[1].length] : []));
    expect(asked).toEqual([3, 3, 3, 1]);
  });

  test('A sweep whose queue fails makes its messages visible again, and reports the error', async () => {
    const gone = new Error('the queue is gone');
    const { came, did } = await drained({ batches: [[message('a', 1)], gone], order: { isSweep: true } });
    expect(came).toMatchObject({ putBack: 1, errors: [gone] });
    expect(did.at(-1)).toEqual(['put back', handles('a')]);
  });
});

/** How long Lambda takes to fail. */
const LAMBDA_MS = 10_000;

/** https://docs.aws.amazon.com/lambda/latest/api/API_Invoke.html: the caller waits for as long as the function may run. */
describe('A breaker invokes the relay', () => {
  test('once for a probe, even if Lambda fails, because a second call would be a second attempt', async () => {
    const breaker = await DeployedBreaker.open(['order 7']);
    const { deployed } = breaker;
    const resource = deployed.arn('Relay/Function');
    const failure = { code: 'ServiceException', httpStatus: 500, latencyMs: LAMBDA_MS };
    const fault = deployed.aws.faults.set({ service: 'lambda', action: 'Invoke', resource, ...failure });
    expect(await breaker.until('probe')).toMatchObject({
      to: 'open',
      reason: expect.stringContaining("Lambda did not invoke the relay's function"),
    });
    fault.end();
    const probes = deployed.happened('lambda.finished').filter(({ durationMs }) => durationMs >= LAMBDA_MS);
    expect(probes).toHaveLength(1);
    expect(probes[0]?.durationMs).toBeLessThan(2 * LAMBDA_MS);
    expect(breaker.host.requests).toEqual([]);
    expect(await breaker.until('half-open')).toMatchObject({ reason: 'the endpoint answers' });
    expect(breaker.host.requests).toHaveLength(1);
  });

  test('and waits as long as that may take: an endpoint that does not answer two attempts has failed', async () => {
    const minute = Duration.minutes(1);
    const retryPolicy = { numRetries: 3, numNoDelayRetries: 1, minDelayTarget: minute, maxDelayTarget: minute };
    const breaker = await DeployedBreaker.open(['order 7'], { retryPolicy });
    breaker.host.behave({ reply: silence() });
    expect(await breaker.until('probe')).toMatchObject({ reason: 'the probe failed', from: 'open', to: 'open' });
    const [first = Number.NaN, second = Number.NaN, ...others] = breaker.host.requests.map(({ atMs }) => atMs);
    expect(second - first).toBeGreaterThanOrEqual(15_000);
    expect(others).toEqual([]);
    expect(await breaker.deployed.functionSum(`${STACK_BREAKER}/Function`, 'Errors')).toBe(0);
    // The failed probe sends no request later.
    breaker.host.behave({ reply: response(200) });
    await breaker.until('half-open');
    expect([breaker.host.requests.length, breaker.queued]).toEqual([3, [0, 0]]);
  });
});
