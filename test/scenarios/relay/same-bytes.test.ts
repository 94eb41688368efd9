import { noAnswer, response, silence } from '../../../local';
import { RelaySimulation } from './relay-world';

/** Two hours of a relay with a breaker, whose endpoint fails as chance has it and whose function dies now and then. */
async function play(seed: number): Promise<string> {
  const world = await RelaySimulation.deploy({ seed, relay: () => ({ circuitBreaker: {}, maxReceivesPerSecond: 10 }) });
  const { chance, functionName, deployed } = world;
  const replies = [
    response(200),
    response(503),
    response(429, '', { 'Retry-After': '70' }),
    response(422),
    silence(),
    noAnswer(),
  ];
  world.partner.behave(
    ...Array.from({ length: 80 }, () => ({
      reply: replies[chance.integer(0, replies.length - 1)] ?? silence(),
      count: 1,
    })),
  );
  deployed.aws.interruptions.set({ functionName, how: 'exit', invocation: 9, afterRequests: 2, count: 2 });
  for (let index = 0; index < 60; index += 1) {
    await world.publish(`order ${index}`);
    await world.advance({ seconds: chance.integer(0, 60) });
  }
  await world.advance({ hours: 2 });
  return deployed.aws.trace.toJsonLines();
}

test('The same seed writes the same bytes of a relay, and another seed others', async () => {
  const [once, again, another] = [await play(71), await play(71), await play(72)];
  expect(again).toBe(once);
  expect(another).not.toBe(once);
  for (const type of ['lambda.batch-finished', 'sqs.visibility-changed', 'sqs.deleted', 'sqs.sent']) {
    expect(once).toContain(`"type":"${type}"`);
  }
});
