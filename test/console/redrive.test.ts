import { ListQueueTagsCommand, TagQueueCommand } from '@aws-sdk/client-sqs';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import { LEASE_TAG } from '../../account/changes/queue-lease';
import type { CallHandlers } from '../../console/server/calls';
import type { ConsoleContext } from '../../console/server/context';
import { redriveCalls } from '../../console/server/redrive/redrive-calls';
import { MovingRate } from '../../console/server/redrive/redrive-runs';
import { RedriveAccount } from '../bin/dlq/manual-redrive/redrive-account';
import { ownAndPlainQueues } from '../bin/dlq/messages-account';
import { contextOf } from './console-context';

const GROUP = 'dlo-audit';
const QUEUE = 'Test-Quiet';

describe('a redrive in the console', () => {
  let account: RedriveAccount;
  let context: ConsoleContext;
  let calls: Pick<CallHandlers, 'redrive/plan' | 'redrive/execute' | 'redrive/stop'>;

  beforeAll(async () => {
    account = await RedriveAccount.of(stack => {
      ownAndPlainQueues(stack);
      new LogGroup(stack, 'Audit', { logGroupName: GROUP });
    });
    context = contextOf(account, { auditLogGroup: GROUP });
    calls = redriveCalls(context);
  });

  afterEach(async () => {
    await context.runs.close();
    await account.deployed.advance({ minutes: 15 });
    await account.drain('Quiet');
  });

  const request = { queue: QUEUE, canary: 0, rate: 5 };
  const planned = async () => (await calls['redrive/plan'].run(request)).id;
  const execute = (plan: string, more = {}) => calls['redrive/execute'].run({ ...request, plan, ...more });
  const run = () => context.runs.of(account.deployed.arn('Quiet'));

  test('has the plan of the command, moves as it does, and is recorded', async () => {
    await account.sendMany('Quiet', 12);
    const plan = await calls['redrive/plan'].run(request);
    const typed = await account.json(`redrive ${QUEUE} --canary 0 --rate 5`);
    expect(plan).toMatchObject({
      id: typed.plan,
      risks: typed.risks.map(({ weight, says }: typeof typed) => ({ weight, says })),
    });
    expect(plan.command).toContain(`dlo dlq redrive ${QUEUE} --rate 5 --canary 0`);
    const before = account.deployed.log(GROUP).length;
    await execute(plan.id);
    expect(run()).toMatchObject({ step: expect.stringMatching(/rest|watching/), total: 12, outcome: null });
    await context.runs.settled();
    expect(run()).toMatchObject({
      step: 'ended',
      moved: 12,
      problem: null,
      outcome: { moved: 12, unsure: 0, inQueue: 0 },
    });
    const records = account.deployed
      .log(GROUP)
      .slice(before)
      .map(line => JSON.parse(line));
    expect(records).toMatchObject([
      { command: 'dlq redrive', plan: plan.id, phase: 'intent' },
      { phase: 'outcome', outcome: { moved: 12 } },
    ]);
  });

  test('begins once when two pages begin it at the same time, and the second is told', async () => {
    await account.sendMany('Quiet', 12);
    const plan = await planned();
    const results = await Promise.allSettled([execute(plan), execute(plan)]);
    expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected']);
    expect(results[1]).toMatchObject({ reason: { message: expect.stringContaining('another page has just started') } });
    await expect(execute(plan)).rejects.toThrow(/another page has already started|has changed/);
    await context.runs.settled();
    expect(run()).toMatchObject({ outcome: { moved: 12 } });
  });

  test('is refused when something has changed since it was planned', async () => {
    await account.sendMany('Quiet', 3);
    const plan = await planned();
    await account.sendMany('Quiet', 1);
    await expect(execute(plan)).rejects.toThrow(/nothing has been moved. Since 3-\S+ was planned, .*depth 3 → 4/);
    expect(account.depth('Quiet')).toEqual([4, 0]);
  });

  test('leaves a queue alone on which another command works, unless the user takes its lease over', async () => {
    await account.sendMany('Quiet', 3);
    const { sqs, aws } = account.deployed;
    const QueueUrl = account.deployed.ref('Quiet');
    const Tags = { [LEASE_TAG]: `other until ${new Date(aws.nowMs + 300_000).toISOString()} dlq purge` };
    await sqs.send(new TagQueueCommand({ QueueUrl, Tags }));
    const plan = await planned();
    await expect(execute(plan)).rejects.toThrow(/dlo dlq purge works on Test-Quiet/);
    expect(run()).toMatchObject({ step: 'ended', moved: 0, problem: { kind: 'failed' } });
    await execute(plan, { steal: true });
    await context.runs.settled();
    expect(run()).toMatchObject({
      outcome: { moved: 3 },
      events: [{ says: expect.stringContaining('took over') }, {}, {}],
    });
    expect(await sqs.send(new ListQueueTagsCommand({ QueueUrl }))).not.toHaveProperty(['Tags', LEASE_TAG]);
  });

  test('ends early when it is paused; the rest stays', async () => {
    await account.sendMany('Quiet', 40);
    await execute(await planned());
    await calls['redrive/stop'].run({ queue: QUEUE, isPause: true });
    await context.runs.settled();
    const { stopping, outcome } = run() ?? {};
    expect([stopping, outcome?.kind]).toEqual(['pause', 'interrupted']);
    expect((outcome?.moved ?? 0) + (outcome?.inQueue ?? 0)).toBe(40);
    await expect(calls['redrive/stop'].run({ queue: QUEUE, isPause: false })).rejects.toThrow('runs no redrive');
  });

  test.each([
    [{}, /queue must be a text, got nothing/],
    [{ queue: QUEUE, rate: '5' }, /rate must be a number, got "5"/],
    [{ queue: QUEUE, toString: 1 }, /toString is not known/],
    [{ queue: QUEUE, rate: 0 }, /--rate must be .* from 1 to 500/],
    [{ queue: QUEUE, filter: 'a[' }, /--filter/],
    [{ queue: 'nowhere' }, /nowhere/],
  ])('is not planned with %j', async (input, says) => {
    const call = calls['redrive/plan'];
    await expect((async () => call.run(call.read(input)))()).rejects.toThrow(says);
  });
});

describe('the rate of a redrive', () => {
  test('is that of the last seconds, and unknown while nothing moves', () => {
    const rate = new MovingRate();
    expect(rate.at(0)).toBeNull();
    for (let second = 0; second <= 60; second += 1)
      rate.add(second * 1_000, second < 30 ? second : 30 + (second - 30) * 5);
    expect(rate.at(60_000)).toBeCloseTo(5, 0);
    expect(rate.at(180_000)).toBeLessThan(1);
  });
});
