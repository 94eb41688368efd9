import crypto, { createVerify, X509Certificate } from 'node:crypto';
import https from 'node:https';
import fc from 'fast-check';
import MessageValidator from 'sns-validator';
import { byteLengthOf } from '../../../../local/kernel/messaging';
import { EXAMPLE_PLACE } from '../../../../local/kernel/place';
import { signingCertificate } from '../../../../local/sns';
import { Envelopes } from '../../../../local/sns/envelope/envelopes';
import { Message } from '../../../../local/sns/publish/message';
import { Subscription, Topic } from '../../../../local/sns/topic/topic-and-subscription';
import { networkAgent } from '../../../support/network-agent';
import { ADMIN, FUNCTION_ARN, queueArn, SnsFixture, START_MS, TOPIC_ARN } from '../sns-fixture';

const SIGNED_OF_A_NOTIFICATION = ['Message', 'MessageId', 'Subject', 'Timestamp', 'TopicArn', 'Type'];

/** Verifies as AWS documents it for subscribers, with the certificate only. */
function isSigned(envelope: Record<string, string>, names: readonly string[]): boolean {
  const text = names.flatMap(name => (name in envelope ? [name, envelope[name]] : [])).join('\n');
  const verify = createVerify(envelope['SignatureVersion'] === '2' ? 'RSA-SHA256' : 'RSA-SHA1').update(`${text}\n`);
  return verify.verify(new X509Certificate(signingCertificate()).publicKey, envelope['Signature'] ?? '', 'base64');
}

async function delivered(
  topicAttributes: Record<string, string>,
  ...publication: Parameters<SnsFixture['publish']>
): Promise<Record<string, string>> {
  const fixture = new SnsFixture();
  fixture.createTopic(topicAttributes);
  fixture.createQueue('Orders');
  fixture.subscribe('sqs', queueArn('Orders'));
  fixture.publish(...publication);
  await fixture.settle();
  return JSON.parse(fixture.receive('Orders')[0]?.Body ?? '');
}

/** aws-semantics 2.3 and 2.5. */
describe('an envelope', () => {
  test('names a certificate at the host of the Region', async () => {
    const { SigningCertURL } = await delivered({}, 'order');
    expect(SigningCertURL).toMatch(
      /^https:\/\/sns\.us-east-1\.amazonaws\.com\/SimpleNotificationService-[0-9a-f]{32}\.pem$/,
    );
  });

  test('has the layout of SNS, with one member a line', async () => {
    const fixture = new SnsFixture();
    fixture.createTopic();
    fixture.createQueue('Orders');
    fixture.subscribe('sqs', queueArn('Orders'));
    fixture.publish('order', { MessageAttributes: { a: { DataType: 'String', StringValue: 'b' } } });
    await fixture.settle();
    const body = fixture.receive('Orders')[0]?.Body ?? '';
    expect(body.startsWith('{\n  "Type" : "Notification",\n  "MessageId" : "')).toBe(true);
    expect(body.endsWith('  "MessageAttributes" : {\n    "a" : {"Type":"String","Value":"b"}\n  }\n}')).toBe(true);
  });
});

test('The event of a function has every member, and the function’s own spelling of the two URL members', async () => {
  const fixture = new SnsFixture();
  fixture.createTopic();
  const subscription = fixture.subscribe('lambda', FUNCTION_ARN);
  const messageId = fixture.publish('order');
  await fixture.settle();
  const [invocation] = fixture.lambda.invocations;
  expect(invocation).toMatchObject({ FunctionName: FUNCTION_ARN, InvocationType: 'Event' });
  expect(invocation?.caller).toMatchObject({
    principal: { kind: 'service', service: 'sns.amazonaws.com' },
    context: { 'aws:SourceArn': TOPIC_ARN, 'aws:SourceAccount': '123456789012', 'aws:SecureTransport': 'true' },
  });
  const [record] = JSON.parse(invocation?.Payload ?? '').Records;
  expect(record).toMatchObject({ EventSource: 'aws:sns', EventVersion: '1.0', EventSubscriptionArn: subscription });
  expect(record.Sns).toEqual({
    Type: 'Notification',
    MessageId: messageId,
    TopicArn: TOPIC_ARN,
    Subject: null,
    Message: 'order',
    Timestamp: '2026-01-01T00:00:00.000Z',
    SignatureVersion: '1',
    Signature: expect.any(String),
    SigningCertUrl: expect.stringContaining('.pem'),
    UnsubscribeUrl: expect.stringContaining(subscription),
    MessageAttributes: {},
  });
  expect(isSigned(record.Sns, ['Message', 'MessageId', 'Timestamp', 'TopicArn', 'Type'])).toBe(true);
});

