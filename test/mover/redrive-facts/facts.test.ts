import {
  CloudWatchClient,
  PutMetricAlarmCommand,
  SetAlarmStateCommand,
  type StateValue,
} from '@aws-sdk/client-cloudwatch';
import { LambdaClient } from '@aws-sdk/client-lambda';
import {
  CreateQueueCommand,
  DeleteQueueCommand,
  PurgeQueueCommand,
  SendMessageCommand,
  SQSClient,
} from '@aws-sdk/client-sqs';
import { SSMClient } from '@aws-sdk/client-ssm';
import { stepRunners } from '../../../lambda/redrive/copy-or-replay';
import { clientConfig } from '../../../local/facade/client';
import { EXAMPLE_PLACE } from '../../../local/kernel/place';
import { Random } from '../../../local/kernel/random';
import { Simulation } from '../../../local/simulation';
import { type MetricPoint, type MetricQuery, messagesHeldAt, type ReadMetrics } from '../../../mover/aws/metrics';
import { readAlarmFacts } from '../../../mover/aws/resource-state';
import {
  activeMoves,
  activeWithin,
  type FirstFacts,
  isIdleQueue,
  minutesSeenMoving,
  recentlyActiveWithin,
} from '../../../mover/redrive-facts/activity';
import { factReader } from '../../../mover/redrive-facts/fact-reader';
import { failuresAtStart, passFacts } from '../../../mover/redrive-facts/own-metrics';
import type { RedriveFacts } from '../../../policy/redrive/redrive-facts';
import { HOUR_MS, MINUTE_MS } from '../../../policy/time-units';
import { depth, FACTS, move, NOW, ORDERS, plan, QUARANTINE, SETTINGS } from '../../policy/redrive/fixtures';

describe('alarms', () => {
  const START_MS = Date.UTC(2026, 0, 5, 9);

  /** Returns the facts of an alarm that had these states for a second each, and was not evaluated meanwhile. */
  async function alarmAfter(states: readonly StateValue[]) {
    const world = new Simulation({ place: EXAMPLE_PLACE, random: new Random('redrive alarms'), startAtMs: START_MS })
      .home;
    const client = new CloudWatchClient(clientConfig(world.network, EXAMPLE_PLACE));
    await client.send(
      new PutMetricAlarmCommand({
        AlarmName: 'Failing',
        Namespace: 'Shop',
        MetricName: 'Errors',
        Statistic: 'Sum',
        Period: 60,
        EvaluationPeriods: 1,
        Threshold: 0,
        ComparisonOperator: 'GreaterThanThreshold',
      }),
    );
    for (const StateValue of states) {
      await world.timeline.advanceTo(world.timeline.nowMs + 1_000);
      await client.send(new SetAlarmStateCommand({ AlarmName: 'Failing', StateValue, StateReason: 'a drill' }));
    }
    const [facts] = await readAlarmFacts(client, { recoveryAlarms: ['Failing'], healthAlarms: [] }, START_MS);
    return facts;
  }

  test.each<[boolean, readonly StateValue[]]>([
    [true, ['ALARM', 'OK']],
    [true, ['ALARM', 'INSUFFICIENT_DATA', 'OK']],
    [true, ['OK', 'ALARM', 'INSUFFICIENT_DATA', 'OK']],
    [false, ['OK']],
    [false, ['ALARM', 'OK', 'INSUFFICIENT_DATA', 'OK']],
  ])('It is %s that an alarm has recovered which is OK after %j', async (recovered, states) => {
    expect(await alarmAfter(states)).toEqual({
      name: 'Failing',
      state: 'OK',
      sinceMs: START_MS + states.length * 1_000,
      recovered,
    });
  });

  test('Of one that is not OK nobody asks whether it has recovered', async () => {
    expect(await alarmAfter(['ALARM', 'INSUFFICIENT_DATA'])).toEqual({
      name: 'Failing',
      state: 'INSUFFICIENT_DATA',
      sinceMs: START_MS + 2_000,
    });
  });
});

