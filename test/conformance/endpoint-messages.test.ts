import { createVerify, X509Certificate } from 'node:crypto';
import { ConfirmSubscriptionCommand, SubscribeCommand } from '@aws-sdk/client-sns';
import { DeployedFunction } from './deployed-function';
import { HttpEndpoint, type MessageType } from './http-endpoint';
import { embeddedRow, row, Target } from './target';
import { deliveryPolicy, openQueue, Topic } from './topic';

type Envelope = Readonly<Record<string, string>>;

const NOTIFICATION = ['Message', 'MessageId', 'Subject', 'Timestamp', 'TopicArn', 'Type'];
const CONFIRMATION = ['Message', 'MessageId', 'SubscribeURL', 'Timestamp', 'Token', 'TopicArn', 'Type'];
const CONFIRMATION_KEYS = [
  'Type',
  'MessageId',
  'Token',
  'TopicArn',
  'Message',
  'SubscribeURL',
  'Timestamp',
  'SignatureVersion',
  'Signature',
  'SigningCertURL',
];

describe('section 2: what an HTTP/S endpoint is sent', () => {
  const aws = new Target();

  /** Lets an endpoint confirm, receive one message, and be unsubscribed. */
  async function heard(attributes = {}, publication = {}) {
    const [topic, endpoint] = [await Topic.of(aws), new HttpEndpoint(aws)];
    const subscriptionArn = await endpoint.confirmed(topic, attributes);
    const { MessageId } = await topic.publish('order', publication);
    await aws.pass(1);
    await topic.unsubscribe(subscriptionArn);
    await aws.pass(1);
    const only = async (type: MessageType) => {
      const [request] = await endpoint.requests(type);
      if (!request) throw new Error(`no ${type} came`);
      return request;
    };
    return { topic, endpoint, subscriptionArn, MessageId, only };
  }

  describe('2.2: headers', () => {
    embeddedRow.each<[MessageType, boolean]>([
      ['SubscriptionConfirmation', false],
      ['Notification', true],
      ['UnsubscribeConfirmation', true],
    ])('of a %s', async (type, namesSubscription) => {
      const { topic, endpoint, subscriptionArn, only } = await heard();
      const { headers, body, method, path } = await only(type);
      expect([method, path]).toEqual(['POST', '/orders']);
      expect(headers).toEqual({
        'x-amz-sns-message-type': type,
        'x-amz-sns-message-id': JSON.parse(body).MessageId,
        'x-amz-sns-topic-arn': topic.arn,
        ...(namesSubscription && { 'x-amz-sns-subscription-arn': subscriptionArn }),
        'user-agent': 'Amazon Simple Notification Service Agent',
        'accept-encoding': 'gzip,deflate',
        connection: 'Keep-Alive',
        host: endpoint.host,
        'content-length': String(Buffer.byteLength(body)),
        'content-type': 'text/plain; charset=UTF-8',
      });
    });

    embeddedRow('raw delivery says so, of notifications only', async () => {
      const { only } = await heard({ RawMessageDelivery: 'true' });
      const raw = async (type: MessageType) => (await only(type)).headers['x-amz-sns-rawdelivery'];
      expect(await raw('Notification')).toBe('true');
      expect(await raw('SubscriptionConfirmation')).toBeUndefined();
      expect(await raw('UnsubscribeConfirmation')).toBeUndefined();
    });
  });

  describe('2.3: bodies', () => {
    embeddedRow('a SubscriptionConfirmation says how to confirm', async () => {
      const { topic, only } = await heard();
      const envelope = JSON.parse((await only('SubscriptionConfirmation')).body);
      expect(Object.keys(envelope)).toEqual(CONFIRMATION_KEYS);
      expect(envelope.Message).toBe(
        `You have chosen to subscribe to the topic ${topic.arn}.\n` +
          'To confirm the subscription, visit the SubscribeURL included in this message.',
      );
      const { pathname, search } = new URL(envelope.SubscribeURL);
      expect(pathname + search).toBe(`/?Action=ConfirmSubscription&TopicArn=${topic.arn}&Token=${envelope.Token}`);
    });

    embeddedRow('an UnsubscribeConfirmation says how to come back', async () => {
      const { subscriptionArn, only } = await heard();
      const envelope = JSON.parse((await only('UnsubscribeConfirmation')).body);
      expect(Object.keys(envelope)).toEqual(CONFIRMATION_KEYS);
      expect(envelope.Message).toBe(
        `You have chosen to deactivate subscription ${subscriptionArn}.\n` +
          'To cancel this operation and restore the subscription, visit the SubscribeURL included in this message.',
      );
    });

    const ATTRIBUTES = {
      colour: { DataType: 'String', StringValue: 'red' },
      picture: { DataType: 'Binary', BinaryValue: Buffer.from('png') },
    };

    row('a Notification has its members in this order, with subject and attributes', async () => {
      const topic = await Topic.of(aws);
      const queue = await topic.queue();
      await topic.publish('order', { Subject: 'Order', MessageAttributes: ATTRIBUTES });
      await aws.pass(1);
      const envelope = JSON.parse((await queue.bodies())[0] ?? '{}');
      expect(Object.keys(envelope)).toEqual([
        'Type',
        'MessageId',
        'TopicArn',
        'Subject',
        'Message',
        'Timestamp',
        'SignatureVersion',
        'Signature',
        'SigningCertURL',
        'UnsubscribeURL',
        'MessageAttributes',
      ]);
      expect(envelope.MessageAttributes).toEqual({
        colour: { Type: 'String', Value: 'red' },
        picture: { Type: 'Binary', Value: 'cG5n' },
      });
    });

    row('a Notification has no Subject and no MessageAttributes where the message has none', async () => {
      const topic = await Topic.of(aws);
      const queue = await topic.queue();
      await topic.publish('order');
      await aws.pass(1);
      const envelope = JSON.parse((await queue.bodies())[0] ?? '{}');
      expect(envelope).toMatchObject({ Type: 'Notification', Message: 'order' });
      expect(envelope).not.toHaveProperty('Subject');
      expect(envelope).not.toHaveProperty('MessageAttributes');
    });

    row('a Notification of a FIFO topic has a SequenceNumber and no signature', async () => {
      const topic = await Topic.fifo(aws);
      const queue = await topic.queue({}, { FifoQueue: 'true' });
      const { SequenceNumber } = await topic.publish('order', { MessageGroupId: 'g' });
      await aws.pass(1);
      const envelope = JSON.parse((await queue.bodies())[0] ?? '{}');
      expect(envelope.SequenceNumber).toBe(SequenceNumber);
      expect(Object.keys(envelope)).toEqual([
        'Type',
        'MessageId',
        'SequenceNumber',
        'TopicArn',
        'Message',
        'Timestamp',
        'UnsubscribeURL',
      ]);
    });

    row(
      'a function gets SigningCertUrl and UnsubscribeUrl, a null Subject, empty MessageAttributes, always version 1',
      async () => {
        const [topic, events] = [await Topic.of(aws, { SignatureVersion: '2' }), await openQueue(aws)];
        const deployed = await DeployedFunction.hearing(aws, topic, 'exports.handler = async () => {};');
        await deployed.onEvents({ DestinationConfig: { OnSuccess: { Destination: events.arn } } });
        await topic.publish('order');
        await aws.pass(3);
        const { requestPayload } = JSON.parse((await events.bodies())[0] ?? '{}');
        expect(requestPayload.Records[0].Sns).toEqual({
          Type: 'Notification',
          MessageId: expect.any(String),
          TopicArn: topic.arn,
          Subject: null,
          Message: 'order',
          Timestamp: expect.any(String),
          SignatureVersion: '1',
          Signature: expect.any(String),
          SigningCertUrl: expect.any(String),
          UnsubscribeUrl: expect.any(String),
          MessageAttributes: {},
        });
      },
    );

    embeddedRow('raw delivery is the message only: attributes are not sent over HTTP', async () => {
      const { only } = await heard({ RawMessageDelivery: 'true' }, { MessageAttributes: ATTRIBUTES });
      const { body, headers } = await only('Notification');
      expect(body).toBe('order');
      expect(JSON.stringify(headers)).not.toContain('colour');
    });
  });

  describe('2.5: signatures', () => {
    async function isSigned(envelope: Envelope, members: readonly string[]): Promise<boolean> {
      const { publicKey } = new X509Certificate(await (await aws.visit(envelope['SigningCertURL'] ?? '')).text());
      const signed = members.filter(name => envelope[name] !== undefined);
      const text = signed.map(name => `${name}\n${envelope[name]}\n`).join('');
      const verify = createVerify(envelope['SignatureVersion'] === '2' ? 'RSA-SHA256' : 'RSA-SHA1').update(text);
      return verify.verify(publicKey, envelope['Signature'] ?? '', 'base64');
    }

    async function notified(topic: Topic, publication = {}): Promise<Envelope> {
      const queue = await topic.queue();
      await topic.publish('Bestellung "7"\nfür dich', publication);
      await aws.pass(1);
      return JSON.parse((await queue.bodies())[0] ?? '{}');
    }

    row('are of version 1 unless the topic says otherwise', async () => {
      expect(await notified(await Topic.of(aws))).toMatchObject({ SignatureVersion: '1' });
    });

    row.each(['1', '2'])("of version %s are verified by the certificate's key", async SignatureVersion => {
      const topic = await Topic.of(aws, { SignatureVersion });
      const envelope = await notified(topic, { Subject: 'Order' });
      expect(envelope['SignatureVersion']).toBe(SignatureVersion);
      expect(await isSigned(envelope, NOTIFICATION)).toBe(true);
      expect(await isSigned({ ...envelope, Subject: 'Another' }, NOTIFICATION)).toBe(false);
      expect(await isSigned(await notified(await Topic.of(aws, { SignatureVersion })), NOTIFICATION)).toBe(true);
    });

    embeddedRow('of confirmations take in the token and the SubscribeURL', async () => {
      const { only } = await heard();
      for (const type of ['SubscriptionConfirmation', 'UnsubscribeConfirmation'] as const) {
        const envelope = JSON.parse((await only(type)).body);
        expect(await isSigned(envelope, CONFIRMATION)).toBe(true);
        expect(await isSigned({ ...envelope, Token: 'another' }, CONFIRMATION)).toBe(false);
      }
    });
  });
});