test('A message with a text for each protocol gives each subscriber its own, signed as such, and the others the default', async () => {
  const fixture = new SnsFixture();
  fixture.createTopic();
  fixture.createQueue('Orders');
  fixture.subscribe('sqs', queueArn('Orders'));
  fixture.subscribe('lambda', FUNCTION_ARN);
  fixture.subscribe('sms', '+15550100');
  fixture.publish(JSON.stringify({ default: 'any', sqs: 'for queues', sms: 'short', lambda: 7 }), {
    MessageStructure: 'json',
  });
  await fixture.settle();
  const queued = JSON.parse(fixture.receive('Orders')[0]?.Body ?? '');
  expect(queued.Message).toBe('for queues');
  expect(isSigned(queued, SIGNED_OF_A_NOTIFICATION)).toBe(true);
  const { Sns } = JSON.parse(fixture.lambda.invocations[0]?.Payload ?? '').Records[0];
  expect(Sns.Message).toBe('any');
  expect(fixture.sns.recipients.receipts('+15550100')).toMatchObject([{ protocol: 'sms', body: 'short' }]);
});

const attribute = fc.oneof(
  fc.record({ DataType: fc.constant('String'), StringValue: fc.string({ unit: 'binary', minLength: 1 }) }),
  fc.record({ DataType: fc.constant('Binary'), BinaryValue: fc.uint8Array({ minLength: 1 }) }),
);

const publication = fc.record({
  body: fc.string({ unit: 'binary' }),
  subject: fc.option(fc.string({ unit: 'binary' }), { nil: undefined }),
  attributes: fc.dictionary(fc.stringMatching(/^[A-Za-z0-9_-]{1,20}$/), attribute, { maxKeys: 3 }),
});

test.each([
  ['standard', false],
  ['FIFO', true],
])('The length of an envelope is known before it is written, on a %s topic', (_kind, isFifo) => {
  const topic = new Topic({ arn: TOPIC_ARN, name: 'Rental-Orders', account: '123456789012', isFifo });
  const subscription = new Subscription({
    arn: `${TOPIC_ARN}:1`,
    topic,
    protocol: 'sqs',
    endpoint: queueArn('Orders'),
    owner: '123456789012',
    token: { text: '0', expiresAtMs: 0 },
  });
  const fifo = isFifo ? { groupId: 'g', deduplicationId: 'd', sequenceNumber: '1'.repeat(20) } : undefined;
  const envelopes = new Envelopes(EXAMPLE_PLACE);
  fc.assert(
    fc.property(publication, content => {
      const id = '01234567-89ab-4cde-8f01-23456789abcd';
      const message = new Message({ ...content, id, topic, fifo, publishedAtMs: START_MS });
      const envelope = envelopes.notification(message, subscription);
      const text = envelope.toString();
      expect(byteLengthOf(envelope)).toBe(Buffer.byteLength(text));
      expect(JSON.parse(text)).toMatchObject({ Message: content.body });
    }),
  );
});

function withQueues(...names: readonly string[]): SnsFixture {
  return filled(new SnsFixture(), names);
}

function filled(fixture: SnsFixture, names: readonly string[]): SnsFixture {
  fixture.createTopic();
  for (const name of names) {
    fixture.createQueue(name);
    fixture.subscribe('sqs', queueArn(name));
  }
  return fixture;
}

