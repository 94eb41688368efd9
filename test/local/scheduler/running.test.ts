import { ADMIN, SchedulerFixture, START_MS } from './scheduler-fixture';

const at = (text: string): Date => new Date(text);

describe('a schedule', () => {
  // "If you do not provide a StartDate for a rate-based schedule, your schedule starts invoking the target immediately."
  it('at a rate begins at once', async () => {
    const aws = new SchedulerFixture();
    aws.create('rate(5 minutes)');
    await aws.goTo(12);
    expect(aws.minutes()).toEqual([0, 5, 10]);
  });

  it('at a rate begins at its start, and ends at its end', async () => {
    const aws = new SchedulerFixture();
    aws.create('rate(5 minutes)', { StartDate: at('2026-01-01T00:03:00Z'), EndDate: at('2026-01-01T00:13:00Z') });
    await aws.goTo(60);
    expect(aws.minutes()).toEqual([3, 8, 13]);
  });

  it('by cron runs in its time zone', async () => {
    const aws = new SchedulerFixture();
    aws.create('cron(0 9 * * ? *)', { ScheduleExpressionTimezone: 'Asia/Tokyo' });
    await aws.goTo(30 * 60);
    expect(aws.minutes()).toEqual([24 * 60]);
  });

  it('skips in spring what the clocks leave out', async () => {
    const aws = new SchedulerFixture();
    const StartDate = at('2026-03-07T00:00:00Z');
    aws.create('cron(30 2 * * ? *)', { ScheduleExpressionTimezone: 'America/New_York', StartDate });
    await aws.timeline.advanceTo(Date.parse('2026-03-10T00:00:00Z'));
    const instants = aws.happened('scheduler.invoked').map(({ atMs }) => new Date(atMs).toISOString());
    expect(instants).toEqual(['2026-03-07T07:30:00.000Z', '2026-03-09T06:30:00.000Z']);
  });

  it('that happens once does so once, and stays', async () => {
    const aws = new SchedulerFixture();
    aws.create('at(2026-01-01T00:07:30)');
    await aws.goTo(60);
    expect(aws.minutes()).toEqual([7.5]);
    expect(aws.scheduler.call('GetSchedule', ADMIN, { Name: 'tick' })).toMatchObject({ ActionAfterCompletion: 'NONE' });
  });

  it('that happens once is deleted after it, if it is to', async () => {
    const aws = new SchedulerFixture();
    aws.create('at(2026-01-01T00:07:00)', { ActionAfterCompletion: 'DELETE' });
    await aws.goTo(60);
    expect(aws.minutes()).toEqual([7]);
    expect(aws.scheduler.call('ListSchedules', ADMIN, {})).toEqual({ Schedules: [] });
    expect(aws.happened('scheduler.schedule-deleted')).toMatchObject([{ cause: 'ActionAfterCompletion' }]);
  });

  it('that recurs is deleted after its last invocation, if it is to', async () => {
    const aws = new SchedulerFixture();
    aws.create('rate(5 minutes)', { EndDate: at('2026-01-01T00:11:00Z'), ActionAfterCompletion: 'DELETE' });
    await aws.goTo(60);
    expect(aws.minutes()).toEqual([0, 5, 10]);
    expect(aws.happened('scheduler.schedule-deleted')).toMatchObject([{ atMs: START_MS + 10 * 60_000 }]);
  });

  it('lets the world come to rest, whether it recurs or happens once', async () => {
    const aws = new SchedulerFixture();
    aws.create('rate(1 minute)', { StartDate: at('2026-01-01T00:01:00Z') });
    aws.create('at(2036-01-01T00:00:00)', { Name: 'once' });
    await aws.settle();
    expect(aws.timeline.nowMs).toBe(START_MS);
  });

  it('that is disabled does nothing until it is enabled', async () => {
    const aws = new SchedulerFixture();
    aws.create('rate(5 minutes)', { State: 'DISABLED' });
    await aws.goTo(7);
    const {
      Arn: _arn,
      CreationDate: _created,
      LastModificationDate: _modified,
      ...tick
    } = aws.scheduler.call('GetSchedule', ADMIN, { Name: 'tick' });
    const { Name, ScheduleExpression, Target, FlexibleTimeWindow } = tick;
    aws.scheduler.call('UpdateSchedule', ADMIN, {
      Name,
      ScheduleExpression,
      Target,
      FlexibleTimeWindow,
      State: 'ENABLED',
    });
    await aws.goTo(13);
    expect(aws.minutes()).toEqual([7, 12]);
  });

  it('that is deleted is over', async () => {
    const aws = new SchedulerFixture();
    aws.create('rate(5 minutes)');
    await aws.goTo(1);
    aws.scheduler.call('DeleteSchedule', ADMIN, { Name: 'tick' });
    await aws.goTo(60);
    expect(aws.minutes()).toEqual([0]);
  });

  it('is over with its group', async () => {
    const aws = new SchedulerFixture();
    aws.scheduler.call('CreateScheduleGroup', ADMIN, { Name: 'nightly' });
    aws.create('rate(5 minutes)', { GroupName: 'nightly' });
    await aws.goTo(1);
    aws.scheduler.call('DeleteScheduleGroup', ADMIN, { Name: 'nightly' });
    await aws.goTo(60);
    expect(aws.minutes()).toEqual([0]);
    expect(aws.happened('scheduler.schedule-deleted')).toMatchObject([{ cause: 'DeleteScheduleGroup' }]);
  });
});

describe('a flexible time window', () => {
  async function invocations(): Promise<readonly number[]> {
    const aws = new SchedulerFixture();
    aws.create('cron(0 * * * ? *)', { FlexibleTimeWindow: { Mode: 'FLEXIBLE', MaximumWindowInMinutes: 15 } });
    await aws.goTo(24 * 60 + 20);
    return aws.minutes();
  }

  it('has the target invoked at some moment in it', async () => {
    const minutes = await invocations();
    expect(minutes).toHaveLength(24);
    const delays = minutes.map((minute, i) => minute - (i + 1) * 60);
    expect(Math.min(...delays)).toBeGreaterThanOrEqual(0);
    expect(Math.max(...delays)).toBeLessThan(15);
    expect(new Set(delays).size).toBeGreaterThan(12);
  });

  it('is the same moment with the same seed', async () => {
    expect(await invocations()).toEqual(await invocations());
  });

  it('does not change the time the schedule tells', async () => {
    const aws = new SchedulerFixture();
    aws.create('at(2026-01-01T01:00:00)', {
      FlexibleTimeWindow: { Mode: 'FLEXIBLE', MaximumWindowInMinutes: 60 },
      Target: { Input: '{"at":"<aws.scheduler.scheduled-time>"}' },
    });
    await aws.goTo(3 * 60);
    expect(aws.invoked.map(({ input }) => input.Payload)).toEqual(['{"at":"2026-01-01T01:00:00Z"}']);
  });
});
