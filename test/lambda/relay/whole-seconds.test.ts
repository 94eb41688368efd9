import { response } from '../../../local';
import { DeployedRelay } from './relay-fixture';

test('A relay that hides a message behind the rest of its batch has it back no sooner than the endpoint asked for', async () => {
  const relay = await DeployedRelay.deploy();
  await relay.disable();
  await relay.deployed.advance({ minutes: 1 });
  const busy = response(503, '', { 'retry-after': '20' }, { latencyMs: 250 });
  relay.host.behave(
    { reply: busy, count: 1 },
    { reply: response(200, '', {}, { latencyMs: 600 }), count: 1 },
    { reply: response(503), count: 1 },
  );
  await relay.publish('busy');
  await relay.publish('slow');
  await relay.enable();
  await relay.settle();
  const [first = Number.NaN, beside = Number.NaN, second = Number.NaN, third = Number.NaN] = relay.askedAt;
  expect(beside - first).toBeLessThan(0.25);
  // SQS hides for whole seconds only, and here it is asked a good while after the answer.
  expect(second - first).toBeGreaterThanOrEqual(0.25 + 20);
  expect(third - second).toBeGreaterThanOrEqual(20);
  expect(relay.requests).toHaveLength(4);
  // Each is the next attempt: none is made again for having come before its time.
  const attemptsOf = (bodies: string) =>
    relay.attempts.filter(({ notification }) => bodies.includes(String(notification['messageId'])));
  expect(attemptsOf(relay.bodies[0] ?? '').map(({ delivery }) => delivery['attempts'])).toEqual([1, 2, 3]);
  expect(relay.queued).toBe(0);
});
