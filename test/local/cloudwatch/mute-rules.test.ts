import type { PutAlarmMuteRuleInput } from '@aws-sdk/client-cloudwatch';
import { readMuteSchedule } from '../../../local/cloudwatch/alarms/mute-rule';
import { cloudWatchResourceTypes } from '../../../local/cloudwatch/resources';
import { EXAMPLE_PLACE } from '../../../local/kernel/place';
import { MINUTE_MS } from '../../../policy/time-units';
import { createResource } from '../create-resource';
import { CloudWatchFixture, DEAD_LETTERS, OPS_TOPIC, START_MS } from './fixture';

const NAME = 'Dead-Letters';
const ONE_HOUR = { Expression: 'cron(0 1 * * *)', Duration: 'PT1H' };

/** An alarm that keeps its state without data, and notifies each change. It is OK. */
function withAlarm(): CloudWatchFixture {
  const fixture = new CloudWatchFixture();
  fixture.ask('PutMetricAlarm', { ...DEAD_LETTERS, OKActions: [OPS_TOPIC], TreatMissingData: 'ignore' });
  set(fixture, 'OK');
  fixture.notified.length = 0;
  return fixture;
}

function set(fixture: CloudWatchFixture, StateValue: 'OK' | 'ALARM' | 'INSUFFICIENT_DATA'): void {
  fixture.ask('SetAlarmState', { AlarmName: NAME, StateValue, StateReason: 'a test' });
}

function mute(fixture: CloudWatchFixture, rule: Partial<PutAlarmMuteRuleInput> = {}): void {
  fixture.ask('PutAlarmMuteRule', {
    Name: 'Night',
    Rule: { Schedule: ONE_HOUR },
    MuteTargets: { AlarmNames: [NAME] },
    ...rule,
  });
}

const toMinute = (fixture: CloudWatchFixture, minute: number) =>
  fixture.timeline.advanceTo(START_MS + minute * MINUTE_MS);

/** When the topic was notified, in minutes, of which state, and whether after a window. */
const notified = ({ notified: all }: CloudWatchFixture) =>
  all.map(({ atMs, message }) => {
    const { NewStateValue, ActionExecutedAfterMuteWindow } = JSON.parse(message);
    return [(atMs - START_MS) / MINUTE_MS, NewStateValue, ActionExecutedAfterMuteWindow];
  });

