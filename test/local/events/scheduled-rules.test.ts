import { ADMIN, EventsFixture, START_MS } from './events-fixture';

function scheduled(ScheduleExpression: string) {
  const aws = new EventsFixture();
  const queue = aws.queue('Ticks');
  const { RuleArn } = aws.events.call('PutRule', ADMIN, { Name: 'tick', ScheduleExpression });
  aws.events.call('PutTargets', ADMIN, { Rule: 'tick', Targets: [{ Id: 't', Arn: queue }] });
  const minutes = () => aws.happened('events.invoked').map(({ atMs }) => (atMs - START_MS) / 60_000);
  return { aws, queue, RuleArn, minutes };
}

describe('a rule with a schedule', () => {
  it('runs at its rate, from when it was put', async () => {
    const { aws, minutes } = scheduled('rate(5 minutes)');
    await aws.goTo(16 * 60);
    expect(minutes()).toEqual([5, 10, 15]);
  });

  it('sends the event AWS documents', async () => {
    const { aws, queue, RuleArn } = scheduled('cron(0 10 * * ? *)');
    await aws.goTo(24 * 3600);
    expect(aws.receive(queue)).toMatchObject([
      {
        json: {
          version: '0',
          'detail-type': 'Scheduled Event',
          source: 'aws.events',
          account: '123456789012',
          time: '2026-01-01T10:00:00Z',
          region: 'us-east-1',
          resources: [RuleArn],
          detail: {},
        },
      },
    ]);
  });

  it('lets the world come to rest between its times', async () => {
    const { aws, minutes } = scheduled('rate(1 minute)');
    await aws.settle();
    expect(minutes()).toEqual([]);
    expect(aws.timeline.nowMs).toBe(START_MS);
  });

  it('does not run while it is disabled, and counts anew when it is enabled', async () => {
    const { aws, minutes } = scheduled('rate(5 minutes)');
    await aws.goTo(6 * 60);
    aws.events.call('DisableRule', ADMIN, { Name: 'tick' });
    await aws.goTo(12 * 60);
    aws.events.call('EnableRule', ADMIN, { Name: 'tick' });
    await aws.goTo(18 * 60);
    expect(minutes()).toEqual([5, 17]);
  });

  it('is over when it is deleted', async () => {
    const { aws, minutes } = scheduled('rate(5 minutes)');
    aws.events.call('RemoveTargets', ADMIN, { Rule: 'tick', Ids: ['t'] });
    aws.events.call('DeleteRule', ADMIN, { Name: 'tick' });
    await aws.goTo(3600);
    expect(minutes()).toEqual([]);
    expect(aws.happened('events.rule-triggered')).toEqual([]);
  });

  it('put again runs by its new schedule alone', async () => {
    const { aws, minutes } = scheduled('rate(5 minutes)');
    aws.events.call('PutRule', ADMIN, { Name: 'tick', ScheduleExpression: 'rate(7 minutes)' });
    await aws.goTo(15 * 60);
    expect(minutes()).toEqual([7, 14]);
  });

  it('tried again is work the world does not rest before', async () => {
    const { aws, minutes } = scheduled('rate(1 minute)');
    aws.faults.set({ service: 'sqs', action: 'SendMessage', untilMs: START_MS + 150_000 });
    await aws.goTo(60);
    aws.events.call('DisableRule', ADMIN, { Name: 'tick' });
    await aws.settle();
    expect(minutes()).toEqual([1 + 127 / 60]);
  });
});