describe('activity', () => {
  const DAY = 24 * HOUR_MS;

  test('The minutes in which the function moved messages follow from its state metric', async () => {
    const states = [0, 1, 2, 1, 3].map((value, minute) => ({ atMs: NOW + minute * MINUTE_MS, value }));
    const asked: unknown[] = [];
    const seen = await minutesSeenMoving(
      async (...all) => {
        asked.push(...all);
        return [states];
      },
      'Redrive',
      { fromMs: NOW, toMs: NOW + HOUR_MS },
    );
    expect(seen).toEqual([NOW + MINUTE_MS, NOW + 3 * MINUTE_MS]);
    const of = { namespace: 'DeadLetterOffice/Redrive', dimensions: { FunctionName: 'Redrive' } };
    expect(asked).toEqual([[{ ...of, name: 'RedriveState', statistic: 'Maximum' }], NOW, NOW + HOUR_MS]);
  });

  /** SQS lets a task run for 36 hours, and CloudWatch keeps one-minute values for 15 days: aws-semantics.md, section 9. */
  test.each<[string, number, object | undefined]>([
    ['of an hour ago', NOW - HOUR_MS + 1, { fromMs: NOW - HOUR_MS - DAY, toMs: NOW + MINUTE_MS }],
    ['of two days ago', NOW - 2 * DAY, { fromMs: NOW - 3 * DAY, toMs: NOW - 2 * DAY + 36 * HOUR_MS }],
    ['of a fortnight ago', NOW - 14 * DAY, { fromMs: NOW - 15 * DAY, toMs: NOW - 14 * DAY + 36 * HOUR_MS }],
    ['of more than a fortnight ago', NOW - 14 * DAY - 1, undefined],
  ])('Of a task %s is asked when it and those before it can have been under way', (_, startedAtMs, expected) => {
    expect(activeWithin([move({ startedAtMs }), move({ startedAtMs: 0 })], NOW)).toEqual(expected);
  });

  test('Without tasks nothing is asked', () => {
    expect([activeWithin([], NOW), recentlyActiveWithin([], NOW, SETTINGS)]).toEqual([undefined, undefined]);
  });

  test('Where all seems quiet, it is asked of a task that can have ended of late, however long ago its rate would have', () => {
    const started = (hours: number) =>
      move({ startedAtMs: NOW - hours * HOUR_MS, moved: 3_000, messagesPerSecond: 50 });
    expect(isIdleQueue({ nowMs: NOW, deadLetters: depth(0), tasks: [started(1)] }, SETTINGS)).toBe(true);
    // Twenty ticks, and nine minutes: three times three.
    const ofLate = { fromMs: NOW - 29 * MINUTE_MS, toMs: NOW + MINUTE_MS };
    expect(recentlyActiveWithin([started(1)], NOW, SETTINGS)).toEqual(ofLate);
    expect(recentlyActiveWithin([started(36)], NOW, SETTINGS)).toEqual(ofLate);
    expect(recentlyActiveWithin([started(37)], NOW, SETTINGS)).toBeUndefined();
  });

  describe('Where nobody can read when a task was under way', () => {
    const unread = (...tasks: ReturnType<typeof move>[]) => activeMoves(tasks, undefined, NOW, SETTINGS);

    test('one that may have ended of late is taken for having ended just now', () => {
      const older = move({ startedAtMs: NOW - 2 * HOUR_MS });
      expect(unread(move(), older)).toEqual([{ ...move(), activeAtMs: NOW }, older]);
    });

    test.each([
      ['one that goes on', move({ status: 'RUNNING' })],
      ['one that ended long ago', move({ startedAtMs: NOW - 2 * HOUR_MS })],
      ['a move pass, which has metrics of its own,', move({ carrier: 'copy' })],
    ])('%s is left as it is', (_, it) => {
      expect(unread(it)).toEqual([it]);
    });

    test('without any there is nothing to say', () => {
      expect(unread()).toEqual([]);
    });
  });
});

