import { createVerify, X509Certificate } from 'node:crypto';
import { signingCertificate } from '../../../local/sns';
import { FUNCTION_ARN, queueArn, SnsFixture, TOPIC_ARN } from './sns-fixture';

const SIGNED_OF_A_NOTIFICATION = ['Message', 'MessageId', 'Subject', 'Timestamp', 'TopicArn', 'Type'];
const SIGNED_OF_A_CONFIRMATION = ['Message', 'MessageId', 'SubscribeURL', 'Timestamp', 'Token', 'TopicArn', 'Type'];

/** Verifies as AWS tells subscribers to, with the certificate and nothing else of ours. */
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
  test('leaves out the subject and the attributes of a message without', async () => {
    expect(Object.keys(await delivered({}, 'order'))).toEqual([
      'Type',
      'MessageId',
      'TopicArn',
      'Message',
      'Timestamp',
      'SignatureVersion',
      'Signature',
      'SigningCertURL',
      'UnsubscribeURL',
    ]);
  });

  test.each(['1', '2'])('is signed with version %s, so that its certificate verifies it', async SignatureVersion => {
    const envelope = await delivered({ SignatureVersion }, 'order "1"\nwith a line', {
      Subject: 'Bestellung für dich',
    });
    expect(envelope['SignatureVersion']).toBe(SignatureVersion);
    expect(isSigned(envelope, SIGNED_OF_A_NOTIFICATION)).toBe(true);
    expect(isSigned({ ...envelope, Message: 'another order' }, SIGNED_OF_A_NOTIFICATION)).toBe(false);
  });

  test('names a certificate at the Region’s own host', async () => {
    const { SigningCertURL } = await delivered({}, 'order');
    expect(SigningCertURL).toMatch(
      /^https:\/\/sns\.us-east-1\.amazonaws\.com\/SimpleNotificationService-[0-9a-f]{32}\.pem$/,
    );
  });

  test('is laid out as SNS does it, one member a line', async () => {
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

describe('the event of a function', () => {
  test('has every member, and its own letter case for the two addresses', async () => {
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
});

describe('a message with a text for each protocol', () => {
  test('gives each subscriber its own, signed as such, and the default to the rest', async () => {
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
});

describe('a request to confirm', () => {
  test('is signed, and its SubscribeURL carries the token', async () => {
    const fixture = new SnsFixture();
    fixture.createTopic();
    const endpoint = fixture.outside.endpoint('billing.example.com');
    fixture.sns.call('Subscribe', fixture.sns.owner, {
      TopicArn: TOPIC_ARN,
      Protocol: 'https',
      Endpoint: 'https://billing.example.com/orders',
    });
    await fixture.settle();
    const [request] = endpoint.requests;
    const confirmation = JSON.parse(Buffer.from(request?.body ?? []).toString());
    expect(Object.keys(confirmation)).toEqual([
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
    ]);
    expect(confirmation.Message).toBe(
      `You have chosen to subscribe to the topic ${TOPIC_ARN}.\nTo confirm the subscription, visit the SubscribeURL included in this message.`,
    );
    expect(confirmation.SubscribeURL).toBe(
      `https://sns.us-east-1.amazonaws.com/?Action=ConfirmSubscription&TopicArn=${TOPIC_ARN}&Token=${confirmation.Token}`,
    );
    expect(isSigned(confirmation, SIGNED_OF_A_CONFIRMATION)).toBe(true);
  });
});
