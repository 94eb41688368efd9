import type { PutCompositeAlarmInput } from '@aws-sdk/client-cloudwatch';
import { type CloudWatchFixture, describedAbove, drill, MINUTE_MS, OPS_TOPIC, START_MS, worldUnder } from './fixture';

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
    // The child looks at its own data within the minute, and is OK again: nothing has happened.
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

  test('tells EventBridge why the alarm does not act', async () => {
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