/** A CloudWatch with these values, minute by minute. */
function cloudWatch(figures: Readonly<Record<string, readonly MetricPoint[]>>): ReadMetrics {
  return async (asked, fromMs, toMs) =>
    asked.map(({ name }) => (figures[name] ?? []).filter(({ atMs }) => atMs >= fromMs && atMs < toMs));
}

const at = (minute: number, value: number): MetricPoint => ({ atMs: NOW + minute * MINUTE_MS, value });

const VISIBLE = 'ApproximateNumberOfMessagesVisible';
const IN_FLIGHT = 'ApproximateNumberOfMessagesNotVisible';

describe('What a queue held', () => {
  const held = (figures: Readonly<Record<string, readonly MetricPoint[]>>) =>
    messagesHeldAt(cloudWatch(figures), QUARANTINE, NOW + 30_000);

  test('is what its newest figures before that minute say', async () => {
    expect(await held({ [VISIBLE]: [at(-3, 7), at(-2, 5), at(0, 90)], [IN_FLIGHT]: [at(-2, 2)] })).toBe(7);
    expect(await held({ [VISIBLE]: [at(-2, 0)], [IN_FLIGHT]: [at(-2, 0)] })).toBe(0);
  });

  /** CloudWatch reports a queue that was idle up to 15 minutes late. So a missing value does not mean zero. */
  test('nobody knows where CloudWatch has no figure of it', async () => {
    expect(await held({})).toBeUndefined();
    expect(await held({ [VISIBLE]: [at(-11, 40), at(0, 40)] })).toBeUndefined();
  });
});

describe('What lay where failures end when a step began', () => {
  const atStart = (figures: Readonly<Record<string, readonly MetricPoint[]>>) =>
    failuresAtStart(cloudWatch(figures), 'Redrive', QUARANTINE, NOW + 30_000);

  test('is what this function said as it began the step, in that minute or the one before', async () => {
    for (const minute of [-1, 0]) {
      expect(await atStart({ FailuresAtStart: [at(minute, 40)], [VISIBLE]: [at(-1, 12)] })).toBe(40);
    }
    expect(await atStart({ FailuresAtStart: [at(-1, 3), at(0, 0)] })).toBe(0);
  });

  test('is what CloudWatch has where somebody else began it', async () => {
    const figures = { FailuresAtStart: [at(-2, 40), at(1, 50)], [VISIBLE]: [at(-1, 12)] };
    expect(await atStart(figures)).toBe(12);
  });

  test('nobody knows without either', async () => {
    expect(await atStart({})).toBeUndefined();
  });
});