describe('An alarm that a rule mutes from 1:00 to 2:00', () => {
  test('notifies before and after the window, and not of what began and ended within it', async () => {
    const fixture = withAlarm();
    mute(fixture);
    await toMinute(fixture, 30);
    set(fixture, 'ALARM');
    set(fixture, 'OK');
    await toMinute(fixture, 70);
    set(fixture, 'ALARM');
    await toMinute(fixture, 80);
    set(fixture, 'OK');
    await toMinute(fixture, 130);
    set(fixture, 'ALARM');
    await toMinute(fixture, 140);
    expect(notified(fixture)).toEqual([
      [30, 'ALARM', false],
      [30, 'OK', false],
      [130, 'ALARM', false],
    ]);
    expect(fixture.trace.events.filter(({ type }) => type === 'cloudwatch.actions-muted')).toHaveLength(2);
  });

  test('notifies at the end of the window if it is still in that state', async () => {
    const fixture = withAlarm();
    mute(fixture);
    await toMinute(fixture, 70);
    set(fixture, 'ALARM');
    await toMinute(fixture, 119);
    expect(notified(fixture)).toEqual([]);
    await toMinute(fixture, 121);
    expect(notified(fixture)).toEqual([[120, 'ALARM', true]]);
    expect(fixture.events.filter(({ event }) => event.detailType === 'CloudWatch Alarm State Change')).toHaveLength(2);
  });

  test('notifies that it is OK again, if it was in ALARM before', async () => {
    const fixture = withAlarm();
    mute(fixture);
    set(fixture, 'ALARM');
    await toMinute(fixture, 70);
    set(fixture, 'OK');
    await toMinute(fixture, 121);
    expect(notified(fixture)).toEqual([
      [0, 'ALARM', false],
      [120, 'OK', true],
    ]);
  });

  test('notifies of the last of several states, and of none that it had before (assumption CW-21)', async () => {
    const fixture = withAlarm();
    mute(fixture);
    for (const [minute, state] of [
      [61, 'ALARM'],
      [62, 'INSUFFICIENT_DATA'],
      [63, 'ALARM'],
    ] as const) {
      await toMinute(fixture, minute);
      set(fixture, state);
    }
    await toMinute(fixture, 121);
    expect(notified(fixture)).toEqual([[120, 'ALARM', true]]);
    await toMinute(fixture, 1_440 + 61);
    set(fixture, 'OK');
    set(fixture, 'ALARM');
    await toMinute(fixture, 1_440 + 121);
    expect(notified(fixture)).toHaveLength(1);
  });

  test('stays muted until the last of overlapping windows ends', async () => {
    const fixture = withAlarm();
    mute(fixture);
    mute(fixture, { Name: 'Works', Rule: { Schedule: { Expression: 'at(2026-01-02T01:30)', Duration: 'PT2H' } } });
    await toMinute(fixture, 70);
    set(fixture, 'ALARM');
    await toMinute(fixture, 300);
    expect(notified(fixture)).toEqual([[210, 'ALARM', true]]);
  });

  test('is unmuted at once when the rule is deleted', async () => {
    const fixture = withAlarm();
    mute(fixture);
    await toMinute(fixture, 70);
    set(fixture, 'ALARM');
    await toMinute(fixture, 75);
    fixture.ask('DeleteAlarmMuteRule', { AlarmMuteRuleName: 'Night' });
    fixture.ask('DeleteAlarmMuteRule', { AlarmMuteRuleName: 'Night' });
    await toMinute(fixture, 76);
    expect(notified(fixture)).toEqual([[75, 'ALARM', true]]);
  });

  test('is not muted before the rule starts, nor after it expires', async () => {
    const fixture = withAlarm();
    mute(fixture, {
      StartDate: new Date(START_MS + 24 * 60 * MINUTE_MS),
      ExpireDate: new Date(START_MS + 25.5 * 60 * MINUTE_MS),
    });
    const status = () => fixture.ask('GetAlarmMuteRule', { AlarmMuteRuleName: 'Night' }).Status;
    await toMinute(fixture, 70);
    set(fixture, 'ALARM');
    expect(status()).toBe('SCHEDULED');
    await toMinute(fixture, 25 * 60 + 10);
    expect(status()).toBe('ACTIVE');
    set(fixture, 'OK');
    await toMinute(fixture, 25 * 60 + 40);
    expect(status()).toBe('EXPIRED');
    expect(notified(fixture)).toEqual([
      [70, 'ALARM', false],
      [25.5 * 60, 'OK', true],
    ]);
  });
});

