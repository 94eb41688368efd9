import { StartMessageMoveTaskCommand } from '@aws-sdk/client-sqs';
import { Duration, type Stack } from 'aws-cdk-lib';
import { BackoffFunction, type DeliveryPolicy } from 'aws-cdk-lib/aws-sns';
import { DeadLetterQueue, DurableTopic, HttpRelay, OpsTopic, ProcessingQueue, RelayEndpoint } from '../../lib';
import { type Behaviour, response } from '../../local';
import { Deployed } from '../support/deployed';

/** The policy of AWS's own page: 3 immediate retries, 2 before the backoff, 10 in it and 35 after it. */
const SAMPLE_POLICY: DeliveryPolicy = {
  healthyRetryPolicy: {
    minDelayTarget: Duration.seconds(1),
    maxDelayTarget: Duration.seconds(60),
    numRetries: 50,
    numNoDelayRetries: 3,
    numMinDelayRetries: 2,
    numMaxDelayRetries: 35,
    backoffFunction: BackoffFunction.EXPONENTIAL,
  },
  throttlePolicy: { maxReceivesPerSecond: 10 },
  requestPolicy: { headerContentType: 'application/json' },
};

test('deliver to endpoint: deliverToEndpoint keeps to the delivery policy of AWS’s sample: 1 + 50 attempts at 3 + 2 + 10 + 35 delays', async () => {
  const deployed = await Deployed.stack(
    stack =>
      void new DurableTopic(stack, 'Orders').deliverToEndpoint('Partner', 'https://partner.example.com/orders', {
        deliveryPolicy: SAMPLE_POLICY,
      }),
  );
  await deployed.aws.runUntilIdle();
  deployed.aws.services.sns.confirm('https://partner.example.com/orders');
  const endpoint = deployed.aws.endpoint('partner.example.com');
  endpoint.behave({ reply: response(503) });
  const before = endpoint.requests.length;
  await deployed.publish('Orders', '{"a":1}');
  await deployed.aws.runUntilIdle();
  const requests = endpoint.requests.slice(before);
  expect(requests[0]?.headers['content-type']).toBe('application/json');
  const delays = requests.slice(1).map(({ atMs }, index) => (atMs - (requests[index]?.atMs ?? 0)) / 1_000);
  expect(delays).toHaveLength(50);
  expect(delays.slice(0, 5)).toEqual([0, 0, 0, 1, 1]);
  expect(delays.slice(15)).toEqual(Array(35).fill(60));
  // Exponential: each delay is twice the one before, from 1 second to 60.
  const backoff = delays.slice(5, 15);
  expect([backoff[0], backoff.at(-1)]).toEqual([1, 60]);
  const steps = backoff.slice(1).map((delay, index) => delay - (backoff[index] ?? 0));
  for (const [index, step] of steps.slice(1).entries()) expect(step / (steps[index] ?? 0)).toBeCloseTo(2, 1);
  const bodies = new Set(requests.map(({ body }) => Buffer.from(body).toString('utf8')));
  expect(await deployed.take('Orders/Deliveries/Partner/DeadLetterQueue')).toEqual([...bodies]);
});

const HOST = 'partner.example.com';
const URL = `https://${HOST}/orders`;
const DOWN: Behaviour = { reply: response(503) };
const RELAY_DEAD = 'Relay/Queue/DeadLetterQueue';

/** SNS itself gives up within a minute. */
const SHORT = { healthyRetryPolicy: { numRetries: 1, minDelayTarget: Duration.seconds(20) } };

function relayIn(stack: Stack): HttpRelay {
  const alarmActions = [new OpsTopic(stack, 'Ops', { email: 'ops@example.com' })];
  return new HttpRelay(stack, 'Relay', { endpoint: RelayEndpoint.fromUrl(URL), alarmActions });
}

/** Adds a topic that delivers to a partner, and a relay for the messages that SNS gives up on. */
function handingOver(stack: Stack): void {
  const retryWith = relayIn(stack);
  new DurableTopic(stack, 'Orders').deliverToEndpoint('Partner', URL, { retryWith, deliveryPolicy: SHORT });
}

async function confirmed(fill: (stack: Stack) => void): Promise<Deployed> {
  const deployed = await Deployed.stack(fill);
  await deployed.advance({ seconds: 10 });
  deployed.aws.confirmSubscription(URL);
  return deployed;
}

const arrivedAt = (deployed: Deployed, text: string) =>
  deployed.aws.endpoint(HOST).requests.filter(({ body }) => Buffer.from(body).toString('utf8').includes(text));

describe('A relay that goes on where SNS gives up', () => {
  test('delivers what SNS would have left in a dead-letter queue, once the endpoint is back', async () => {
    const deployed = await confirmed(handingOver);
    deployed.aws.endpoint(HOST).behave(DOWN);
    const messageId = await deployed.publish('Orders', 'order 7');
    await deployed.advance({ hours: 3 });
    expect(await deployed.take(RELAY_DEAD)).toEqual([]);
    deployed.aws.endpoint(HOST).behave();
    const failed = arrivedAt(deployed, 'order 7').length;
    await deployed.advance({ minutes: 70 });
    const [delivered, ...again] = arrivedAt(deployed, 'order 7').slice(failed);
    expect(again).toEqual([]);
    expect(JSON.parse(Buffer.from(delivered?.body ?? []).toString('utf8'))).toMatchObject({
      MessageId: messageId,
      Message: 'order 7',
    });
  });

  test('costs nothing where SNS delivers by itself', async () => {
    const deployed = await confirmed(handingOver);
    await deployed.publish('Orders', 'order 7');
    await deployed.advance({ minutes: 5 });
    expect(arrivedAt(deployed, 'order 7')).toHaveLength(1);
    expect(await deployed.functionSum('Relay/Function', 'Invocations')).toBe(0);
  });

  test('takes dead letters of before by a move task, where some queue names theirs', async () => {
    const deployed = await confirmed(stack => {
      relayIn(stack);
      const messages = new DeadLetterQueue(stack, 'Letters', { watchUnattended: false });
      messages.anchoredBy(
        new ProcessingQueue(stack, 'Anchor', { deadLetterQueue: { queue: messages, maxReceiveCount: 5 } }),
      );
      new DurableTopic(stack, 'Orders').deliverToEndpoint('Partner', URL, {
        deadLetterQueue: messages,
        deliveryPolicy: SHORT,
      });
    });
    deployed.aws.endpoint(HOST).behave(DOWN);
    await deployed.publish('Orders', 'order 7');
    await deployed.advance({ minutes: 5 });
    deployed.aws.endpoint(HOST).behave();
    const failed = arrivedAt(deployed, 'order 7').length;
    const SourceArn = deployed.arn('Letters');
    const DestinationArn = deployed.arn('Relay/Queue');
    await deployed.sqs.send(new StartMessageMoveTaskCommand({ SourceArn, DestinationArn }));
    await deployed.advance({ minutes: 5 });
    expect(arrivedAt(deployed, 'order 7').slice(failed)).toHaveLength(1);
    expect(await deployed.take('Letters')).toEqual([]);
  });
});
