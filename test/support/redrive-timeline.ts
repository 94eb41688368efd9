import { planRedrive } from '../../policy/redrive/plan-redrive';
import type { MoveFacts, MoveStatus } from '../../policy/redrive/redrive-facts';
import type { RedriveSettings } from '../../policy/redrive/redrive-settings';

const TICK_MS = 60_000;
const BEGAN_AT_MS = Date.UTC(2026, 0, 1);

/** How long a cancelled task continues to move messages: as long as in the embedded AWS. */
const CANCELLING_MS = 3_000;

const queue = (arn: string) => ({ arn, url: `https://sqs/${arn}` });

const IDLE = { inFlight: 0, delayed: 0 };

/** The default settings of a redrive of a queue, as `lib/redrive/` computes them. */
const SETTINGS: RedriveSettings = {
  enabled: true,
  name: 'Orders/OrdersRedrive',
  deadLetters: queue('dlq'),
  destination: { kind: 'queue', ...queue('orders') },
  failures: queue('dlq'),
  carrier: 'task',
  mayMoveMessages: false,
  mappingIds: [],
  recoveryAlarms: [],
  healthAlarms: [],
  healthyForMs: 300_000,
  proofOfHealth: true,
  steps: [{ messagesPerSecond: 1, messages: 10 }, { messagesPerSecond: 10, messages: 100 }, { messagesPerSecond: 50 }],
  settleMs: 180_000,
  maxReturnedPercent: 25,
  restMs: 43_200_000,
  runsPerDay: 6,
  messagesPerDay: 100_000,
  switchParameter: 'switch',
  switchMayBeAbsent: true,
  tickMs: TICK_MS,
  functionTimeoutMs: TICK_MS,
};

/** A move task of SQS that always reaches its rate. */
interface Task {
  readonly startedAtMs: number;
  readonly messagesPerSecond: number;
  readonly toMove: number;
  cancelledAtMs: number;
}

/** What a check did, and how many messages had moved by then. */
export interface Look {
  readonly minute: number;
  readonly did: string;
  readonly moved: number;
}

function movedBy({ startedAtMs, messagesPerSecond, toMove, cancelledAtMs }: Task, nowMs: number): number {
  const untilMs = Math.min(nowMs, cancelledAtMs + CANCELLING_MS);
  return Math.min(toMove, Math.floor(((untilMs - startedAtMs) * messagesPerSecond) / 1_000));
}

function statusOf(task: Task, nowMs: number): MoveStatus {
  if (movedBy(task, nowMs) === task.toMove) return 'COMPLETED';
  if (nowMs >= task.cancelledAtMs + CANCELLING_MS) return 'CANCELLED';
  return nowMs < task.cancelledAtMs ? 'RUNNING' : 'CANCELLING';
}

function factsOf(task: Task, nowMs: number): MoveFacts {
  const { startedAtMs, messagesPerSecond, toMove } = task;
  const status = statusOf(task, nowMs);
  const moved = movedBy(task, nowMs);
  const isRunning = status === 'RUNNING';
  return {
    carrier: 'task',
    status,
    startedAtMs,
    messagesPerSecond,
    destinationArn: 'orders',
    moved,
    toMove,
    ...(isRunning && { handle: 'handle' }),
  };
}

/** One run of this many messages, none of which comes back, check by check. Checks that only wait are left out. */
export function timelineOf(messages: number, stated: Partial<RedriveSettings> = {}): readonly Look[] {
  const settings = { ...SETTINGS, ...stated };
  const tasks: Task[] = [];
  const looks: Look[] = [];
  for (let minute = 0; minute < 1_440; minute += 1) {
    const nowMs = BEGAN_AT_MS + minute * TICK_MS;
    const moved = tasks.reduce((sum, task) => sum + movedBy(task, nowMs), 0);
    const { decision } = planRedrive(settings, {
      nowMs,
      trigger: minute === 0 ? 'schedule' : 'tick',
      killSwitch: 'on',
      deadLetters: { visible: messages - moved, ...IDLE },
      destination: { depth: { visible: 0, ...IDLE }, deleted: moved },
      moves: tasks.map(task => factsOf(task, nowMs)).toReversed(),
      isMovesComplete: true,
      alarms: [],
      mappings: [],
    });
    const newest = tasks.at(-1);
    if (decision.kind === 'cancel' && newest) newest.cancelledAtMs = nowMs;
    if (decision.kind === 'start') {
      const { messagesPerSecond } = decision;
      const cancelledAtMs = Number.POSITIVE_INFINITY;
      tasks.push({ startedAtMs: nowMs, messagesPerSecond, toMove: messages - moved, cancelledAtMs });
    }
    if (decision.kind === 'wait') continue;
    const cause = 'cause' in decision ? ` ${decision.cause}` : '';
    const rate = 'messagesPerSecond' in decision ? ` ${decision.messagesPerSecond}` : '';
    looks.push({ minute, did: `${decision.kind}${cause}${rate}`, moved });
    if (decision.kind !== 'start' && decision.kind !== 'cancel') return looks;
  }
  throw new Error('the run does not end within a day');
}
