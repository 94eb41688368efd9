import type { PutCompositeAlarmInput } from '@aws-sdk/client-cloudwatch';
import { longDate } from '../../../local/cloudwatch/alarms/composite/long-date';
import { alarmArn, describedAbove, drill, OPS_TOPIC, START_MS, worldUnder } from './fixture';

describe('a composite alarm', () => {
  test('is evaluated as soon as it is made, and says so in recorded words', () => {
    const world = worldUnder('ALARM(Age) OR ALARM("Depth")', ['Age', 'Depth']);
    const alarm = describedAbove(world);
    expect(alarm).toMatchObject({
      StateValue: 'OK',
      StateReason: `${alarmArn('Above')} was created and its alarm rule evaluates to OK`,
      AlarmRule: 'ALARM(Age) OR ALARM("Depth")',
      AlarmActions: [OPS_TOPIC],
    });
    const timestamp = '2026-01-02T00:00:00.000+0000';
    expect(JSON.parse(alarm?.StateReasonData ?? '')).toEqual({
      triggeringAlarms: [
        { arn: alarmArn('Age'), state: { value: 'INSUFFICIENT_DATA', timestamp } },
        { arn: alarmArn('Depth'), state: { value: 'INSUFFICIENT_DATA', timestamp } },
      ],
    });
  });

  test('changes with its children, and publishes what is recorded of AWS, key by key', () => {
    const world = worldUnder('ALARM(Age) OR ALARM("Depth")', ['Age', 'Depth']);
    drill(world, 'Depth', 'ALARM');
    const reason = `${alarmArn('Depth')} transitioned to ALARM at Friday 02 January, 2026 00:00:00 UTC`;
    expect(describedAbove(world)).toMatchObject({ StateValue: 'ALARM', StateReason: reason });
    const [{ subject, message } = { subject: '', message: '{}' }] = world.notified;
    expect(subject).toBe('ALARM: "Above" in US East (N. Virginia)');
    const published = JSON.parse(message);
    expect(Object.keys(published)).toEqual([
      'AlarmName',
      'AlarmDescription',
      'AWSAccountId',
      'NewStateValue',
      'NewStateReason',
      'StateChangeTime',
      'Region',
      'AlarmArn',
      'OKActions',
      'AlarmActions',
      'InsufficientDataActions',
      'OldStateValue',
      'AlarmRule',
      'TriggeringChildren',
    ]);
    expect(published).toMatchObject({
      NewStateReason: reason,
      OldStateValue: 'OK',
      TriggeringChildren: [
        { Arn: alarmArn('Depth'), State: { Value: 'ALARM', Timestamp: '2026-01-02T00:00:00.000+0000' } },
      ],
    });
    drill(world, 'Age', 'ALARM');
    drill(world, 'Depth', 'OK');
    expect(describedAbove(world)?.StateValue).toBe('ALARM');
    drill(world, 'Age', 'OK');
    expect(describedAbove(world)?.StateValue).toBe('OK');
    expect(world.notified).toHaveLength(1);
  });

  test('follows a metric alarm that looks for itself, and another composite alarm', async () => {
    const world = worldUnder('ALARM(NumberOfMessagesSent)', ['NumberOfMessagesSent']);
    world.ask('PutCompositeAlarm', { AlarmName: 'Top', AlarmRule: 'NOT OK(Above)', OKActions: [OPS_TOPIC] });
    world.report(1);
    await world.advanceMinutes(1);
    expect(world.state('Top')).toBe('ALARM');
    await world.advanceMinutes(30);
    expect(world.state('Top')).toBe('OK');
    expect(world.notified.map(({ subject }) => subject.split(' in ')[0])).toEqual([
      'OK: "Top"',
      'ALARM: "Above"',
      'OK: "Top"',
    ]);
  });

  test('set by hand, it stays so until a child changes, and names no children', () => {
    const world = worldUnder('ALARM(Age)', ['Age']);
    drill(world, 'Above', 'ALARM');
    expect(JSON.parse(world.notified[0]?.message ?? '{}')).toMatchObject({
      NewStateReason: 'a drill',
      TriggeringChildren: [],
    });
    drill(world, 'Age', 'OK');
    expect(describedAbove(world)?.StateValue).toBe('OK');
  });

  test('put again, it keeps its state and is evaluated anew', () => {
    const world = worldUnder('ALARM(Age)', ['Age', 'Depth']);
    drill(world, 'Depth', 'ALARM');
    world.ask('PutCompositeAlarm', { AlarmName: 'Above', AlarmRule: 'ALARM(Depth)' });
    expect(describedAbove(world)).toMatchObject({
      StateValue: 'ALARM',
      StateReason: `${alarmArn('Above')} was updated and its alarm rule evaluates to ALARM`,
    });
    drill(world, 'Age', 'ALARM');
    drill(world, 'Depth', 'OK');
    expect(describedAbove(world)?.StateValue).toBe('OK');
  });

  test("keeps its children from being deleted, by AWS's text", () => {
    const world = worldUnder('ALARM(Age)', ['Age', 'Depth']);
    expect(() => world.ask('DeleteAlarms', { AlarmNames: ['Depth', 'Age'] })).toThrow(
      'Cannot delete Age as there are composite alarm(s) depending on it.',
    );
    expect(world.state('Depth')).toBe('INSUFFICIENT_DATA');
    world.ask('DeleteAlarms', { AlarmNames: ['Age', 'Above'] });
    expect(world.state('Above')).toBeUndefined();
  });

  test('is told of only when composite alarms are asked for, with its children and parents', () => {
    const world = worldUnder('ALARM(Age)', ['Age', 'Depth']);
    const ask = (input: object) => {
      const { MetricAlarms = [], CompositeAlarms = [] } = world.ask('DescribeAlarms', input);
      return [...MetricAlarms, ...CompositeAlarms];
    };
    expect(ask({}).map(({ AlarmName }) => AlarmName)).toEqual(['Age', 'Depth']);
    expect(ask({ ChildrenOfAlarmName: 'Above' })).toEqual([
      {
        AlarmName: 'Age',
        AlarmArn: alarmArn('Age'),
        StateValue: 'INSUFFICIENT_DATA',
        StateUpdatedTimestamp: new Date(START_MS),
      },
    ]);
    expect(ask({ ParentsOfAlarmName: 'Age' })).toEqual([{ AlarmName: 'Above', AlarmArn: alarmArn('Above') }]);
    expect(() => ask({ ParentsOfAlarmName: 'Age', StateValue: 'OK' })).toThrow('take no other parameter');
  });

  test.each<[string, Partial<PutCompositeAlarmInput>]>([
    // recorded
    [
      `Could not save the composite alarm as alarms [${alarmArn('Nobody')}] in the alarm rule do not exist`,
      { AlarmRule: 'ALARM(Age) OR ALARM(Nobody)' },
    ],
    [
      'A composite alarm cannot have a child relation with itself via its AlarmRule, as it would introduce a circular dependency',
      { AlarmRule: `ALARM("${alarmArn('Above')}")` },
    ],
    [
      'A composite alarm cannot have a child relation with itself via its AlarmRule, as it would introduce a circular dependency',
      { AlarmRule: 'OK(Higher)' },
    ],
    ['ActionsSuppressorWaitPeriod must not be null', { ActionsSuppressor: 'Age', ActionsSuppressorExtensionPeriod: 1 }],
    ['ActionsSuppressorExtensionPeriod must not be null', { ActionsSuppressor: 'Age', ActionsSuppressorWaitPeriod: 1 }],
    ['ActionsSuppressorWaitPeriod requires an ActionSuppressor', { ActionsSuppressorWaitPeriod: 1 }],
    [
      'ActionsSuppressor must be a valid CloudWatch Alarm ARN or an Alarm name',
      {
        ActionsSuppressor: 'arn:aws:s3:::bucket',
        ActionsSuppressorWaitPeriod: 1,
        ActionsSuppressorExtensionPeriod: 1,
      },
    ],
    ['There is a metric alarm of the name Age', { AlarmName: 'Age', AlarmRule: 'TRUE' }],
  ])('is refused: %s', (message, input) => {
    const world = worldUnder('ALARM(Age)', ['Age']);
    world.ask('PutCompositeAlarm', { AlarmName: 'Higher', AlarmRule: 'ALARM(Above)' });
    expect(() => world.ask('PutCompositeAlarm', { AlarmName: 'Above', AlarmRule: 'ALARM(Age)', ...input })).toThrow(
      expect.objectContaining({ code: 'ValidationError', message }),
    );
  });
});

test('a reason gives the day as AWS spells it out (recorded)', () => {
  expect(longDate(Date.parse('2022-07-22T15:57:45.394Z'))).toBe('Friday 22 July, 2022 15:57:45 UTC');
  expect(longDate(Date.parse('2022-11-06T17:43:53Z'))).toBe('Sunday 06 November, 2022 17:43:53 UTC');
});
