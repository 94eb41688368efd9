import { type Behaviour, response } from '../../../local';
import { relaySpending, type Spent } from '../../support/relay-spending';
import { RelaySimulation, type RelayWorldOptions, SHORT } from './relay-world';

const MESSAGES = 1_000;
const BATCH = 10;
const FAILING = MESSAGES / 20;

/** Every twentieth request meets with something else than the others. */
const oneIn20 = (status: number): readonly Behaviour[] =>
  Array.from({ length: FAILING }, () => [
    { reply: response(200), count: 19 },
    { reply: response(status), count: 1 },
  ]).flat();

/** Messages that came at once, as after an outage. */
async function play(behaviours: readonly Behaviour[], relay?: RelayWorldOptions['relay']) {
  const world = await RelaySimulation.deploy({ seed: 51, ...(relay && { relay }) });
  const { deployed, partner } = world;
  const spent = relaySpending(deployed.aws, deployed.ref('Relay/Role'), deployed.arn('Relay/Function'));
  partner.behave(...behaviours);
  const { sns } = deployed.aws.services;
  const TopicArn = deployed.ref('Orders');
  for (let i = 0; i < MESSAGES; i += 1) sns.call('Publish', sns.owner, { TopicArn, Message: `order ${i}` });
  await world.advance({ minutes: 10 });
  expect(world.queued).toBe(0);
  const taken = world.posted.filter(({ isTaken }) => isTaken).length;
  return { spent: spent(), requests: world.posted.length, taken };
}

/** https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/sqs-batch-api-actions.html */
describe('A thousand messages of a relay (seed 51)', () => {
  const batches = MESSAGES / BATCH;
  const healthy: Spent = {
    received: batches,
    receivedNothing: 5,
    deleted: batches,
    hidden: 0,
    deadLettered: 0,
    others: [],
    invocations: batches,
  };

  test('take a receive, a run and a delete for ten of them where all is well', async () => {
    expect(await play([])).toEqual({ spent: healthy, requests: MESSAGES, taken: MESSAGES });
  });

  test('take no more where a twentieth fails once, for they are tried again at once', async () => {
    expect(await play(oneIn20(503))).toEqual({ spent: healthy, requests: MESSAGES + FAILING, taken: MESSAGES });
  });

  test('take a call more for each batch with failures, and a receive, a run and a delete for each batch that comes back', async () => {
    const { spent, requests, taken } = await play(oneIn20(503), () => SHORT);
    // By its ceiling the relay has them fail one after the other, two or three a batch, and they come back as they went.
    const failed = { received: 120, deleted: 120, invocations: 120, hidden: 20 };
    expect({ requests, taken }).toEqual({ requests: MESSAGES + FAILING, taken: MESSAGES });
    expect(spent).toEqual({ ...healthy, ...failed, receivedNothing: 45 });
  });

  test('take one call for each that is refused: the one that sends it to the dead-letter queue', async () => {
    const { spent, requests, taken } = await play(oneIn20(422));
    expect({ requests, taken }).toEqual({ requests: MESSAGES, taken: MESSAGES - FAILING });
    expect(spent).toEqual({ ...healthy, deadLettered: FAILING });
  });
});
