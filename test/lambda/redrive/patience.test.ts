import { SSMServiceException } from '@aws-sdk/client-ssm';
import { assumingUnreadIsHealthy, planToleratingUnread } from '../../../lambda/redrive/patience';
import type { RedriveEvent } from '../../../lambda/redrive/redrive-event';
import { TolerantReader } from '../../../lambda/redrive/refusal';
import { planRedrive } from '../../../policy/redrive/plan-redrive';
import type { RedriveFacts } from '../../../policy/redrive/redrive-facts';
import { alarm, depth, FACTS, MINUTE, move, NOW, SETTINGS } from '../../policy/redrive/fixtures';

/** A reading that could not read what these actions tell. */
async function missing(...asked: readonly string[]): Promise<TolerantReader> {
  const reading = new TolerantReader();
  const throttled = new SSMServiceException({ name: 'ThrottlingException', $fault: 'client', $metadata: {} });
  for (const action of asked) await reading.readOr(action, () => Promise.reject(throttled), undefined);
  return reading;
}

const RUNNING = move({ status: 'RUNNING', handle: 'ours', startedAtMs: NOW - 9_000, moved: 9, toMove: 509 });

/** Each thing that may not be read, as it is taken then. */
const UNREAD: readonly [string, string, Partial<RedriveFacts>][] = [
  ['GetParameter', 'switch-unknown', { killSwitch: 'unknown' }],
  ['GetQueueAttributes', 'no-destination', { destination: undefined }],
  ['GetEventSourceMapping', 'consumer-stopped', { mappings: [{ id: 'mapping-1', state: 'unread' }] }],
  [
    'DescribeAlarms',
    'alarm-missing',
    { alarms: [alarm('orders-failing', { state: 'unread' }), alarm('orders-late', { state: 'unread' })] },
  ],
];

async function decided(action: string, seen: Partial<RedriveFacts>, event: RedriveEvent) {
  const reading = await missing(action);
  const facts: RedriveFacts = { ...FACTS, moves: [RUNNING], ...seen };
  const gathered = { facts, ifUnreadWereHealthy: assumingUnreadIsHealthy(facts, reading), unread: reading.unread };
  return planToleratingUnread(it => planRedrive(SETTINGS, it), gathered, event);
}

const tick = (ageMs: number): RedriveEvent => ({ trigger: 'tick', dueAtMs: NOW - ageMs });

describe.each(UNREAD)('Where %s does not answer', (action, cause, seen) => {
  test('a task is left alone, and cancelled by the look Lambda repeats for the second time', async () => {
    for (const ageMs of [0, 2_000, 62_000, 150_000 - 1]) {
      const { decision, state } = await decided(action, seen, tick(ageMs));
      expect([decision.kind, state]).toEqual(['wait', 'moving']);
      expect(decision.reason).toMatch(/^not all could be read, and may be soon: /);
    }
    expect((await decided(action, seen, tick(150_000))).decision).toMatchObject({ kind: 'cancel', cause });
  });

  test('who looks beside the ticks cancels nothing for it', async () => {
    expect((await decided(action, seen, { trigger: 'operator' })).decision.kind).toBe('wait');
    expect((await decided(action, seen, { trigger: 'schedule', dueAtMs: NOW - MINUTE * 9 })).decision.kind).toBe(
      'wait',
    );
  });

  test('the task is cancelled nevertheless for what was read', async () => {
    const others = UNREAD.filter(([other]) => other !== action);
    for (const [, , unwell] of others) {
      const really = JSON.parse(JSON.stringify(unwell).replaceAll('unread', 'missing'));
      const { decision } = await decided(action, { ...seen, ...unwell, ...really }, tick(0));
      expect(decision.kind).toBe('cancel');
    }
    const spent = { moves: [{ ...RUNNING, moved: 9_990, startedAtMs: NOW - 9_990_000 }], deadLetters: depth(500) };
    expect((await decided(action, { ...seen, ...spent }, tick(0))).decision).toMatchObject({ kind: 'cancel' });
  });

  test('no run begins, and none goes on', async () => {
    const asked = await decided(action, { ...seen, moves: [], trigger: 'schedule' }, { trigger: 'schedule' });
    expect(asked.decision).toMatchObject({ kind: 'leave', cause });
    const settled = await decided(action, { ...seen, moves: [move()] }, tick(0));
    expect(settled.decision.kind).toBe('wait');
  });
});

test('What was read is as it is, whatever could not be', async () => {
  const facts: RedriveFacts = {
    ...FACTS,
    killSwitch: 'off',
    destination: { depth: depth(7) },
    alarms: [alarm('orders-failing', { state: 'ALARM' }), alarm('orders-late', { state: 'missing' })],
    mappings: [{ id: 'mapping-1', state: 'Disabled' }],
  };
  expect(
    assumingUnreadIsHealthy(facts, await missing('DescribeAlarms', 'GetEventSourceMapping', 'GetQueueAttributes')),
  ).toEqual(facts);
  expect(assumingUnreadIsHealthy({ ...facts, destination: undefined }, await missing()).destination).toBeUndefined();
});