describe('move passes', () => {
  const OF = {
    functionName: 'Redrive',
    functionTimeoutMs: 15 * MINUTE_MS,
    carrier: 'copy',
    destinationArn: ORDERS.arn,
  } as const;

  /** Metrics of minutes before now. */
  type MaybeKnown = Readonly<Record<string, Readonly<Record<number, number>>>>;

  async function rebuilt(reported: MaybeKnown) {
    const asked: MetricQuery[] = [];
    const read: ReadMetrics = async figures => {
      asked.push(...figures);
      return figures.map(({ name }) =>
        Object.entries(reported[name] ?? {})
          .map(([minutesAgo, value]) => ({ atMs: NOW - Number(minutesAgo) * MINUTE_MS, value }))
          .sort((one, other) => one.atMs - other.atMs),
      );
    };
    return { movePasses: await passFacts(read, OF, NOW - 24 * HOUR_MS, NOW), asked };
  }

  test('Move passes are read from the metrics of the minute in which they began, newest first', async () => {
    const { movePasses, asked } = await rebuilt({
      MovePassRate: { 30: 1, 20: 10 },
      MovePassToMove: { 30: 500, 20: 490 },
      MovePassMoved: { 30: 10, 20: 97 },
      MovePassQuarantined: { 20: 3 },
      MovePassReturned: { 20: 2 },
      MovePassEnd: { 30: 1, 20: 2 },
      MovePassSeconds: { 20: 400 },
    });
    const every = { carrier: 'copy', destinationArn: ORDERS.arn };
    expect(movePasses).toEqual([
      {
        ...every,
        status: 'CANCELLED',
        startedAtMs: NOW - 20 * MINUTE_MS,
        messagesPerSecond: 10,
        toMove: 490,
        moved: 97,
        setAside: 3,
        returned: 2,
        // 100 messages at 10 a second take ten seconds. This step took 400.
        activeAtMs: NOW - 20 * MINUTE_MS + 400_000,
      },
      {
        ...every,
        status: 'COMPLETED',
        startedAtMs: NOW - 30 * MINUTE_MS,
        messagesPerSecond: 1,
        toMove: 500,
        moved: 10,
        setAside: 0,
        returned: 0,
      },
    ]);
    expect(asked.map(({ namespace, dimensions }) => [namespace, dimensions])).toEqual(
      asked.map(() => ['DeadLetterOffice/Redrive', { FunctionName: 'Redrive' }]),
    );
  });

  /** Each metric that is read costs money: https://aws.amazon.com/cloudwatch/pricing/ */
  test('Where the function moved nothing itself, one figure is asked for', async () => {
    const { movePasses, asked } = await rebuilt({});
    expect([movePasses, asked.map(({ name }) => name)]).toEqual([[], ['MovePassRate']]);
  });

  test('A move pass without a reported end counts as running for Lambda’s maximum, then as interrupted', async () => {
    const { movePasses } = await rebuilt({ MovePassRate: { 17: 10, 18: 1, 5: 50 }, MovePassEnd: { 5: 4 } });
    expect(movePasses.map(({ status, moved }) => [status, moved])).toEqual([
      ['FAILED', 0],
      ['RUNNING', 0],
      ['PAUSED', 0],
    ]);
  });
});

