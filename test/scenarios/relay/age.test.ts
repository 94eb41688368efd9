import { LambdaClient, UpdateEventSourceMappingCommand } from '@aws-sdk/client-lambda';
import { RelaySimulation, SHORT } from './relay-world';

test('A message that is older than its schedule would have it be is told of, until it is delivered (seed 93)', async () => {
  const world = await RelaySimulation.deploy({ seed: 93, relay: () => SHORT });
  const { deployed } = world;
  const lambda = new LambdaClient(deployed.aws.clientConfig());
  const [mapping] = deployed.aws.services.lambda.mappings.all();
  const enable = (Enabled: boolean) =>
    lambda.send(new UpdateEventSourceMappingCommand({ UUID: mapping?.uuid, Enabled }));
  await enable(false);
  await world.advance({ minutes: 1 });
  const sentAt = deployed.seconds;
  await world.publish('order 1');
  await world.advance({ hours: 3 });
  const [alarmedAt = Number.NaN, ...others] = deployed.alarmed('Relay/Queue/AgeAlarm');
  expect(others).toEqual([]);
  // No sooner than a quarter of an hour and an invocation, which is longer than the schedule; the alarm looks each minute.
  expect(alarmedAt - sentAt).toBeGreaterThan(900 + 30);
  expect(alarmedAt - sentAt).toBeLessThanOrEqual(900 + 30 + 120);
  await enable(true);
  await world.advance({ minutes: 10 });
  expect(world.posted.map(({ isTaken }) => isTaken)).toEqual([true]);
  expect(deployed.rings('Relay/Queue/AgeAlarm').at(-1)?.to).toBe('OK');
});
