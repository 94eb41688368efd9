import { Duration } from 'aws-cdk-lib';
import { Alarm } from 'aws-cdk-lib/aws-cloudwatch';
import { AlarmSet, type HttpRelay } from '../../../lib';
import { DeployedRedrive } from '../../lambda/redrive/redrive-fixture';
import { closedBooks } from '../relay/relay-books';
import { DEAD, DOWN, RelaySimulation } from '../relay/relay-simulation';

const MAILBOX = 'ops@example.com';

/** The alarm of a relay that recovers once its endpoint does. */
function alarmOf(relay: HttpRelay, id: string): Alarm {
  const alarm = relay.node.findChild(id);
  if (!(alarm instanceof Alarm)) throw new Error(`the relay has no alarm ${id}`);
  return alarm;
}

/** A message is dead after two attempts, before any breaker can open. */
const HASTY = {
  retryPolicy: { numRetries: 1, minDelayTarget: Duration.seconds(20), maxDelayTarget: Duration.seconds(20) },
  circuitBreaker: {},
};

test.each([
  { seed: 91, alarms: AlarmSet.ESSENTIAL, alarm: 'EndpointFailingAlarm', hours: 2.5 },
  { seed: 91, alarms: AlarmSet.ALL, alarm: 'StoppedAlarm', hours: 1 },
])(
  'Once the breaker of a relay has closed again the dead letters from before it opened return once $alarm recovers, which reported the outage, and the result is reported (seed $seed)',
  async ({ seed, alarms, alarm, hours }) => {
    const world = await RelaySimulation.deploy({
      seed,
      relay: () => ({ ...HASTY, alarms }),
      more: ({ relay, ops }) => {
        const recoveryAlarms = [alarmOf(relay, alarm)];
        const steps = [{ messagesPerSecond: 1, messages: 10 }, { messagesPerSecond: 5 }];
        const settle = Duration.minutes(3);
        const terms = { steps, settle, messagesPerDay: 1_000 };
        relay.redriveDeadLetters('Redrive', { enabled: true, recoveryAlarms, ...terms, resultsTopic: ops });
      },
    });
    const { deployed } = world;
    const redrive = new DeployedRedrive(deployed, DEAD, 'Relay/Redrive');
    deployed.aws.confirmSubscription(MAILBOX);
    world.partner.behave({ ...DOWN, forMs: 1_800_000 });
    for (let minute = 0; minute < 30; minute += 1) {
      for (let order = 0; order < 8; order += 1) await world.publish(`order ${minute} ${order}`);
      await world.advance({ minutes: 1 });
    }
    // Messages that are not dead-lettered wait until the partner answers. Nothing is redriven meanwhile.
    const { dead } = redrive;
    expect(dead).toBeGreaterThan(10);
    expect([dead + world.queued, redrive.tasks]).toEqual([240, []]);
    await world.advance({ hours });
    expect(redrive.tasks).toEqual([`1/s COMPLETED ${dead}`]);
    expect(await world.books()).toEqual(closedBooks(240));
    expect(world.queued).toBe(0);
    expect(
      deployed
        .rings(`Relay/${alarm}`)
        .map(({ to }) => to)
        .slice(-2),
    ).toEqual(['ALARM', 'OK']);
    const receipts = deployed.aws.recipients.receipts(MAILBOX);
    const reported = receipts.filter(
      ({ subject = '' }) => subject.includes(`Relay${alarm}`) || /Moved \d/.test(subject),
    );
    expect(reported.map(({ subject }) => subject)).toEqual([
      expect.stringMatching(/^ALARM: /),
      `Moved ${dead} dead letters: Test/Relay/Redrive`,
    ]);
    expect(reported[0]?.body).toMatch(/docs\/runbook\.md#[a-z-]+/);
  },
);