describe('the signature of an envelope', () => {
  const signed = jest.spyOn(crypto, 'sign');
  beforeEach(() => signed.mockClear());
  afterAll(() => signed.mockRestore());

  test('is computed when the envelope is first read, and once for all subscribers', async () => {
    const fixture = withQueues('Orders', 'Archive');
    fixture.publish('order');
    await fixture.settle();
    expect(signed).not.toHaveBeenCalled();
    const bodies = ['Orders', 'Archive'].map(name => JSON.parse(fixture.receive(name)[0]?.Body ?? ''));
    expect(signed).toHaveBeenCalledTimes(1);
    expect(bodies[0].Signature).toBe(bodies[1].Signature);
  });

  test('is never computed without `signatures`, and the message is as long', async () => {
    const bodies: string[] = [];
    for (const signatures of [true, false]) {
      const fixture = filled(new SnsFixture({ signatures }), ['Orders']);
      fixture.publish('order');
      await fixture.settle();
      bodies.push(fixture.receive('Orders')[0]?.Body ?? '');
    }
    expect(signed).toHaveBeenCalledTimes(1);
    expect(bodies[1]).toHaveLength(bodies[0]?.length ?? 0);
    expect(JSON.parse(bodies[1] ?? '').Signature).toMatch(/^A{344}$/);
  });

  test('has its final length before it is computed, so that metrics count the same bytes', async () => {
    const fixture = withQueues('Orders');
    fixture.publish('Bestellung “7” für dich 🚗', {
      MessageAttributes: { size: { DataType: 'String', StringValue: 'groß' } },
    });
    await fixture.settle();
    const [sent] = fixture.around.events.filter(({ type }) => type === 'sqs.sent');
    expect(sent).toMatchObject({ bytes: Buffer.byteLength(fixture.receive('Orders')[0]?.Body ?? '') });
  });

  test('is computed at once if the text has characters that SQS refuses, so that the refusal comes in time', async () => {
    const fixture = withQueues('Orders');
    fixture.publish('order \uffff');
    await fixture.settle();
    expect(fixture.happened('sns.lost')).toMatchObject([
      { attempts: 1, cause: { errorCode: 'InvalidMessageContents' } },
    ]);
  });

  test('does not exist for a message on a FIFO topic', async () => {
    const fixture = new SnsFixture();
    fixture.createTopic({ FifoTopic: 'true', ContentBasedDeduplication: 'true' }, 'Orders.fifo');
    fixture.createQueue('Orders');
    const topicArn = 'arn:aws:sns:us-east-1:123456789012:Orders.fifo';
    fixture.subscribe('sqs', queueArn('Orders'), {}, topicArn);
    fixture.sns.call('Publish', fixture.sns.owner, { TopicArn: topicArn, Message: 'order', MessageGroupId: 'car' });
    await fixture.settle();
    expect(JSON.parse(fixture.receive('Orders')[0]?.Body ?? '')).toMatchObject({ Message: 'order' });
    expect(signed).not.toHaveBeenCalled();
  });
});