/** What a subscription with raw delivery may name. */
const TWELVE = [
  'text/css',
  'text/csv',
  'text/html',
  'text/plain',
  'text/xml',
  'application/atom+xml',
  'application/json',
  'application/octet-stream',
  'application/soap+xml',
  'application/x-www-form-urlencoded',
  'application/xhtml+xml',
  'application/xml',
];

const DEFAULT = 'text/plain; charset=UTF-8';

describe('section 2.4: confirmation', () => {
  const aws = new Target();

  const subscribe = async (ReturnSubscriptionArn?: boolean) => {
    const [topic, endpoint] = [await Topic.of(aws), new HttpEndpoint(aws)];
    const asked = { TopicArn: topic.arn, Protocol: 'https', Endpoint: endpoint.url, ReturnSubscriptionArn };
    const { SubscriptionArn } = await aws.sns.send(new SubscribeCommand(asked));
    await aws.pass(0);
    const [request] = await endpoint.envelopes('SubscriptionConfirmation');
    return { topic, SubscriptionArn, url: request?.['SubscribeURL'] ?? '', token: request?.['Token'] ?? '' };
  };

  embeddedRow('Subscribe answers "pending confirmation"', async () => {
    expect((await subscribe()).SubscriptionArn).toBe('pending confirmation');
    expect((await subscribe(false)).SubscriptionArn).toBe('pending confirmation');
  });

  embeddedRow('ReturnSubscriptionArn=true answers the ARN', async () => {
    const { topic, SubscriptionArn } = await subscribe(true);
    expect(SubscriptionArn).toMatch(new RegExp(`^${topic.arn}:[0-9a-f-]{36}$`));
    expect(await topic.attributesOf(SubscriptionArn ?? '')).toMatchObject({ PendingConfirmation: 'true' });
  });

  embeddedRow('following the SubscribeURL confirms, and again changes nothing', async () => {
    const { topic, SubscriptionArn, url } = await subscribe(true);
    for (let i = 0; i < 2; i += 1) {
      const answer = await aws.visit(url);
      expect(answer.status).toBe(200);
      expect(await answer.text()).toContain(`<SubscriptionArn>${SubscriptionArn}</SubscriptionArn>`);
    }
    expect(await topic.attributesOf(SubscriptionArn ?? '')).toMatchObject({ PendingConfirmation: 'false' });
    expect(await topic.attributes()).toMatchObject({ SubscriptionsConfirmed: '1', SubscriptionsPending: '0' });
  });

  embeddedRow.each<[string, (url: string, topicArn: string) => string, string]>([
    ['a broken ARN', (url, arn) => url.replace(arn, 'broken'), 'Topic'],
    ['an ARN of another Region', url => url.replace(':us-east-1:', ':us-west-2:'), 'Topic'],
    ['a bad token', url => url.slice(0, -8), 'Token'],
  ])('%s is refused', async (_, spoiled, named) => {
    const { topic, SubscriptionArn, url } = await subscribe(true);
    const answer = await aws.visit(spoiled(url, topic.arn));
    expect(answer.status).toBe(400);
    const text = await answer.text();
    expect(text).toContain(`<Code>InvalidParameter</Code><Message>Invalid parameter: ${named}</Message>`);
    expect(await topic.attributesOf(SubscriptionArn ?? '')).toMatchObject({ PendingConfirmation: 'true' });
  });

  embeddedRow('a topic that does not exist confirms with a good token all the same', async () => {
    const { topic, SubscriptionArn, url } = await subscribe(true);
    expect((await aws.visit(url.replace(topic.arn, `${topic.arn}-of-nobody`))).status).toBe(200);
    expect(await topic.attributesOf(SubscriptionArn ?? '')).toMatchObject({ PendingConfirmation: 'false' });
  });

  embeddedRow('ConfirmSubscription with the token does the same', async () => {
    const { topic, SubscriptionArn, token } = await subscribe(true);
    const confirm = new ConfirmSubscriptionCommand({ TopicArn: topic.arn, Token: token });
    expect(await aws.sns.send(confirm)).toMatchObject({ SubscriptionArn });
  });

  embeddedRow('nothing is delivered before', async () => {
    const [topic, endpoint] = [await Topic.of(aws), new HttpEndpoint(aws)];
    await topic.subscribe('https', endpoint.url);
    await topic.publish('order');
    await aws.pass(600);
    expect(await endpoint.requests()).toEqual([]);
  });
});

