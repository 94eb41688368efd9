import { SQSServiceException } from '@aws-sdk/client-sqs';
import { type ActingPorts, actor } from '../../../lambda/redrive/act';
import type { StepOrder, StepResult, StepRunner } from '../../../lambda/redrive/step-runner';
import type { RedriveDecision, RedriveState } from '../../../policy/redrive/redrive-decision';
import type { MoveFacts } from '../../../policy/redrive/redrive-facts';
import { MINUTE_MS } from '../../../policy/time-units';
import { FACTS, move, NOW } from '../../policy/redrive/fixtures';
import { CANARY } from './redrive-fixture';

const CANCEL: RedriveDecision = { kind: 'cancel', handle: 'handle', cause: 'step-done', reason: 'it has moved 60' };

interface Scene {
  readonly ports?: Partial<ActingPorts>;
  /** The results of the runners. */
  readonly task?: StepResult;
  readonly copy?: StepResult;
  readonly seen?: readonly MoveFacts[];
  readonly now?: readonly MoveFacts[];
}

async function acted(decision: RedriveDecision, state: RedriveState, scene: Scene = {}) {
  const { ports, task, copy, seen = [], now = seen } = scene;
  const orders: StepOrder[] = [];
  const runner = (started?: StepResult): StepRunner => ({
    start: async order => {
      orders.push(order);
      if (!started) throw new Error('nobody asked for that');
      return started;
    },
  });
  const act = actor({
    enabled: true,
    runners: { task: runner(task), ...(copy && { copy: runner(copy) }) },
    cancel: async () => ({ outcome: 'cancelled' }),
    tasks: async () => now,
    check: () => Promise.reject(new Error('nobody checks')),
    ...ports,
  });
  const facts = { ...FACTS, moves: seen };
  const done = await act({ plan: { decision, state }, facts, remainingMs: () => MINUTE_MS });
  return { done, orders };
}

const started = { outcome: 'started' } as const;

test('A canary starts a run, and a later step continues it', async () => {
  const canary = await acted(CANARY, 'moving', { task: started });
  expect(canary.done).toMatchObject({ outcome: 'done', state: 'moving', isBegun: true });
  expect(canary.orders).toMatchObject([{ decision: CANARY, runStartedAtMs: NOW }]);
  const later = { ...CANARY, step: 1, runStartedAtMs: NOW - 9 * MINUTE_MS };
  const next = await acted(later, 'moving', { task: started, seen: [move()] });
  expect(next.done).toMatchObject({ outcome: 'done', isBegun: false });
  expect(next.orders).toMatchObject([{ runStartedAtMs: NOW - 9 * MINUTE_MS }]);
});

test('A move that another process started after the facts were read prevents a step, even if that move is already over', async () => {
  const other = move({ startedAtMs: NOW - 1, status: 'COMPLETED', moved: 3 });
  const { done, orders } = await acted(CANARY, 'moving', { seen: [move()], now: [other, move()] });
  expect([done.outcome, done.state, orders]).toEqual(['moved-meanwhile', 'idle', []]);
});

test.each<[string, StepResult, object]>([
  [
    'somebody moves letters already',
    { outcome: 'already-running', reason: 'Only one' },
    { outcome: 'already-running', state: 'moving' },
  ],
  [
    'a permission is missing',
    { outcome: 'failed', code: 'AccessDenied', reason: 'not you' },
    { outcome: 'permissions-missing', state: 'idle', failure: 'not you' },
  ],
  [
    'SQS throttles',
    { outcome: 'failed', code: 'RequestThrottled', reason: 'not now' },
    { outcome: 'throttled', state: 'idle', failure: 'not now' },
  ],
  [
    'SQS refuses, and nobody can copy',
    { outcome: 'refused', reason: 'Dead Letter Queue' },
    { outcome: 'no-dead-letter-queue', state: 'idle', failure: 'Dead Letter Queue' },
  ],
])('No run starts if %s', async (_, task, expected) => {
  const { done } = await acted(CANARY, 'moving', { task });
  expect(done).toMatchObject({ ...expected, isBegun: false });
});