describe('A mute rule', () => {
  test('is listed by alarm and status', () => {
    const fixture = withAlarm();
    mute(fixture, { Description: 'night', Tags: [{ Key: 'team', Value: 'ops' }] });
    expect(fixture.ask('GetAlarmMuteRule', { AlarmMuteRuleName: 'Night' })).toMatchObject({
      Name: 'Night',
      Description: 'night',
      Rule: { Schedule: ONE_HOUR },
      MuteTargets: { AlarmNames: [NAME] },
      MuteType: 'RECURRING',
    });
    const listed = (input: object) => fixture.ask('ListAlarmMuteRules', input).AlarmMuteRuleSummaries?.length;
    expect([listed({}), listed({ AlarmName: NAME }), listed({ AlarmName: 'Other' })]).toEqual([1, 1, 0]);
    expect([listed({ Statuses: ['ACTIVE'] }), listed({ Statuses: ['SCHEDULED'] })]).toEqual([0, 1]);
    expect(() => fixture.ask('GetAlarmMuteRule', { AlarmMuteRuleName: 'Other' })).toThrow('does not exist');
  });

  test.each([
    [{ Rule: { Schedule: { ...ONE_HOUR, Expression: 'rate(1 day)' } } }, /expression must be cron/],
    [{ Rule: { Schedule: { ...ONE_HOUR, Expression: 'cron(0 1 1 * SUN)' } } }, /with a \* for one of the days/],
    [{ Rule: { Schedule: { ...ONE_HOUR, Expression: 'cron(0/5 1 * * *)' } } }, /expression must be cron/],
    [
      { Rule: { Schedule: { ...ONE_HOUR, Duration: 'PT0M' } } },
      /duration must be an ISO 8601 duration from PT1M to P15D/,
    ],
    [{ Rule: { Schedule: { ...ONE_HOUR, Duration: 'P16D' } } }, /from PT1M to P15D/],
    [{ Rule: { Schedule: { ...ONE_HOUR, Duration: 'P' } } }, /from PT1M to P15D/],
    [{ Rule: { Schedule: { ...ONE_HOUR, Timezone: 'Mars/Base' } } }, /name of a time zone/],
    [{ MuteTargets: { AlarmNames: Array.from({ length: 101 }, (_, at) => `Alarm-${at}`) } }, /alarmNames/],
    [{ Name: '' }, /name/],
  ])('is refused with %j (assumption CW-22)', (rule, message) => {
    expect(() => mute(withAlarm(), rule)).toThrow(message);
  });

  test('numbers weekdays from 0 for Sunday (assumption CW-20)', async () => {
    const firstNight = async (expression: string) => {
      const fixture = withAlarm();
      mute(fixture, { Rule: { Schedule: { Expression: expression, Duration: 'PT1H' } } });
      await fixture.timeline.advanceTo(Date.parse('2026-01-04T22:30:00Z'));
      return fixture.ask('GetAlarmMuteRule', { AlarmMuteRuleName: 'Night' }).Status;
    };
    // The fourth of January 2026 is a Sunday.
    const found = await Promise.all(['0', 'SUN', '1', 'MON-SAT'].map(day => firstNight(`cron(0 22 * * ${day})`)));
    expect(found).toEqual(['ACTIVE', 'ACTIVE', 'SCHEDULED', 'SCHEDULED']);
    expect(readMuteSchedule({ expression: 'cron(0 22 * * 7)', duration: 'PT1H' })).toMatchObject({ kind: 'problem' });
  });

  test('is a resource, whose dates are local times of its time zone', () => {
    const { cloudWatch } = new CloudWatchFixture();
    const types = cloudWatchResourceTypes(cloudWatch, EXAMPLE_PLACE);
    const created = (given: object) => createResource(types, 'AWS::CloudWatch::AlarmMuteRule', { ...given });
    const properties = {
      Name: 'Weekend',
      Rule: { Schedule: { Expression: 'cron(0 22 * * FRI)', Duration: 'P2DT12H', Timezone: 'Europe/Berlin' } },
      MuteTargets: { AlarmNames: [NAME] },
      StartDate: '2026-07-01T00:00',
    };
    expect(created(properties).created.ref).toBe('arn:aws:cloudwatch:us-east-1:123456789012:alarm-mute-rule:Weekend');
    const { StartDate } = cloudWatch.call('GetAlarmMuteRule', cloudWatch.owner, { AlarmMuteRuleName: 'Weekend' });
    expect(StartDate?.toISOString()).toBe('2026-06-30T22:00:00.000Z');
    const wrong = { Name: 'Other', StartDate: 'soon', Rule: {} };
    expect(created({ ...properties, ...wrong }).problems).toEqual([
      expect.stringContaining('Schedule'),
      expect.stringContaining('StartDate must be a date and time'),
    ]);
  });
});
