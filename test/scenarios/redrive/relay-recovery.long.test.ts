import { Duration } from 'aws-cdk-lib';
import { Alarm } from 'aws-cdk-lib/aws-cloudwatch';
import type { HttpRelay } from '../../../lib';
import { DeployedRedrive } from '../../lambda/redrive/redrive-fixture';
import { closedBooks } from '../relay/relay-books';
import { DEAD, DOWN, RelaySimulation } from '../relay/relay-simulation';

const MAILBOX = 'ops@example.com';

/** Fires while the breaker of the relay is open. */
function stoppedAlarm(relay: HttpRelay): Alarm {
  const alarm = relay.node.findChild('StoppedAlarm');
  if (!(alarm instanceof Alarm)) throw new Error('the breaker has no such alarm');
  return alarm;
}

/** A message is dead after two attempts, before any breaker can open. */
const HASTY = {
  retryPolicy: { numRetries: 1, minDelayTarget: Duration.seconds(20), maxDelayTarget: Duration.seconds(20) },
  circuitBreaker: {},
};

describe('Once the breaker of a relay has closed again', () => {
  test.each([{ seed: 91 }])(
    'what had died before it opened goes home, and people hear of all of it: that it opened, what to do, and how it ended (seed $seed)',
    async ({ seed }) => {
      const world = await RelaySimulation.deploy({
        seed,
        relay: () => HASTY,
        more: ({ relay, ops }) => {
          const recoveryAlarms = [stoppedAlarm(relay)];
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
      await world.advance({ minutes: 40 });
      expect(redrive.tasks).toEqual([`1/s COMPLETED ${dead}`]);
      expect(await world.books()).toEqual(closedBooks(240));
      expect(world.queued).toBe(0);
      expect(deployed.rings('Relay/StoppedAlarm').map(({ to }) => to)).toEqual(['ALARM', 'OK']);
      const receipts = deployed.aws.recipients.receipts(MAILBOX);
      const reported = receipts.filter(({ subject = '' }) => /RelayStoppedAlarm|Moved \d/.test(subject));
      expect(reported.map(({ subject }) => subject)).toEqual([
        expect.stringMatching(/^ALARM: /),
        `Moved ${dead} dead letters: Test/Relay/Redrive`,
      ]);
      expect(reported[0]?.body).toMatch(/docs\/runbook\.md#[a-z-]+/);
    },
  );
});
