import { Duration } from 'aws-cdk-lib';
import type { AttemptRecord } from '../../../lambda/relay/attempt-record';
import { closedBooks } from './relay-books';
import { DOWN, RelaySimulation } from './relay-world';

const MINUTE_MS = 60_000;

const latenessAlarmThreshold = Duration.minutes(2);

describe('Lateness', () => {
  test('of what the breaker lets through one by one tells nobody: that the relay is stopped does (seed 91)', async () => {
    const relay = () => ({ circuitBreaker: {}, latenessAlarmThreshold });
    const world = await RelaySimulation.deploy({ seed: 91, relay });
    world.partner.behave({ ...DOWN, untilMs: world.deployed.aws.nowMs + 90 * MINUTE_MS });
    for (let minute = 0; minute < 90; minute += 1) {
      for (let i = 0; i < 10; i += 1) await world.publish(`order ${minute} ${i}`);
      await world.advance({ minutes: 1 });
    }
    await world.advance({ hours: 2 });
    const records = world.attempts.filter((it): it is AttemptRecord => 'relay' in it);
    const late = records.filter(it => it.relay.latenessMs > latenessAlarmThreshold.toMilliseconds());
    expect(late.length).toBeGreaterThan(100);
    expect(world.deployed.alarmed('Relay/LatenessAlarm')).toEqual([]);
    expect(world.deployed.alarmed('Relay/StoppedAlarm')).toHaveLength(1);
    expect(await world.books()).toEqual(closedBooks(900));
  });

  test('of a relay that cannot send as fast as messages come in does, its breaker closed (seed 92)', async () => {
    const relay = () => ({ circuitBreaker: {}, latenessAlarmThreshold, maxReceivesPerSecond: 1 });
    const world = await RelaySimulation.deploy({ seed: 92, relay });
    for (let i = 0; i < 1_500; i += 1) await world.publish(`order ${i}`);
    await world.advance({ hours: 1 });
    expect(world.deployed.alarmed('Relay/LatenessAlarm')).toHaveLength(1);
    expect(world.deployed.alarmed('Relay/StoppedAlarm')).toEqual([]);
    expect(await world.books()).toEqual(closedBooks(1_500));
  });
});