test('If SQS refuses a move task, the function copies with the same step', async () => {
  const movePass = { outcome: 'move-pass', status: 'COMPLETED', moved: 10, reason: 'the step is done' } as const;
  const { done, orders } = await acted(CANARY, 'moving', {
    task: { outcome: 'refused', reason: 'no' },
    copy: movePass,
  });
  expect(orders.map(({ decision }) => decision)).toEqual([CANARY, { ...CANARY, carrier: 'copy' }]);
  expect(done).toEqual({
    outcome: 'done',
    state: 'settling',
    isBegun: true,
    detail: {
      refusal: 'no',
      carrier: 'copy',
      movePass: { status: 'COMPLETED', moved: 10, reason: 'the step is done' },
    },
  });
});

test('A function that may not copy reports a request to copy, and starts nothing', async () => {
  const { done, orders } = await acted({ ...CANARY, carrier: 'copy' }, 'moving');
  expect(done).toMatchObject({ outcome: 'no-dead-letter-queue', isBegun: false, failure: 'the function may not copy' });
  expect(orders).toEqual([]);
});

test('A halted move pass stops its run', async () => {
  const copy = { outcome: 'move-pass', status: 'CANCELLED', moved: 4, cause: 'switched-off', reason: 'off' } as const;
  const { done } = await acted(CANARY, 'moving', { task: { outcome: 'refused', reason: 'no' }, copy });
  expect(done.state).toBe('stopped');
});

test('A failed move pass counts as a failure, and its messages may have moved', async () => {
  const copy = { outcome: 'move-pass', status: 'FAILED', moved: 4, reason: 'SQS: AccessDenied: not you' } as const;
  const { done } = await acted({ ...CANARY, carrier: 'copy' }, 'moving', { copy });
  expect(done).toMatchObject({
    outcome: 'permissions-missing',
    state: 'settling',
    isBegun: true,
    detail: { movePass: { moved: 4 } },
    failure: 'SQS: AccessDenied: not you',
  });
});

test.each<[Awaited<ReturnType<ActingPorts['cancel']>>, object]>([
  [{ outcome: 'cancelled' }, { outcome: 'done', state: 'moving' }],
  [{ outcome: 'over-already' }, { outcome: 'over-already', state: 'settling' }],
  [
    { outcome: 'permissions-missing', code: 'AccessDenied', reason: 'not you' },
    { outcome: 'permissions-missing', state: 'moving', failure: 'not you' },
  ],
])('A cancellation that ends in %j is reported as such', async (cancelled, expected) => {
  const { done } = await acted(CANCEL, 'moving', { ports: { cancel: async () => cancelled } });
  expect(done).toMatchObject(expected);
});

test('A redrive that is off reports what it would do, and does nothing', async () => {
  const ports = { enabled: false, cancel: () => Promise.reject(new Error('it is off')) };
  const start = await acted(CANARY, 'moving', { ports });
  expect([start.done, start.orders]).toEqual([{ outcome: 'dry-run', state: 'idle', isBegun: false }, []]);
  const cancel = await acted(CANCEL, 'moving', { ports });
  expect(cancel.done).toEqual({ outcome: 'dry-run', state: 'moving', isBegun: false });
});

test('If the last check before a start is refused, nothing starts', async () => {
  const denied = new SQSServiceException({ name: 'AccessDenied', $fault: 'client', message: 'no', $metadata: {} });
  const { done, orders } = await acted(CANARY, 'moving', { ports: { tasks: () => Promise.reject(denied) } });
  expect([done.outcome, done.failure, orders]).toEqual([
    'permissions-missing',
    'ListMessageMoveTasks: AccessDenied: no',
    [],
  ]);
});
