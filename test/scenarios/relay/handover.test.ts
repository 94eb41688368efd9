import type { Stack } from 'aws-cdk-lib';
import { Queue } from 'aws-cdk-lib/aws-sqs';
import { DeadLetterQueue, DurableTopic, HttpRelay, OpsTopic, RelayEndpoint } from '../../../lib';
import { response } from '../../../local';
import { Deployed } from '../../support/deployed';
import { closedBooks } from './relay-books';
import { DOWN, HOST, type RelayParts, RelaySimulation, URL } from './relay-world';

const OUTAGE = { hours: 5 } as const;
const OUTAGE_MS = OUTAGE.hours * 3_600_000;

const messagesTo = ({ aws }: Deployed, host: string, isTaken: (status: number) => boolean): readonly string[] =>
  aws
    .endpoint(host)
    .requests.filter(({ reply, headers }) => {
      const isNotification = headers['x-amz-sns-message-type'] === 'Notification';
      return isNotification && reply.kind === 'response' && isTaken(reply.status);
    })
    .map(({ body }): string => JSON.parse(Buffer.from(body).toString('utf8')).Message);

describe('What SNS gives up', () => {
  test('goes on in a relay that is told to retry with, and arrives when the endpoint is back (seed 101)', async () => {
    const deployed = await Deployed.stack(
      (stack: Stack) => {
        const alarmActions = [new OpsTopic(stack, 'Ops', { email: 'ops@example.com' })];
        const endpoint = RelayEndpoint.fromUrl(URL);
        const relay = new HttpRelay(stack, 'Relay', { endpoint, alarmActions, circuitBreaker: { enabled: false } });
        new DurableTopic(stack, 'Orders', { alarmActions }).deliverToEndpoint('Partner', URL, { retryWith: relay });
      },
      { seed: 101 },
    );
    deployed.aws.confirmSubscription(URL);
    deployed.aws.endpoint(HOST).behave({ ...DOWN, untilMs: deployed.aws.nowMs + OUTAGE_MS });
    const orders = Array.from({ length: 12 }, (_, index) => `order ${index}`);
    for (const order of orders) {
      await deployed.publish('Orders', order);
      await deployed.advance({ minutes: 30 });
    }
    await deployed.advance({ hours: 2 });
    // SNS's own four attempts in a minute, and what the relay makes of the ten that failed in all of them.
    expect(deployed.happened('sns.dead-lettered')).toHaveLength(10);
    expect(deployed.happened('sns.lost')).toEqual([]);
    expect([...messagesTo(deployed, HOST, status => status === 200)].sort()).toEqual([...orders].sort());
    expect(await deployed.take('Relay/Queue')).toEqual([]);
    expect(await deployed.take('Relay/Queue/DeadLetterQueue')).toEqual([]);
  });

  test('and already lies in a dead-letter queue of its own is moved into a relay’s queue, and arrives (seed 102)', async () => {
    const native = 'https://native.example.com/orders';
    // SQS moves from a queue that some queue names as its dead-letter queue, and a subscription of SNS is none.
    const more = ({ stack, topic }: RelayParts) => {
      const deadLetterQueue = new DeadLetterQueue(stack, 'Letters', { watchUnattended: false });
      const redrive = { queue: deadLetterQueue, maxReceiveCount: 1 };
      deadLetterQueue.anchoredBy(new Queue(stack, 'Anchor', { deadLetterQueue: redrive }));
      topic.deliverToEndpoint('Native', native, { deadLetterQueue });
    };
    const world = await RelaySimulation.deploy({ seed: 102, more });
    const { aws } = world.deployed;
    aws.confirmSubscription(native);
    // The relay's endpoint has every order at once; what SNS gave up of its own subscription comes to it once more.
    aws.endpoint('native.example.com').behave({ reply: response(503) });
    for (let index = 0; index < 12; index += 1) await world.publish(`order ${index}`);
    await world.advance({ minutes: 10 });
    expect(await world.books()).toEqual(closedBooks(12));
    expect(world.deployed.happened('sns.dead-lettered')).toHaveLength(12);
    await world.moveBack('Letters');
    await world.advance({ minutes: 10 });
    expect(world.deployed.happened('sqs.move-task-ended')).toMatchObject([{ status: 'COMPLETED', messagesMoved: 12 }]);
    expect(await world.books()).toEqual({ ...closedBooks(12), repeated: 12 });
    expect(world.queued).toBe(0);
    expect(await world.deployed.take('Letters')).toEqual([]);
    // The envelope names the subscription it was meant for: receivers verify it as they do any other.
    const subscriptions = new Set(world.posted.map(({ headers }) => headers['x-amz-sns-subscription-arn']));
    expect(subscriptions.size).toBe(2);
  });
});
