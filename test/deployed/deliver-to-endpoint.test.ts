import { StartMessageMoveTaskCommand } from '@aws-sdk/client-sqs';
import { Duration, type Stack } from 'aws-cdk-lib';
import { BackoffFunction, type DeliveryPolicy, Topic } from 'aws-cdk-lib/aws-sns';
import { UrlSubscription } from 'aws-cdk-lib/aws-sns-subscriptions';
import {
  AlarmDefaults,
  AlarmSet,
  DeadLetterQueue,
  DurableTopic,
  type EndpointDeliveryOptions,
  HttpRelay,
  OpsTopic,
  ProcessingQueue,
  RelayEndpoint,
} from '../../lib';
import { type Behaviour, type OutsideEndpoint, type ReceivedRequest, type Reply, response } from '../../local';
import { assemblyOfStack } from '../support/assembly';
import { Deployed } from '../support/deployed';

describe('deliver to endpoint', () => {
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

  const DELIVERIES: Readonly<Record<string, EndpointDeliveryOptions>> = {
    Sample: { deliveryPolicy: SAMPLE_POLICY },
    Default: {},
    Forbidden: { deliveryPolicy: SAMPLE_POLICY },
    Silent: {},
    Slow: {},
    Raw: { rawMessageDelivery: true },
    Throttled: { deliveryPolicy: { throttlePolicy: { maxReceivesPerSecond: 2 } } },
    Alarmed: {},
    Unconfirmed: {},
  };

  const hostOf = (id: string) => `${id.toLowerCase()}.example.com`;
  const deadLetters = (id: string) => `${id}/Deliveries/Partner/DeadLetterQueue`;
  const textOf = ({ body }: ReceivedRequest) => Buffer.from(body).toString('utf8');
  const isNotification = ({ headers }: ReceivedRequest) => headers['x-amz-sns-message-type'] === 'Notification';

  describe('deliverToEndpoint', () => {
    let deployed: Deployed;

    beforeAll(async () => {
      deployed = await Deployed.stack(stack => {
        AlarmDefaults.of(stack).use(AlarmSet.ALL);
        for (const [id, options] of Object.entries(DELIVERIES)) {
          new DurableTopic(stack, id).deliverToEndpoint('Partner', `https://${hostOf(id)}/orders`, options);
        }
      });
      await deployed.aws.runUntilIdle();
      for (const id of Object.keys(DELIVERIES)) {
        if (id !== 'Unconfirmed') deployed.aws.services.sns.confirm(`https://${hostOf(id)}/orders`);
      }
    });

    const endpoint = (id: string): OutsideEndpoint => deployed.aws.endpoint(hostOf(id));

    /** Publishes to an endpoint with these behaviours. Returns its requests after SNS has finished. */
    const publish = async (id: string, message: string, ...behaviours: Behaviour[]) => {
      endpoint(id).behave(...behaviours);
      const before = endpoint(id).requests.length;
      const publishedAtMs = deployed.aws.nowMs;
      const messageId = await deployed.publish(id, message);
      await deployed.aws.runUntilIdle();
      const requests = endpoint(id).requests.slice(before);
      const atSeconds = requests.map(({ atMs }) => (atMs - publishedAtMs) / 1_000);
      return { messageId, requests, atSeconds, publishedAtMs };
    };

    const always = (reply: Reply): Behaviour => ({ reply });

    test('keeps to the delivery policy of AWS’s sample: 1 + 50 attempts at 3 + 2 + 10 + 35 delays', async () => {
      const { messageId, requests, atSeconds, publishedAtMs } = await publish(
        'Sample',
        '{"a":1}',
        always(response(503)),
      );
      const delays = requests.slice(1).map(({ atMs }, index) => (atMs - (requests[index]?.atMs ?? 0)) / 1_000);
      expect(delays).toHaveLength(50);
      expect(delays.slice(0, 5)).toEqual([0, 0, 0, 1, 1]);
      expect(delays.slice(15)).toEqual(Array(35).fill(60));
      // Exponential: each delay is twice the one before, from 1 second to 60.
      const backoff = delays.slice(5, 15);
      expect([backoff[0], backoff.at(-1)]).toEqual([1, 60]);
      const steps = backoff.slice(1).map((delay, index) => delay - (backoff[index] ?? 0));
      for (const [index, step] of steps.slice(1).entries()) expect(step / (steps[index] ?? 0)).toBeCloseTo(2, 1);

      const [message, ...others] = await deployed.take(deadLetters('Sample'));
      expect(others).toEqual([]);
      expect(message).toBe(requests.map(textOf)[0]);
      expect(new Set(requests.map(textOf)).size).toBe(1);
      expect(deployed.happened('sns.dead-lettered').find(it => it.messageId === messageId)).toMatchObject({
        attempts: 51,
        cause: { kind: 'retries-exhausted', statusCode: 503 },
        atMs: publishedAtMs + (atSeconds.at(-1) ?? 0) * 1_000,
      });
    });

    test('sends the headers AWS sends, with the content type of the policy', async () => {
      const { messageId, requests } = await publish('Sample', '{"a":1}');
      expect(requests).toHaveLength(1);
      expect(requests[0]).toMatchObject({ method: 'POST', protocol: 'https', path: '/orders' });
      expect(requests[0]?.headers).toMatchObject({
        'x-amz-sns-message-type': 'Notification',
        'x-amz-sns-message-id': messageId,
        'x-amz-sns-topic-arn': deployed.ref('Sample'),
        'x-amz-sns-subscription-arn': deployed.ref('Sample/Deliveries/Partner/Subscription'),
        'content-type': 'application/json',
        'user-agent': 'Amazon Simple Notification Service Agent',
        'accept-encoding': 'gzip,deflate',
      });
      expect(JSON.parse(requests.map(textOf)[0] ?? '')).toMatchObject({ MessageId: messageId, Message: '{"a":1}' });
    });

    test('without a policy tries three times more, 20 seconds apart, as plain text', async () => {
      const { atSeconds, requests } = await publish('Default', 'x', always(response(500)));
      expect(atSeconds).toEqual([0, 20, 40, 60]);
      expect(requests[0]?.headers['content-type']).toBe('text/plain; charset=UTF-8');
      expect(await deployed.take(deadLetters('Default'))).toEqual([textOf(requests[0] as ReceivedRequest)]);
    });

    test('stops retrying as soon as the endpoint takes it', async () => {
      const { atSeconds } = await publish('Default', 'x', { reply: response(500), count: 2 });
      expect(atSeconds).toEqual([0, 20, 40]);
      expect(await deployed.take(deadLetters('Default'))).toEqual([]);
    });

    test.each([400, 403, 404, 410, 301])('gives up at once when the endpoint answers %i', async status => {
      const { requests, messageId } = await publish('Forbidden', 'x', always(response(status, 'no')));
      expect(requests).toHaveLength(1);
      expect(deployed.happened('sns.dead-lettered').at(-1)).toMatchObject({
        messageId,
        attempts: 1,
        cause: { kind: 'client-error', statusCode: status },
      });
      expect(await deployed.take(deadLetters('Forbidden'))).toEqual([textOf(requests[0] as ReceivedRequest)]);
    });

    test('429 is retried like a server error', async () => {
      const { atSeconds } = await publish('Default', 'x', always(response(429)));
      expect(atSeconds).toEqual([0, 20, 40, 60]);
      expect(await deployed.take(deadLetters('Default'))).toHaveLength(1);
    });

    /** The developer guide's own example: with a timeout of 15 s and a delay of 20 s, attempts start 35 s apart. */
    test('waits 15 seconds for a silent endpoint, and then for the delay', async () => {
      const { atSeconds } = await publish('Silent', 'x', always({ kind: 'silence' }));
      expect(atSeconds).toEqual([0, 35, 70, 105]);
      expect(deployed.happened('sns.dead-lettered').at(-1)?.cause).toMatchObject({ kind: 'retries-exhausted' });
    });

    test.each([
      { latencyMs: 14_999, attempts: 1 },
      { latencyMs: 15_000, attempts: 4 },
    ])('an answer after $latencyMs ms means $attempts attempts', async ({ latencyMs, attempts }) => {
      const late: Reply = { kind: 'response', status: 200, headers: {}, body: new Uint8Array(), latencyMs };
      const { requests } = await publish('Slow', 'x', always(late));
      expect(requests).toHaveLength(attempts);
    });

    test.each(['ECONNREFUSED', 'ENOTFOUND', 'CERT_HAS_EXPIRED'] as const)('retries after %s', async code => {
      const { atSeconds } = await publish('Slow', 'x', always({ kind: 'no-answer', code }));
      expect(atSeconds).toEqual([0, 20, 40, 60]);
    });

    test('delivers the message alone where raw delivery is asked for, dead letter included', async () => {
      const order = '{"orderId":"A-1","customer":"Zoë"}';
      const { requests } = await publish('Raw', order, always(response(403)));
      expect(requests.map(textOf)).toEqual([order]);
      expect(requests[0]?.headers['x-amz-sns-rawdelivery']).toBe('true');
      expect(await deployed.take(deadLetters('Raw'))).toEqual([order]);
    });

    test('paces itself to maxReceivesPerSecond on average', async () => {
      endpoint('Throttled').behave();
      const before = endpoint('Throttled').requests.length;
      const startMs = deployed.aws.nowMs;
      for (let i = 0; i < 20; i += 1) await deployed.publish('Throttled', String(i));
      await deployed.aws.runUntilIdle();
      const at = endpoint('Throttled')
        .requests.slice(before)
        .map(({ atMs }) => (atMs - startMs) / 1_000);
      expect(at).toHaveLength(20);
      const inSecond = (second: number) => at.filter(seconds => Math.floor(seconds) === second).length;
      expect(Math.max(...[...Array(12).keys()].map(inSecond))).toBeLessThanOrEqual(4);
      expect(at.at(-1)).toBeGreaterThanOrEqual(9);
      expect(at.at(-1)).toBeLessThanOrEqual(10);
    });

    test('raises the arrivals alarm of its dead-letter queue, which is OK again by itself', async () => {
      await publish('Alarmed', 'x', always(response(403)));
      const sentAt = deployed.seconds;
      await deployed.advance({ minutes: 30 });
      const rings = deployed.rings(`${deadLetters('Alarmed')}/ArrivalsAlarm`);
      const [fired, over, ...others] = rings.filter(({ seconds }) => seconds >= sentAt);
      expect([fired?.to, over?.to, others]).toEqual(['ALARM', 'OK', []]);
      expect((fired?.seconds ?? Number.NaN) - sentAt).toBeLessThanOrEqual(60);
      // The alarm evaluates twenty periods, and CloudWatch reads a few more. It stays in ALARM while the breaching one is among them.
      const minutes = ((over?.seconds ?? Number.NaN) - (fired?.seconds ?? 0)) / 60;
      expect(minutes).toBeGreaterThanOrEqual(20);
      expect(minutes).toBeLessThanOrEqual(30);
    });

    test('sends nothing until the endpoint has followed the link it was sent', async () => {
      const { requests } = endpoint('Unconfirmed');
      expect(requests).toHaveLength(1);
      const [asked] = requests as [ReceivedRequest];
      expect(asked.headers).toMatchObject({
        'x-amz-sns-message-type': 'SubscriptionConfirmation',
        'content-type': 'text/plain; charset=UTF-8',
      });
      expect(asked.headers).not.toHaveProperty('x-amz-sns-subscription-arn');
      expect((await publish('Unconfirmed', 'too early')).requests).toEqual([]);

      const { SubscribeURL } = JSON.parse(textOf(asked));
      expect((await deployed.aws.request('GET', SubscribeURL)).status).toBe(200);
      const { requests: after } = await publish('Unconfirmed', 'in time');
      expect(after.filter(isNotification).map(request => JSON.parse(textOf(request)).Message)).toEqual(['in time']);
    });
  });

  describe('a URL subscription of plain aws-cdk-lib', () => {
    test('loses what the endpoint does not take', async () => {
      const deployed = await Deployed.stack(stack => {
        AlarmDefaults.of(stack).use(AlarmSet.ALL);
        new Topic(stack, 'Orders').addSubscription(new UrlSubscription('https://partner.example.com/orders'));
      });
      await deployed.aws.runUntilIdle();
      deployed.aws.services.sns.confirm('https://partner.example.com/orders');
      deployed.aws.endpoint('partner.example.com').behave({ reply: response(403) });
      await deployed.publish('Orders', 'x');
      await deployed.aws.runUntilIdle();
      expect(deployed.happened('sns.lost')).toMatchObject([{ attempts: 1, cause: { statusCode: 403 } }]);
    });

    const retries = (numRetries: number, seconds: number): DeliveryPolicy => ({
      healthyRetryPolicy: {
        minDelayTarget: Duration.seconds(seconds),
        maxDelayTarget: Duration.seconds(seconds),
        numRetries,
      },
    });

    test.each([
      { what: '100 retries, an hour apart', deliveryPolicy: retries(100, 3_600), says: /3,?600/ },
      {
        what: 'phases that hold more than numRetries',
        deliveryPolicy: { healthyRetryPolicy: { ...retries(3, 20).healthyRetryPolicy, numNoDelayRetries: 4 } },
        says: /numRetries must be greater than or equal to total/,
      },
      {
        what: 'a content type SNS does not send',
        deliveryPolicy: { requestPolicy: { headerContentType: 'text/html' } },
        says: /headerContentType/,
      },
    ])('synthesizes $what, which neither SNS nor DurableTopic accepts', async ({ deliveryPolicy, says }) => {
      const url = 'https://partner.example.com/orders';
      const plain = (stack: Stack) =>
        void new Topic(stack, 'Orders').addSubscription(new UrlSubscription(url, { deliveryPolicy }));
      await expect(Deployed.stack(plain)).rejects.toThrow(says);
      expect(() =>
        assemblyOfStack(
          stack => void new DurableTopic(stack, 'Orders').deliverToEndpoint('Partner', url, { deliveryPolicy }),
        ),
      ).toThrow(/deliveryPolicy\./);
    });
  });
});

describe('retry with relay', () => {
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
});
