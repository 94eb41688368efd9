import { CloudWatchClient } from '@aws-sdk/client-cloudwatch';
import { LambdaClient } from '@aws-sdk/client-lambda';
import { SQSClient } from '@aws-sdk/client-sqs';
import { SSMClient } from '@aws-sdk/client-ssm';
import { type FirstFacts, factReader } from '../../../lambda/redrive/facts';
import { isIdleQueue } from '../../../lambda/redrive/quiet';
import { stepRunners } from '../../../mover/stint-carriers';
import type { RedriveFacts } from '../../../policy/redrive/redrive-facts';
import { depth, FACTS, HOUR, MINUTE, move, NOW, plan, SETTINGS } from '../../policy/redrive/fixtures';

const look = (changes: Partial<FirstFacts> = {}): FirstFacts => ({
  nowMs: NOW,
  deadLetters: depth(0),
  tasks: [],
  ...changes,
});

test.each([
  ['no letter, and no task', look(), true],
  ['a letter that can be received', look({ deadLetters: depth(1) }), false],
  ['a letter somebody has', look({ deadLetters: depth(0, 1) }), false],
  ['a letter that is delayed', look({ deadLetters: depth(0, 0, 1) }), false],
  ['no such queue', look({ deadLetters: undefined }), false],
  ['a task that runs', look({ tasks: [move({ status: 'RUNNING', startedAtMs: NOW - 30 * HOUR })] }), false],
  [
    'a task that is being cancelled',
    look({ tasks: [move({ status: 'CANCELLING', startedAtMs: NOW - 30 * HOUR })] }),
    false,
  ],
  ['a task whose outcome is awaited', look({ tasks: [move({ startedAtMs: NOW - 20 * MINUTE })] }), false],
  ['a task that has settled long ago', look({ tasks: [move({ startedAtMs: NOW - 2 * HOUR })] }), true],
])('A tick that sees %s has nothing to do: %#', (_, seen, expected) => {
  expect(isIdleQueue(seen, SETTINGS)).toBe(expected);
});

test.each([
  ['that may move letters itself is asked once for what it moved', true, 1],
  ['that may not asks for no figure, of which each has its price', false, 0],
])('An idle function %s', async (_, mayCarry, asked) => {
  const figures = jest.fn(async () => [[]]);
  const client = { region: 'us-east-1' };
  const clients = {
    sqs: new SQSClient(client),
    cloudWatch: new CloudWatchClient(client),
    figures,
    lambda: new LambdaClient(client),
    ssm: new SSMClient(client),
  };
  const { isQuiet: sees } = factReader(clients, { ...SETTINGS, mayCarry }, 'Redrive', () => NOW);
  expect(await sees(look())).toBe(true);
  expect(figures).toHaveBeenCalledTimes(asked);
});

test('What moves letters itself is there where the function may, and nowhere else', () => {
  const ports = {
    sqs: new SQSClient({ region: 'us-east-1' }),
    lambda: new LambdaClient({ region: 'us-east-1' }),
    nowMs: () => NOW,
    wait: async () => {},
    tell: () => {},
  };
  expect(Object.keys(stepRunners({ ...SETTINGS, mayCarry: true }, ports))).toEqual(['copy']);
  expect(Object.keys(stepRunners({ ...SETTINGS, mayCarry: false }, ports))).toEqual([]);
});

/** Whatever the planner has to say of a run whose letters are all gone, it says before nobody asks it any more. */
test('While a run has not been told of, no tick takes the queue for quiet', () => {
  for (const status of ['COMPLETED', 'CANCELLED', 'FAILED'] as const) {
    for (const moved of [1, 60, 3_000]) {
      const quietFrom = Array.from({ length: 24 * 60 }, (_, minute) => minute).find(minute =>
        isIdleQueue(
          look({ nowMs: NOW + minute * MINUTE, tasks: [move({ startedAtMs: NOW, status, moved })] }),
          SETTINGS,
        ),
      );
      const at: Partial<RedriveFacts> = {
        nowMs: NOW + (quietFrom ?? Number.NaN) * MINUTE,
        deadLetters: depth(0),
        destination: { depth: depth(0), deleted: moved },
        moves: [move({ startedAtMs: NOW, status, moved })],
        alarms: FACTS.alarms,
      };
      const { state, decision, run } = plan(at);
      expect([state, decision.kind]).toEqual(['idle', 'leave']);
      expect(run?.ending?.overAtMs).toBeLessThan((at.nowMs ?? 0) - MINUTE);
    }
  }
});
