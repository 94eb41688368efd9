import { Duration } from 'aws-cdk-lib';
import { response } from '../../../local';
import { DOWN, RelaySimulation, SHORT } from './relay-world';

/** Of three hours of retention a breaker goes through its queue each 22.5 minutes. */
test('What waits behind an open breaker has its whole schedule left, however often the breaker went through it (seed 98)', async () => {
  const circuitBreaker = { probeInterval: Duration.minutes(30) };
  const options = { ...SHORT, retentionPeriod: Duration.hours(3), circuitBreaker };
  const world = await RelaySimulation.deploy({ seed: 98, relay: () => options });
  world.partner.behave(DOWN);
  for (let minute = 0; minute < 3; minute += 1) {
    for (let index = 0; index < 12; index += 1) await world.publish(`early ${minute}.${index}`);
    await world.advance({ minutes: 1 });
  }
  await world.advance({ minutes: 7 });
  const waiting = new Set<string>();
  for (let index = 0; index < 30; index += 1) waiting.add(await world.publish(`waiting ${index}`));
  await world.advance({ minutes: 75 });
  const log = world.deployed.log(world.deployed.ref('Relay/Breaker/Log'));
  expect(log.filter(line => line.includes('"message":"expiring"')).length).toBeGreaterThanOrEqual(3);
  // A probe goes well, and then the first attempt of whatever waited does not.
  world.partner.behave({ reply: response(200), count: 1 }, { ...DOWN, count: 40 });
  await world.advance({ minutes: 45 });
  const ours = world.postedByMessage.filter(([first]) => waiting.has(first?.messageId ?? ''));
  expect(ours.map(posts => posts.map(({ status }) => status))).toEqual([...waiting].map(() => [503, 200]));
  expect((await world.books()).dead).toEqual({});
});
