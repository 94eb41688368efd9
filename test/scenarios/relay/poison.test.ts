import { LambdaClient, UpdateEventSourceMappingCommand } from '@aws-sdk/client-lambda';
import { response } from '../../../local';
import { MOVED_BY_SQS } from './dead-letters';
import { closedBooks } from './relay-books';
import { RelaySimulation, SHORT } from './relay-world';

/** Holds messages back while they are published, so that they come in one batch. */
async function setEnabled({ deployed: { aws } }: RelaySimulation, Enabled: boolean): Promise<void> {
  const [mapping] = aws.services.lambda.mappings.all();
  await new LambdaClient(aws.clientConfig()).send(
    new UpdateEventSourceMappingCommand({ UUID: mapping?.uuid, Enabled }),
  );
  await aws.advance({ minutes: 2 });
}

const batchSizes = ({ deployed }: RelaySimulation): readonly number[] =>
  deployed.happened('lambda.batch-received').map(({ messageIds }) => messageIds.length);

describe('One poison message', () => {
  test('of a batch of ten, which the endpoint refuses, dies alone and says why: the other nine are delivered (seed 31)', async () => {
    const world = await RelaySimulation.deploy({ seed: 31 });
    await setEnabled(world, false);
    for (let index = 0; index < 10; index += 1) await world.publish(`order ${index}`);
    world.partner.behave(
      { reply: response(200), count: 6 },
      { reply: response(422, 'no such vehicle class'), count: 1 },
    );
    await setEnabled(world, true);
    expect(batchSizes(world)).toEqual([10]);
    expect(await world.books()).toEqual(closedBooks(9, { refused: 1 }));
    expect(world.queued).toBe(0);
    expect(world.posted).toHaveLength(10);
    const [message] = world.dead.all;
    expect(message?.messageId).toBe(world.posted.find(({ status }) => status === 422)?.messageId);
    expect(message?.attributes).toMatchObject({
      DeadLetterCause: 'refused',
      DeadLetterReason: 'the endpoint refuses it (422)',
      AttemptsSpent: '1',
      LastStatusCode: '422',
    });
  });

  test('that no relay can read dies alone too, untried (seed 32)', async () => {
    const world = await RelaySimulation.deploy({ seed: 32 });
    await setEnabled(world, false);
    for (let index = 0; index < 9; index += 1) await world.publish(`order ${index}`);
    await world.deployed.send('Relay/Queue', '{"Type":"Notification","MessageId":"by hand"}');
    await setEnabled(world, true);
    expect(batchSizes(world)).toEqual([10]);
    expect(await world.books()).toEqual(closedBooks(9));
    expect(world.queued).toBe(0);
    expect(world.dead.all).toMatchObject([{ cause: 'not-an-envelope', attributes: { AttemptsSpent: '0' } }]);
  });
});

/**
 * Nothing in a message makes the bundle crash that we know of, so the fault is set from outside: whoever runs the function
 * with the first message of the group finds it dead.
 */
describe('One message with which the process dies, time and again,', () => {
  test('is moved to the dead-letter queue by SQS, and its group goes on (seed 33)', async () => {
    // By its pace the first request waits for a moment, and is never sent.
    const relay = () => ({ ...SHORT, fifo: true, maxReceivesPerSecond: 10 });
    const world = await RelaySimulation.deploy({ seed: 33, relay });
    const { functionName } = world;
    // Three retries need four receives; ten more are for accidents.
    const receives = 4 + 10;
    world.deployed.aws.interruptions.set({ functionName, how: 'exit', count: receives });
    for (const message of ['poison', 'second', 'third']) await world.publish(message, 'customer-7');
    await world.advance({ hours: 2 });
    expect(await world.books()).toEqual(closedBooks(2, { [MOVED_BY_SQS]: 1 }));
    expect(world.queued).toBe(0);
    expect(world.posted.map(({ message }) => message)).toEqual(['second', 'third']);
    expect(world.dead.all.map(({ message }) => message)).toEqual(['poison']);
    expect(world.deployed.happened('sqs.dead-lettered').map(({ receiveCount }) => receiveCount)).toEqual([receives]);
    expect(world.deployed.alarmed('Relay/ErrorsAlarm').length).toBeGreaterThan(0);
  });
});