describe('quiet', () => {
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
    ['a task that runs', look({ tasks: [move({ status: 'RUNNING', startedAtMs: NOW - 30 * HOUR_MS })] }), false],
    [
      'a task that is being cancelled',
      look({ tasks: [move({ status: 'CANCELLING', startedAtMs: NOW - 30 * HOUR_MS })] }),
      false,
    ],
    ['a task whose outcome is awaited', look({ tasks: [move({ startedAtMs: NOW - 20 * MINUTE_MS })] }), false],
    ['a task that has settled long ago', look({ tasks: [move({ startedAtMs: NOW - 2 * HOUR_MS })] }), true],
  ])('A tick that sees %s has nothing to do: %#', (_, seen, expected) => {
    expect(isIdleQueue(seen, SETTINGS)).toBe(expected);
  });

  test.each([
    ['that may move letters itself is asked once for what it moved', true, 1],
    ['that may not asks for no figure, of which each has its price', false, 0],
  ])('An idle function %s', async (_, mayMoveMessages, asked) => {
    const figures = jest.fn(async () => [[]]);
    const client = { region: 'us-east-1' };
    const clients = {
      sqs: new SQSClient(client),
      cloudWatch: new CloudWatchClient(client),
      figures,
      lambda: new LambdaClient(client),
      ssm: new SSMClient(client),
    };
    const { isQuiet: sees } = factReader(clients, { ...SETTINGS, mayMoveMessages }, 'Redrive', () => NOW);
    expect(await sees(look())).toBe(true);
    expect(figures).toHaveBeenCalledTimes(asked);
  });

  test('After a quiet tick, the next ones ask for the depth alone: until a message comes, a run is looked at, or settle has passed', async () => {
    const start = { place: EXAMPLE_PLACE, random: new Random('quiet'), startAtMs: NOW };
    const { timeline, network } = new Simulation(start).home;
    const config = clientConfig(network, EXAMPLE_PLACE);
    const sqs = new SQSClient(config);
    const asked: string[] = [];
    sqs.middlewareStack.add((next, { commandName }) => async args => {
      asked.push(commandName ?? '');
      return next(args);
    });
    const { QueueUrl = '' } = await sqs.send(new CreateQueueCommand({ QueueName: 'dead' }));
    const settings = { ...SETTINGS, mayMoveMessages: false, deadLetters: { ...SETTINGS.deadLetters, url: QueueUrl } };
    const clients = {
      sqs,
      cloudWatch: new CloudWatchClient(config),
      figures: async () => [[]],
      lambda: new LambdaClient(config),
      ssm: new SSMClient(config),
    };
    const reader = factReader(clients, settings, 'Redrive', () => timeline.nowMs);
    const seen = () => look({ nowMs: timeline.nowMs });
    const afterMinutes = async (minutes: number) => {
      await timeline.advanceTo(timeline.nowMs + minutes * MINUTE_MS);
      asked.length = 0;
      return [await reader.isStillQuiet(), ...asked];
    };
    const quiet = [true, 'GetQueueAttributesCommand'];
    expect(await afterMinutes(0)).toEqual([false]);

    expect(await reader.isQuiet(seen())).toBe(true);
    expect(await afterMinutes(1)).toEqual(quiet);
    expect(await afterMinutes(1)).toEqual(quiet);
    expect(await afterMinutes(1)).toEqual([false]);

    expect(await reader.isQuiet(seen())).toBe(true);
    await sqs.send(new SendMessageCommand({ QueueUrl, MessageBody: 'it failed' }));
    expect(await afterMinutes(1)).toEqual([false, 'GetQueueAttributesCommand']);
    await sqs.send(new PurgeQueueCommand({ QueueUrl }));

    expect(await reader.isQuiet(seen())).toBe(true);
    await reader.readAll(seen(), 'operator');
    expect(await afterMinutes(1)).toEqual([false]);

    expect(await reader.isQuiet(seen())).toBe(true);
    await sqs.send(new DeleteQueueCommand({ QueueUrl }));
    expect(await afterMinutes(1)).toEqual([false, 'GetQueueAttributesCommand']);
  });

  test('A runner that copies exists only if the function may move messages itself', () => {
    const ports = {
      sqs: new SQSClient({ region: 'us-east-1' }),
      lambda: new LambdaClient({ region: 'us-east-1' }),
      nowMs: () => NOW,
      wait: async () => {},
      writeMetrics: () => {},
    };
    expect(Object.keys(stepRunners({ ...SETTINGS, mayMoveMessages: true }, ports))).toEqual(['copy']);
    expect(Object.keys(stepRunners({ ...SETTINGS, mayMoveMessages: false }, ports))).toEqual([]);
  });

  /** The planner reports the end of a run whose messages are all gone before the ticks count the queue as quiet. */
  test('While a run has not been told of, no tick takes the queue for quiet', () => {
    for (const status of ['COMPLETED', 'CANCELLED', 'FAILED'] as const) {
      for (const moved of [1, 60, 3_000]) {
        const quietFrom = Array.from({ length: 24 * 60 }, (_, minute) => minute).find(minute =>
          isIdleQueue(
            look({ nowMs: NOW + minute * MINUTE_MS, tasks: [move({ startedAtMs: NOW, status, moved })] }),
            SETTINGS,
          ),
        );
        const at: Partial<RedriveFacts> = {
          nowMs: NOW + (quietFrom ?? Number.NaN) * MINUTE_MS,
          deadLetters: depth(0),
          destination: { depth: depth(0), deleted: moved },
          moves: [move({ startedAtMs: NOW, status, moved })],
          alarms: FACTS.alarms,
        };
        const { state, decision, run } = plan(at);
        expect([state, decision.kind]).toEqual(['idle', 'leave']);
        expect(run?.ending?.overAtMs).toBeLessThan((at.nowMs ?? 0) - MINUTE_MS);
      }
    }
  });
});
