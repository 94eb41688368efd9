import { Duration, type Stack } from 'aws-cdk-lib';
import { DurableTopic } from '../../../lib';
import { Ledger } from '../../../local';
import { assemblyOfStack } from '../../support/assembly';
import { closedBooks } from './relay-books';
import { DOWN, type RelayParts, RelaySimulation, URL } from './relay-world';

const NATIVE_HOST = 'native.example.com';
const NATIVE = `https://${NATIVE_HOST}/orders`;

const HOUR_MS = 3_600_000;
const OUTAGE_MS = 26 * HOUR_MS;

/** The most SNS does for an endpoint: 100 retries within an hour. */
function nativeSubscription({ topic }: RelayParts): void {
  const every = Duration.seconds(36);
  const healthyRetryPolicy = { numRetries: 100, minDelayTarget: every, maxDelayTarget: every };
  topic.deliverToEndpoint('Native', NATIVE, { deliveryPolicy: { healthyRetryPolicy } });
}

/** The most of them that lie within any minute. */
function mostInAMinute(atMs: readonly number[]): number {
  return Math.max(...atMs.map(from => atMs.filter(at => at >= from && at < from + 60_000).length));
}

describe('While a partner is down for 26 hours', () => {
  test.each([{ seed: 1 }])(
    'SNS’s own subscription gives up each order after an hour, and the relay delivers every one (seed $seed)',
    async ({ seed }) => {
      const world = await RelaySimulation.deploy({ seed, more: nativeSubscription });
      const { aws } = world.deployed;
      aws.confirmSubscription(NATIVE);
      const untilMs = aws.nowMs + OUTAGE_MS;
      for (const host of [world.partner, aws.endpoint(NATIVE_HOST)]) host.behave({ ...DOWN, untilMs });
      // One each hour, the last two once the partner is back.
      for (let hour = 0; hour < 28; hour += 1) {
        await world.publish(`order ${hour}`);
        await world.advance({ hours: 1 });
      }
      await world.advance({ minutes: 10 });

      const [native] = Ledger.of(aws.trace.events)
        .accounts(world.deployed.ref('Orders'))
        .filter(({ endpoint }) => endpoint === NATIVE);
      // The order of the 26th hour had its last retry left when the partner came back.
      expect(native).toMatchObject({ published: 28, delivered: 3, lost: 0, underWay: 0 });
      expect(Object.values(native?.deadLettered ?? {})).toEqual([25]);

      expect(await world.books()).toEqual(closedBooks(28));
      expect([world.queued, await world.metric('Delivered'), await world.metric('Dead')]).toEqual([0, 28, 0]);
      // Nothing was ever late: jitter alone moves an hourly retry by six minutes, and 26 of them by more than 15.
      expect(world.deployed.alarmed('Relay/LatenessAlarm')).toEqual([]);
      // 26 were waiting: each comes back when it is due, and not all at once.
      const back = world.posted.filter(({ atMs }) => atMs >= untilMs).map(({ atMs }) => atMs);
      expect(back).toHaveLength(28);
      expect(mostInAMinute(back)).toBeLessThanOrEqual(4);
    },
  );

  test.each([{ seed: 1 }])(
    'a FIFO relay holds each customer’s orders back, and then delivers them in order (seed $seed)',
    async ({ seed }) => {
      const world = await RelaySimulation.deploy({ seed, relay: () => ({ fifo: true }) });
      const { aws } = world.deployed;
      const customers = ['a', 'b', 'c'];
      world.partner.behave({ ...DOWN, untilMs: aws.nowMs + OUTAGE_MS });
      for (let hour = 0; hour < 27; hour += 1) {
        for (const customer of customers) await world.publish(`${customer}${hour}`, customer);
        await world.advance({ hours: 1 });
      }
      await world.advance({ hours: 2 });
      expect(await world.books()).toEqual(closedBooks(81));
      expect(world.queued).toBe(0);
      const taken = world.posted.filter(({ isTaken }) => isTaken).map(({ message }) => message);
      for (const customer of customers) {
        const inOrder = Array.from({ length: 27 }, (_, hour) => `${customer}${hour}`);
        expect(taken.filter(message => message.startsWith(customer))).toEqual(inOrder);
      }
      // While the first of each group waits, no other of it is tried at all.
      const failed = world.posted.filter(({ isTaken }) => !isTaken).map(({ message }) => message);
      expect(new Set(failed)).toEqual(new Set(['a0', 'b0', 'c0']));
    },
  );
});

/** https://docs.aws.amazon.com/sns/latest/dg/fifo-message-delivery.html: queues only, of SQS. */
test('Without a relay a FIFO topic has no way to an endpoint at all: SNS delivers it to queues alone', () => {
  const subscribing = (stack: Stack) => {
    new DurableTopic(stack, 'Orders', { fifo: true }).deliverToEndpoint('Native', URL);
  };
  expect(() => assemblyOfStack(subscribing)).toThrow(/fifo/i);
});
