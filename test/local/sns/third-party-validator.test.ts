import { createVerify, X509Certificate } from 'node:crypto';
import https from 'node:https';
import MessageValidator from 'sns-validator';
import { signingCertificate } from '../../../local/sns';
import { networkAgent } from '../../support/network-agent';
import { ADMIN, FUNCTION_ARN, queueArn, SnsFixture, TOPIC_ARN } from './sns-fixture';

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
describe('sns-validator, a third party’s,', () => {
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

  test('finds a certificate of 2,048 bits where envelopes say it is, and nothing beside it', async () => {
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

  test.each(['1', '2'])('does not verify a notification of version %s that was changed', async version => {
    const envelope = await notification(online(version));
    await expect(validated({ ...envelope, Message: 'another' })).rejects.toThrow('The message signature is invalid.');
  });

  test.each(['1', '2'])('verifies the confirmations of version %s', async version => {
    const fixture = online(version);
    const input = { TopicArn: TOPIC_ARN, Protocol: 'https', Endpoint: `https://${HOST}/`, ReturnSubscriptionArn: true };
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

  /** Recorded: functions get version 1, whatever the topic says. */
  test.each(['1', '2'])(
    'verifies the event of a function, which is of version 1 for a topic of version %s',
    async version => {
      const fixture = online(version);
      fixture.subscribe('lambda', FUNCTION_ARN);
      fixture.publish('order');
      await fixture.settle();
      const { Sns } = JSON.parse(fixture.lambda.invocations[0]?.Payload ?? '').Records[0];
      expect(await validated(Sns)).toMatchObject({ Message: 'order', SignatureVersion: '1' });
    },
  );
});
