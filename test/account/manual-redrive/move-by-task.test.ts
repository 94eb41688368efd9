import type { SQSClient } from '@aws-sdk/client-sqs';
import type { MoveStepEnd } from '../../../account/manual-redrive/manual-step';
import { moveByTask } from '../../../account/manual-redrive/move-by-task';

const ROUTE = {
  sourceArn: 'arn:aws:sqs:us-east-1:123456789012:dead',
  destinationArn: 'arn:aws:sqs:us-east-1:123456789012:orders',
};

/** How a redrive is played. */
interface Story {
  /** How many messages each task moves; undefined for a task that SQS refuses. */
  readonly moves: readonly (number | undefined)[];
  /** The number of the wait in which the operator presses Ctrl-C. @default - never */
  readonly interruptedAt?: number;
  /** @default 3 */
  readonly remaining?: number;
}

/** Plays a redrive against an SQS whose tasks complete at once. */
async function play({
  moves,
  interruptedAt,
  remaining = 3,
}: Story): Promise<{ end: MoveStepEnd | Error; tasks: number }> {
  const tasks: { Status: string; StartedTimestamp: number; ApproximateNumberOfMessagesMoved: number }[] = [];
  let nowMs = 0;
  let waits = 0;
  const send = async (command: object) => {
    if (command.constructor.name === 'ListMessageMoveTasksCommand') return { Results: [...tasks].reverse() };
    const moved = moves[tasks.length];
    if (moved === undefined) throw Object.assign(new Error('no'), { name: 'ResourceNotFoundException' });
    tasks.push({ Status: 'COMPLETED', StartedTimestamp: nowMs, ApproximateNumberOfMessagesMoved: moved });
    return { TaskHandle: 'task' };
  };
  const client = { send } as unknown as SQSClient;
  const ports = {
    nowMs: () => nowMs,
    wait: async (milliseconds: number) => {
      waits += 1;
      nowMs += milliseconds;
    },
    isInterrupted: () => interruptedAt !== undefined && waits >= interruptedAt,
    progress: () => undefined,
    remaining: async () => remaining,
  };
  const end = await moveByTask({ sqs: client, once: client }, ROUTE, { messagesPerSecond: 10 }, ports).catch(
    error => error,
  );
  return { end, tasks: tasks.length };
}

describe('a move task that completes without moving a message', () => {
  test('is started again, at most twice', async () => {
    expect(await play({ moves: [0, 0, 3] })).toMatchObject({ tasks: 3, end: { ending: 'empty', moved: 3 } });
  });

  test('three times is a failure that says how many messages remain', async () => {
    const reason =
      '3 tasks completed without moving a message, and the dead-letter queue still has 3 messages, visible or in flight';
    expect(await play({ moves: [0, 0, 0] })).toEqual({ tasks: 3, end: { ending: 'failed', moved: 0, reason } });
  });

  test('three times is no failure if the queue is empty', async () => {
    expect(await play({ moves: [0, 0, 0], remaining: 0 })).toMatchObject({ tasks: 3, end: { ending: 'empty' } });
  });

  test('is not started again after Ctrl-C during the pause', async () => {
    const { end, tasks } = await play({ moves: [0, 3], interruptedAt: 2 });
    expect([tasks, end]).toMatchObject([1, { ending: 'interrupted', moved: 0 }]);
  });

  test('ends as interrupted, not as empty, after Ctrl-C during the task', async () => {
    const { end, tasks } = await play({ moves: [0, 3], interruptedAt: 1 });
    expect([tasks, end]).toMatchObject([1, { ending: 'interrupted', moved: 0 }]);
  });

  test('gives the error of SQS if that refuses the next task', async () => {
    expect(await play({ moves: [0, undefined] })).toMatchObject({
      tasks: 1,
      end: { name: 'ResourceNotFoundException' },
    });
  });
});

test('a task that has moved messages at Ctrl-C has moved them all', async () => {
  expect(await play({ moves: [3], interruptedAt: 1 })).toMatchObject({ end: { ending: 'empty', moved: 3 } });
});