describe('sns-validator, a third party’s library,', () => {
  const HOST = 'billing.example.com';

  type Envelope = Record<string, unknown>;

  /** The validator as it comes from npm; it fetches the certificate from where the envelope says it is. */
  function validated(envelope: Envelope): Promise<Envelope | undefined> {
    return new Promise((resolve, reject) => {
      new MessageValidator().validate(envelope, (error, message) => (error ? reject(error) : resolve(message)));
    });
  }

  /** As AWS documents it. The validator leaves the token out of an UnsubscribeConfirmation, and so cannot verify any. */
  function isSigned(envelope: Envelope): boolean {
    const names = ['Message', 'MessageId', 'SubscribeURL', 'Timestamp', 'Token', 'TopicArn', 'Type'];
    const text = names.map(name => `${name}\n${envelope[name]}\n`).join('');
    const verify = createVerify(envelope['SignatureVersion'] === '2' ? 'RSA-SHA256' : 'RSA-SHA1').update(text);
    return verify.verify(signingCertificate(), String(envelope['Signature']), 'base64');
  }

  /** aws-semantics 2.5. */
  const { globalAgent } = https;

  function online(signatureVersion: string): SnsFixture {
    const fixture = new SnsFixture();
    fixture.goOnline();
    https.globalAgent = networkAgent(fixture.network) as https.Agent;
    fixture.createTopic({ SignatureVersion: signatureVersion });
    return fixture;
  }

  afterEach(() => {
    https.globalAgent = globalAgent;
  });

  async function notification(fixture: SnsFixture): Promise<Envelope> {
    fixture.createQueue('Orders');
    fixture.subscribe('sqs', queueArn('Orders'));
    fixture.publish('Bestellung "7"\nfür dich', { Subject: 'Order' });
    await fixture.settle();
    return JSON.parse(fixture.receive('Orders')[0]?.Body ?? '');
  }

  async function posted(fixture: SnsFixture, type: string): Promise<Envelope> {
    await fixture.settle();
    const requests = fixture.outside.endpoint(HOST).requests;
    const request = requests.find(({ headers }) => headers['x-amz-sns-message-type'] === type);
    return JSON.parse(Buffer.from(request?.body ?? []).toString());
  }

  test.each(['1', '2'])('verifies a notification of version %s', async version => {
    const envelope = await notification(online(version));
    expect(envelope['SignatureVersion']).toBe(version);
    expect(await validated(envelope)).toMatchObject({ Message: 'Bestellung "7"\nfür dich' });
  });

  test('finds a certificate of 2,048 bits at the SigningCertURL, and none at other URLs', async () => {
    const fixture = online('2');
    const { SigningCertURL } = await notification(fixture);
    const { status, text } = await fixture.follow(String(SigningCertURL));
    expect(status).toBe(200);
    const { publicKey, subject } = new X509Certificate(text);
    expect(publicKey.asymmetricKeyDetails).toMatchObject({ modulusLength: 2_048 });
    expect(subject).toContain('CN=sns.amazonaws.com');
    expect(await fixture.follow(String(SigningCertURL).replace('Service-', 'Service-0'))).toMatchObject({
      status: 400,
    });
  });

  test.each(['1', '2'])('rejects a notification of version %s that was changed', async version => {
    const envelope = await notification(online(version));
    await expect(validated({ ...envelope, Message: 'another' })).rejects.toThrow('The message signature is invalid.');
  });

  test.each(['1', '2'])('verifies the confirmations of version %s', async version => {
    const fixture = online(version);
    const input = {
      TopicArn: TOPIC_ARN,
      Protocol: 'https',
      Endpoint: `https://${HOST}/`,
      ReturnSubscriptionArn: true,
    };
    const { SubscriptionArn } = fixture.sns.call('Subscribe', ADMIN, input);
    const asked = await posted(fixture, 'SubscriptionConfirmation');
    expect(await validated(asked)).toMatchObject({ Token: expect.any(String), SignatureVersion: version });
    fixture.sns.confirm(`https://${HOST}/`);
    fixture.sns.call('Unsubscribe', ADMIN, { SubscriptionArn });
    const offered = await posted(fixture, 'UnsubscribeConfirmation');
    expect(isSigned(offered)).toBe(true);
    expect(isSigned({ ...offered, Token: '0' })).toBe(false);
    expect(offered['SignatureVersion']).toBe(version);
  });

  /** Recorded on AWS: the event of a function names version 1, but its signature is of the topic's version. */
  test.each(['1', '2'])(
    'verifies the event of a function with version %s, that of the topic, which the event does not name',
    async version => {
      const fixture = online(version);
      fixture.subscribe('lambda', FUNCTION_ARN);
      fixture.publish('order');
      await fixture.settle();
      const { Sns } = JSON.parse(fixture.lambda.invocations[0]?.Payload ?? '').Records[0];
      expect(Sns).toMatchObject({ Message: 'order', SignatureVersion: '1' });
      expect(await validated({ ...Sns, SignatureVersion: version })).toMatchObject({ Message: 'order' });
      if (version !== '1') await expect(validated(Sns)).rejects.toThrow('signature');
    },
  );
});