describe('section 2.6: Content-Type', () => {
  const aws = new Target();

  /** Returns the content types of the confirmation and of a notification. */
  async function contentTypes(subscription = {}, topicAttributes = {}) {
    const [topic, endpoint] = [await Topic.of(aws, topicAttributes), new HttpEndpoint(aws)];
    await endpoint.confirmed(topic, subscription);
    await topic.publish('order');
    await aws.pass(0);
    const [[asked], [notified]] = [await endpoint.requests('SubscriptionConfirmation'), await endpoint.requests()];
    return [asked?.headers['content-type'], notified?.headers['content-type']];
  }

  const policy = (headerContentType: string) => deliveryPolicy({ requestPolicy: { headerContentType } });
  const ofTopic = (headerContentType: string) =>
    deliveryPolicy({ http: { defaultRequestPolicy: { headerContentType } } });
  const RAW = { RawMessageDelivery: 'true' };

  embeddedRow('is text/plain; charset=UTF-8', async () => {
    expect(await contentTypes()).toEqual([DEFAULT, DEFAULT]);
    expect(await contentTypes(RAW)).toEqual([DEFAULT, DEFAULT]);
  });

  embeddedRow.each(['application/json', 'text/plain'])(
    'is exactly %s where a policy says so, but for confirmations',
    async type => {
      expect(await contentTypes(policy(type))).toEqual([DEFAULT, type]);
      expect(await contentTypes({}, ofTopic(type))).toEqual([DEFAULT, type]);
      expect(await contentTypes(RAW, ofTopic(type))).toEqual([DEFAULT, type]);
    },
  );

  embeddedRow.each(TWELVE)('may be %s with raw delivery', async type => {
    expect(await contentTypes({ ...RAW, ...policy(type) })).toEqual([DEFAULT, type]);
  });

  row.each(TWELVE.filter(type => !['application/json', 'text/plain'].includes(type)))(
    'may not be %s without raw delivery, nor at a topic',
    async type => {
      const topic = await Topic.of(aws);
      const invalid = { name: 'InvalidParameterException' };
      await expect(topic.subscribe('https', 'https://example.com/', policy(type))).rejects.toMatchObject(invalid);
      await expect(topic.set('DeliveryPolicy', ofTopic(type).DeliveryPolicy)).rejects.toMatchObject(invalid);
    },
  );

  row('may be nothing else, even with raw delivery', async () => {
    const topic = await Topic.of(aws);
    const asked = topic.subscribe('https', 'https://example.com/', { ...RAW, ...policy('image/png') });
    await expect(asked).rejects.toMatchObject({ name: 'InvalidParameterException' });
  });
});
