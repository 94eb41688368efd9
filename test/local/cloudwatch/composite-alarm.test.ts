import type { PutCompositeAlarmInput } from '@aws-sdk/client-cloudwatch';
import fc from 'fast-check';
import { alarmsIn, holds, parseAlarmRule } from '../../../local/cloudwatch/alarms/alarm-rule';
import { longDate } from '../../../local/cloudwatch/alarms/composite-alarm';
import { MINUTE_MS } from '../../../policy/time-units';
import { alarmArn, type CloudWatchFixture, describedAbove, drill, OPS_TOPIC, START_MS, worldUnder } from './fixture';

describe('composite alarm', () => {
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

    test.each([0, 1, 30, 50, 55, 59])(
      'tells every change, when children without data are set by hand from second %i of a minute on',
      async second => {
        const world = worldUnder('ALARM(Age) OR ALARM(Depth)', ['Age', 'Depth'], { OKActions: [OPS_TOPIC] });
        await world.timeline.advanceTo(START_MS + 10 * MINUTE_MS + second * 1_000);
        world.notified.length = 0;
        const drills = [
          ['Age', 'ALARM'],
          ['Depth', 'ALARM'],
          ['Age', 'OK'],
          ['Depth', 'OK'],
        ] as const;
        for (const [name, state] of drills) {
          drill(world, name, state);
          await world.timeline.advanceTo(world.timeline.nowMs + 5_000);
        }
        const told = world.notified.map(({ message }) => JSON.parse(message).NewStateReason.split(' at ')[0]);
        expect(told).toEqual([`${alarmArn('Age')} transitioned to ALARM`, `${alarmArn('Depth')} transitioned to OK`]);
        // Without another call the children are what their data says: they have none.
        drill(world, 'Age', 'ALARM');
        await world.advanceMinutes(2);
        expect(world.state('Age')).toBe('OK');
      },
    );

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

    test('put again, it keeps its state and is evaluated again', () => {
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

    test('is returned only when composite alarms are asked for, with its children and parents', () => {
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
      [
        'ActionsSuppressorWaitPeriod must not be null',
        { ActionsSuppressor: 'Age', ActionsSuppressorExtensionPeriod: 1 },
      ],
      [
        'ActionsSuppressorExtensionPeriod must not be null',
        { ActionsSuppressor: 'Age', ActionsSuppressorWaitPeriod: 1 },
      ],
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
});

describe('alarm rule', () => {
  describe('an alarm rule', () => {
    const STATES: Readonly<Record<string, 'OK' | 'ALARM' | 'INSUFFICIENT_DATA'>> = {
      a: 'ALARM',
      b: 'OK',
      c: 'INSUFFICIENT_DATA',
      'with space': 'ALARM',
      [alarmArn('a')]: 'ALARM',
    };

    test.each<[string, boolean]>([
      ['TRUE', true],
      ['FALSE', false],
      ['ALARM(a)', true],
      ['ALARM("a")', true],
      ['OK( b )', true],
      ['INSUFFICIENT_DATA(c)', true],
      ['ALARM(b)', false],
      ['ALARM(nobody)', false],
      ['ALARM(with space)', true],
      ['ALARM("with space")', true],
      [`ALARM(${alarmArn('a')})`, true],
      ['NOT ALARM(b)', true],
      ['NOT NOT ALARM(a)', true],
      // AND binds tighter than OR, NOT tighter than both
      ['TRUE OR TRUE AND FALSE', true],
      ['(TRUE OR TRUE) AND FALSE', false],
      ['NOT FALSE AND FALSE', false],
      ['NOT(FALSE AND FALSE)', true],
      ['ALARM(a)AND OK(b)', true],
      ['AT_LEAST(2, ALARM, (a, b, with space))', true],
      ['AT_LEAST(3, ALARM, (a, b, "with space"))', false],
      ['AT_LEAST(50%, NOT ALARM, (a, b, c))', true],
      ['AT_LEAST(1, OK, (a, c))', false],
    ])('%s is %s', (text, isTrue) => {
      expect(holds(parseAlarmRule(text), name => STATES[name])).toBe(isTrue);
    });

    test('names its alarms', () => {
      expect(alarmsIn(parseAlarmRule('ALARM(a) AND (OK(b) OR NOT AT_LEAST(1, OK, (c, "d")))'))).toEqual([
        'a',
        'b',
        'c',
        'd',
      ]);
    });

    const beginnings = "'(', 'NOT', AT_LEAST, TRUE or FALSE, ALARM, OK, or INSUFFICIENT_DATA";
    test.each([
      // recorded
      ['GARBAGE(not a rule', `Unsupported token 'GARBAGE' at char 0, must be: ${beginnings}`],
      ['ALARM(a) AND', `Unsupported token '' at char 12, must be: ${beginnings}`],
      ['ALARM(a) OK(b)', "Unsupported token 'OK' at char 9, must be: AND, OR, or the end of the rule"],
      ['ALARM()', "Unsupported token ')' at char 6, must be: the name or ARN of an alarm"],
      ['ALARM(a', "Unsupported token '' at char 7, must be: ')'"],
      ['AT_LEAST(many, ALARM, (a))', "Unsupported token 'many' at char 9, must be: a number or a percentage"],
      ['('.repeat(500), 'It is nested more than 100 deep'],
    ])('%s is none', (text, problem) => {
      expect(() => parseAlarmRule(text)).toThrow(
        expect.objectContaining({ code: 'ValidationError', message: `Error in AlarmRule [${problem}]` }),
      );
    });
  });

  test("any text of a rule is parsed, or rejected with AWS's text", () => {
    const part = fc.constantFrom(
      'ALARM(',
      'OK(',
      'AT_LEAST(',
      '2',
      '%',
      ',',
      'NOT',
      'AND',
      'OR',
      '(',
      ')',
      '"',
      'a b',
      'TRUE',
    );
    fc.assert(
      fc.property(fc.array(part, { maxLength: 15 }), parts => {
        let problem = '';
        try {
          parseAlarmRule(parts.join(' '));
        } catch (error) {
          problem = error instanceof Error ? error.message : 'something else';
        }
        expect(problem).toMatch(/^$|^Error in AlarmRule \[/);
      }),
    );
  });
});

describe('an actions suppressor', () => {
  const SUPPRESSED: Partial<PutCompositeAlarmInput> = {
    ActionsSuppressor: 'Maintenance',
    ActionsSuppressorWaitPeriod: 120,
    ActionsSuppressorExtensionPeriod: 180,
    OKActions: [OPS_TOPIC],
  };
  const quiet = (): CloudWatchFixture => {
    const world = worldUnder('ALARM(Age)', ['Age', 'Maintenance'], SUPPRESSED);
    world.notified.length = 0;
    return world;
  };
  const minutesOf = (world: CloudWatchFixture) =>
    world.notified.map(({ atMs, subject }) => [(atMs - START_MS) / MINUTE_MS, subject.split(':')[0]]);

  async function settled(): Promise<CloudWatchFixture> {
    const world = quiet();
    await world.advanceMinutes(10);
    world.notified.length = 0;
    return world;
  }

  test('is waited for before the alarm acts', async () => {
    const world = await settled();
    drill(world, 'Age', 'ALARM');
    expect(describedAbove(world)).toMatchObject({
      StateValue: 'ALARM',
      ActionsSuppressedBy: 'WaitPeriod',
      ActionsSuppressedReason: 'Actions suppressed by WaitPeriod',
    });
    // The child alarm evaluates its own data within the minute and is OK again, so nothing has changed.
    await world.advanceMinutes(5);
    expect(world.notified).toEqual([]);
    expect(describedAbove(world)?.ActionsSuppressedBy).toBeUndefined();
  });

  /** Keeps the child in ALARM, by data. */
  const keepBreaching = async (world: CloudWatchFixture, minutes: number): Promise<void> => {
    for (let minute = 0; minute < minutes; minute += 1) {
      world.report(1, 'Age');
      await world.advanceMinutes(1);
    }
  };

  test('that never comes lets the alarm act when the wait is over', async () => {
    const world = await settled();
    await keepBreaching(world, 4);
    expect(minutesOf(world)).toEqual([[13, 'ALARM']]);
  });

  test('in ALARM holds everything back, and lets go when its extension is over', async () => {
    const world = await settled();
    world.report(1, 'Age');
    world.report(1, 'Maintenance');
    await world.advanceMinutes(1);
    expect(describedAbove(world)).toMatchObject({ StateValue: 'ALARM', ActionsSuppressedBy: 'Alarm' });
    for (let minute = 0; minute < 5; minute += 1) {
      world.report(1, 'Maintenance');
      await keepBreaching(world, 1);
    }
    expect(world.notified).toEqual([]);
    await keepBreaching(world, 3);
    expect(world.state('Maintenance')).toBe('OK');
    expect(describedAbove(world)?.ActionsSuppressedBy).toBe('ExtensionPeriod');
    await keepBreaching(world, 10);
    const leftAtMs = world.trace.events.findLast(
      it => it.type === 'cloudwatch.alarm-state-changed' && it.alarmName === 'Maintenance',
    )?.atMs;
    expect(world.notified.map(({ atMs }) => atMs)).toEqual([(leftAtMs ?? 0) + 180_000]);
  });

  test('reports to EventBridge why the actions are suppressed', async () => {
    const world = await settled();
    drill(world, 'Age', 'ALARM');
    expect(world.events.at(-1)?.event.detail).toMatchObject({
      alarmName: 'Above',
      state: {
        value: 'ALARM',
        actionsSuppressedBy: 'WaitPeriod',
        actionsSuppressedReason: 'Actions suppressed by WaitPeriod',
      },
      previousState: { value: 'OK' },
      configuration: {
        alarmRule: 'ALARM(Age)',
        actionsSuppressor: 'Maintenance',
        actionsSuppressorWaitPeriod: 120,
        actionsSuppressorExtensionPeriod: 180,
      },
    });
    expect(world.trace.events.at(-1)).toMatchObject({ type: 'cloudwatch.actions-suppressed', by: 'WaitPeriod' });
  });

  test('cannot be deleted before the alarm', () => {
    expect(() => quiet().ask('DeleteAlarms', { AlarmNames: ['Maintenance'] })).toThrow('Cannot delete Maintenance');
  });
});
