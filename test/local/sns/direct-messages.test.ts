import type { RecipientBehaviour } from '../../../local/sns';
import { ADMIN, errorOf, FEEDBACK_ROLE, redriveTo, SnsFixture, TOPIC_ARN } from './sns-fixture';

describe('mobile push', () => {
  const APP_ARN = 'arn:aws:sns:us-east-1:123456789012:app/GCM/Rental';

  class PushFixture extends SnsFixture {
    constructor(attributes: Record<string, string> = {}) {
      super();
      this.createApp(attributes);
    }

    createApp(attributes: Record<string, string> = {}, Name = 'Rental', Platform = 'GCM') {
      const Attributes = { PlatformCredential: 'secret', ...attributes };
      return this.sns.call('CreatePlatformApplication', ADMIN, { Name, Platform, Attributes }).PlatformApplicationArn;
    }

    register(Token = 'token-1', more: { CustomUserData?: string; Attributes?: Record<string, string> } = {}): string {
      const input = { PlatformApplicationArn: APP_ARN, Token, ...more };
      return this.sns.call('CreatePlatformEndpoint', ADMIN, input).EndpointArn ?? '';
    }

    push(TargetArn: string, Message = 'Your car is ready', MessageStructure?: string) {
      const structure = MessageStructure === undefined ? {} : { MessageStructure };
      return this.sns.call('Publish', ADMIN, { TargetArn, Message, ...structure });
    }

    enabled(EndpointArn: string): string | undefined {
      return this.sns.call('GetEndpointAttributes', ADMIN, { EndpointArn }).Attributes?.['Enabled'];
    }
  }

  const answering = (errorCode: string): RecipientBehaviour => ({
    outcome: { kind: 'answered', statusCode: 400, errorCode },
  });

  /** @see https://docs.aws.amazon.com/sns/latest/dg/mobile-push-send.html */
  describe('an app at a push service', () => {
    test('is created once, and shows all attributes except its credentials', () => {
      const fixture = new PushFixture();
      expect(fixture.createApp()).toBe(APP_ARN);
      const attributesOf = () =>
        fixture.sns.call('GetPlatformApplicationAttributes', ADMIN, { PlatformApplicationArn: APP_ARN }).Attributes;
      expect(attributesOf()).toEqual({ Enabled: 'true' });
      const Attributes = { Enabled: 'false', SuccessFeedbackSampleRate: '50' };
      fixture.sns.call('SetPlatformApplicationAttributes', ADMIN, { PlatformApplicationArn: APP_ARN, Attributes });
      expect(attributesOf()).toEqual(Attributes);
      expect(fixture.sns.call('ListPlatformApplications', ADMIN, {})).toEqual({
        PlatformApplications: [{ PlatformApplicationArn: APP_ARN, Attributes }],
      });
    });

    test.each<[string, string, Record<string, string>, string]>([
      ['', 'GCM', { PlatformCredential: 'key' }, ' Reason: cannot be empty'],
      [
        'a b',
        'GCM',
        { PlatformCredential: 'key' },
        "a b Reason: must contain only characters 'a'-'z', 'A'-'Z', '0'-'9', '_', '-', and '.'",
      ],
      [
        'x'.repeat(257),
        'GCM',
        { PlatformCredential: 'key' },
        `${'x'.repeat(257)} Reason: must be at most 256 characters long`,
      ],
      ['App', 'PIGEON', { PlatformCredential: 'key' }, 'Platform Reason: PIGEON is not supported'],
      ['App', 'GCM', { Enabled: 'true' }, 'Attributes Reason: PlatformCredential attribute required'],
      [
        'App',
        'APNS',
        { PlatformPrincipal: 'p' },
        'Attributes Reason: PlatformPrincipal attribute provided without PlatformCredential',
      ],
      [
        'App',
        'APNS',
        { PlatformCredential: 'c' },
        'Attributes Reason: PlatformCredential attribute provided without PlatformPrincipal',
      ],
      ['App', 'GCM', { PlatformCredential: 'c', Colour: 'red' }, 'Attributes Reason: Invalid attribute name: Colour'],
      [
        'Rental',
        'GCM',
        { PlatformCredential: 'other' },
        'Attributes Reason: Platform application already exists with different attributes',
      ],
    ])('%.10s of %s with %j is refused', (Name, Platform, Attributes, reason) => {
      const { sns } = new PushFixture();
      expect(errorOf(() => sns.call('CreatePlatformApplication', ADMIN, { Name, Platform, Attributes }))).toEqual({
        code: 'InvalidParameter',
        message: `Invalid parameter: ${reason}`,
        status: 400,
      });
    });

    test('is refused event topics by name: they are not implemented', () => {
      const attributes = { EventEndpointCreated: 'arn:aws:sns:us-east-1:123456789012:Events' };
      expect(errorOf(() => new PushFixture().createApp(attributes, 'Other'))).toMatchObject({
        code: 'NotImplemented',
        message:
          'The embedded AWS does not implement the platform application attribute EventEndpointCreated. This is a limit of Dead Letter Office, and not an answer of AWS: see docs/simulated.md.',
      });
    });

    test('is deleted with its devices', () => {
      const fixture = new PushFixture();
      const device = fixture.register();
      const PlatformApplicationArn = APP_ARN;
      fixture.sns.call('DeletePlatformApplication', ADMIN, { PlatformApplicationArn });
      fixture.sns.call('DeletePlatformApplication', ADMIN, { PlatformApplicationArn });
      expect(errorOf(() => fixture.enabled(device)).message).toBe('Endpoint does not exist');
      expect(errorOf(() => fixture.register())).toEqual({
        code: 'NotFound',
        message: 'PlatformApplication does not exist',
        status: 404,
      });
    });
  });

  /** Recorded on AWS: an empty map is reported as a missing parameter, before anything else is checked. */
  test.each([{}, undefined])('with the attributes %j is refused like one without attributes', Attributes => {
    const input = { Name: '', Platform: 'GCM', Attributes };
    expect(errorOf(() => new PushFixture().sns.call('CreatePlatformApplication', ADMIN, input))).toEqual({
      code: 'ValidationError',
      message:
        "1 validation error detected: Value null at 'attributes' failed to satisfy constraint: Member must not be null",
      status: 400,
    });
  });

  describe('a device', () => {
    /** Recorded on AWS. */
    test('has the CustomUserData of its attributes, not of the parameter', () => {
      const fixture = new PushFixture();
      const EndpointArn = fixture.register('token-1', { CustomUserData: 'me', Attributes: { CustomUserData: 'you' } });
      const { Attributes } = fixture.sns.call('GetEndpointAttributes', ADMIN, { EndpointArn });
      expect(Attributes).toMatchObject({ CustomUserData: 'you' });
    });

    test('is registered once for its token, with the same attributes', () => {
      const fixture = new PushFixture();
      const device = fixture.register('token-1', { CustomUserData: 'me' });
      expect(device).toMatch(/:endpoint\/GCM\/Rental\/[0-9a-f-]{36}$/);
      expect(fixture.register('token-1', { CustomUserData: 'me' })).toBe(device);
      expect(errorOf(() => fixture.register('token-1', { CustomUserData: 'you' })).message).toBe(
        `Invalid parameter: Token Reason: Endpoint ${device} already exists with the same Token, but different attributes.`,
      );
      expect(errorOf(() => fixture.register('token-1')).code).toBe('InvalidParameter');
      const other = fixture.register('token-2');
      const { Endpoints } = fixture.sns.call('ListEndpointsByPlatformApplication', ADMIN, {
        PlatformApplicationArn: APP_ARN,
      });
      expect(Endpoints).toEqual([
        { EndpointArn: device, Attributes: { Enabled: 'true', Token: 'token-1', CustomUserData: 'me' } },
        { EndpointArn: other, Attributes: { Enabled: 'true', Token: 'token-2' } },
      ]);
    });

    test.each<[Record<string, string>, string]>([
      [{ Colour: 'red' }, 'Invalid attribute name: Colour'],
      [{ Enabled: 'yes' }, 'Invalid value for attribute: Enabled'],
      [
        { CustomUserData: 'ö'.repeat(1_025) },
        'Invalid value for attribute: CustomUserData: must be at most 2048 bytes long in UTF-8 encoding',
      ],
    ])('is refused with %.40j', (Attributes, reason) => {
      const fixture = new PushFixture();
      const message = `Invalid parameter: Attributes Reason: ${reason}`;
      expect(errorOf(() => fixture.register('token-1', { Attributes })).message).toBe(message);
      const EndpointArn = fixture.register();
      expect(errorOf(() => fixture.sns.call('SetEndpointAttributes', ADMIN, { EndpointArn, Attributes })).message).toBe(
        message,
      );
    });

    test('is named by an ARN', () => {
      const { sns } = new PushFixture();
      expect(errorOf(() => sns.call('GetEndpointAttributes', ADMIN, { EndpointArn: 'device' })).message).toBe(
        'Invalid parameter: EndpointArn Reason: An ARN must have at least 6 elements, not 1',
      );
    });
  });

  describe('publishing to a device', () => {
    test('reaches it, with the text for its push service if the message has one', async () => {
      const fixture = new PushFixture();
      const device = fixture.register();
      fixture.push(device);
      fixture.push(device, JSON.stringify({ default: 'any', GCM: '{"notification":{}}' }), 'json');
      fixture.push(device, JSON.stringify({ GCM: 'no default' }), 'json');
      await fixture.settle();
      const bodies = fixture.sns.recipients.receipts(device).map(({ body }) => body);
      expect(bodies).toEqual(['Your car is ready', '{"notification":{}}', 'no default']);
      expect(fixture.happened('sns.direct-delivered')).toHaveLength(3);
    });

    test('is refused if the device, or its app, is disabled or does not exist', () => {
      const fixture = new PushFixture();
      const EndpointArn = fixture.register();
      fixture.sns.call('SetEndpointAttributes', ADMIN, { EndpointArn, Attributes: { Enabled: 'false' } });
      expect(errorOf(() => fixture.push(EndpointArn))).toEqual({
        code: 'EndpointDisabled',
        message: 'Endpoint is disabled',
        status: 400,
      });
      // Verified on AWS (moto, test_publish_to_disabled_platform_endpoint): even if the JSON body is broken.
      expect(errorOf(() => fixture.push(EndpointArn, 'no JSON', 'json')).code).toBe('EndpointDisabled');
      const app = { PlatformApplicationArn: APP_ARN, Attributes: { Enabled: 'false' } };
      fixture.sns.call('SetPlatformApplicationAttributes', ADMIN, app);
      expect(errorOf(() => fixture.push(EndpointArn)).code).toBe('PlatformApplicationDisabled');
      fixture.sns.call('DeleteEndpoint', ADMIN, { EndpointArn });
      expect(errorOf(() => fixture.push(EndpointArn)).message).toBe(
        'Invalid parameter: TargetArn Reason: No endpoint found for the target arn specified',
      );
    });

    test.each([
      ['NotRegistered', 1, 'false'],
      ['MismatchSenderId', 1, 'true'],
      ['Unavailable', 51, 'true'],
    ])(
      'whose push service answers %s is tried %i times, and is enabled afterwards: %s',
      async (code, attempts, enabled) => {
        const fixture = new PushFixture();
        const device = fixture.register();
        fixture.sns.recipients.behave(device, answering(code));
        fixture.push(device);
        await fixture.settle();
        expect(fixture.happened('sns.direct-lost')).toMatchObject([{ attempts, cause: { errorCode: code } }]);
        expect(fixture.enabled(device)).toBe(enabled);
      },
    );

    test('is counted by app and push service', async () => {
      const fixture = new PushFixture();
      fixture.push(fixture.register());
      await fixture.settle();
      for (const name of ['NumberOfMessagesPublished', 'NumberOfNotificationsDelivered']) {
        const dimensions = fixture.measured.filter(it => it.name === name).map(it => it.dimensions);
        expect(dimensions).toEqual([
          { Application: 'Rental', Platform: 'GCM' },
          { Application: 'Rental' },
          { Platform: 'GCM' },
        ]);
      }
    });

    test('is logged with the roles of its app', async () => {
      const fixture = new PushFixture({ FailureFeedbackRoleArn: FEEDBACK_ROLE });
      fixture.createRole('SnsFeedback', 'logs:CreateLogGroup', 'logs:CreateLogStream', 'logs:PutLogEvents');
      const device = fixture.register();
      fixture.sns.recipients.behave(device, answering('NotRegistered'));
      const { MessageId } = fixture.push(device);
      await fixture.settle();
      const [record] = fixture.logs.events('sns/us-east-1/123456789012/app/GCM/Rental/Failure');
      expect(JSON.parse(record?.message ?? '')).toMatchObject({
        notification: { messageId: MessageId, timestamp: '2026-01-01 00:00:00.000' },
        delivery: {
          destination: device,
          token: 'token-1',
          attempts: 1,
          statusCode: 400,
          providerResponse: '{"ErrorCode":"NotRegistered"}',
        },
        status: 'FAILURE',
      });
    });
  });

  /** Verified on AWS (moto, test_publish_to_deleted_platform_endpoint); the text has no blank before the ARN. */
  test('a device that does not exist, or was deleted, cannot be subscribed', () => {
    const fixture = new PushFixture();
    fixture.createTopic();
    const EndpointArn = fixture.register();
    fixture.sns.call('DeleteEndpoint', ADMIN, { EndpointArn });
    expect(errorOf(() => fixture.subscribe('application', EndpointArn))).toEqual({
      code: 'InvalidParameter',
      message: `Invalid parameter: Endpoint Reason: Endpoint does not exist for endpoint arn${EndpointArn}`,
      status: 400,
    });
  });

  test('a device that is registered at the start can be subscribed, like one in a template', () => {
    const device = 'arn:aws:sns:us-east-1:123456789012:endpoint/APNS/Rental-2/1';
    const fixture = new SnsFixture({ devices: [device] });
    fixture.createTopic();
    expect(fixture.subscribe('application', device)).toContain('Rental-Orders:');
    expect(() => new SnsFixture({ devices: ['phone'] })).toThrow(
      new RangeError(
        'devices must be ARNs of platform endpoints, such as arn:aws:sns:us-east-1:123456789012:endpoint/GCM/Rental/5e3e9847: got "phone"',
      ),
    );
  });

  describe('a device that is subscribed', () => {
    test('gets the text for its push service, and is counted by its app', async () => {
      const fixture = new PushFixture();
      fixture.createTopic();
      const device = fixture.register();
      fixture.subscribe('application', device);
      fixture.publish(JSON.stringify({ default: 'any', GCM: 'for Android' }), { MessageStructure: 'json' });
      await fixture.settle();
      expect(fixture.sns.recipients.receipts(device)).toMatchObject([{ body: 'for Android' }]);
      const delivered = fixture.measured.filter(({ name }) => name === 'NumberOfNotificationsDelivered');
      expect(delivered.map(({ dimensions }) => dimensions)).toEqual([
        { TopicName: 'Rental-Orders' },
        { Application: 'Rental', Platform: 'GCM' },
        { Application: 'Rental' },
        { Platform: 'GCM' },
      ]);
    });

    test('and disabled gets no attempt: its message goes to the dead-letter queue at once', async () => {
      const fixture = new PushFixture();
      fixture.createTopic();
      fixture.createQueue('Fanout-DLQ');
      const EndpointArn = fixture.register();
      fixture.subscribe('application', EndpointArn, redriveTo('Fanout-DLQ'));
      fixture.sns.call('SetEndpointAttributes', ADMIN, { EndpointArn, Attributes: { Enabled: 'false' } });
      fixture.publish('order');
      await fixture.settle();
      expect(fixture.happened('sns.dead-lettered')).toMatchObject([
        { protocol: 'application', attempts: 1, cause: { kind: 'client-error', errorCode: 'EndpointDisabled' } },
      ]);
      expect(fixture.receive('Fanout-DLQ')).toHaveLength(1);
      expect(fixture.sns.recipients.receipts()).toEqual([]);
    });
  });
});

const PHONE = '+15550100';

type Attributes = Record<string, { DataType: string; StringValue: string }>;

function text(fixture: SnsFixture, Message = 'Your car is ready', MessageAttributes: Attributes = {}): string {
  const input = { PhoneNumber: PHONE, Message, MessageAttributes };
  const { MessageId = '' } = fixture.sns.call('Publish', ADMIN, input);
  return MessageId;
}

const string = (StringValue: string) => ({ DataType: 'String', StringValue });

/** What the log of text messages has. */
function logged(fixture: SnsFixture, suffix: '' | '/Failure'): unknown[] {
  const group = `sns/us-east-1/123456789012/DirectPublishToPhoneNumber${suffix}`;
  return fixture.logs.events(group).map(({ message }) => JSON.parse(message));
}

/** @see https://docs.aws.amazon.com/sns/latest/dg/sms_publish-to-phone.html */
describe('publishing to a phone', () => {
  test('reaches it, with its kind and sender', async () => {
    const fixture = new SnsFixture();
    const messageId = text(fixture, 'Your car is ready', {
      'AWS.SNS.SMS.SMSType': string('Transactional'),
      'AWS.SNS.SMS.SenderID': string('Rental'),
    });
    await fixture.settle();
    expect(fixture.sns.recipients.receipts(PHONE)).toMatchObject([
      {
        protocol: 'sms',
        endpoint: PHONE,
        messageId,
        body: 'Your car is ready',
        sms: { smsType: 'Transactional', senderId: 'Rental', parts: 1 },
      },
    ]);
    expect(fixture.trace.events.map(({ type }) => type)).toEqual([
      'sns.direct-published',
      'sns.direct-attempt',
      'sns.direct-delivered',
    ]);
  });

  test('follows the account’s settings if the message has none', async () => {
    const fixture = new SnsFixture();
    const attributes = { DefaultSMSType: 'Transactional', DefaultSenderID: 'Rental' };
    fixture.sns.call('SetSMSAttributes', ADMIN, { attributes });
    text(fixture);
    await fixture.settle();
    expect(fixture.sns.recipients.receipts(PHONE)[0]?.sms).toEqual({
      ...{ smsType: 'Transactional' },
      senderId: 'Rental',
      parts: 1,
    });
  });

  test.each([
    ['a'.repeat(160), 1],
    ['a'.repeat(161), 2],
    ['€'.repeat(80), 1],
    ['€'.repeat(81), 2],
    ['я'.repeat(70), 1],
    ['я'.repeat(71), 2],
  ])('a text such as %.3s… makes %i messages', async (message, parts) => {
    const fixture = new SnsFixture();
    text(fixture, message);
    await fixture.settle();
    expect(fixture.sns.recipients.receipts(PHONE)[0]?.sms?.parts).toBe(parts);
  });

  test('uses the text for SMS of a message with one text for each protocol', async () => {
    const fixture = new SnsFixture();
    const Message = JSON.stringify({ default: 'long', sms: 'short' });
    fixture.sns.call('Publish', ADMIN, { PhoneNumber: PHONE, Message, MessageStructure: 'json' });
    await fixture.settle();
    expect(fixture.sns.recipients.receipts(PHONE)).toMatchObject([{ body: 'short' }]);
  });

  test.each([
    [{ PhoneNumber: 'NAA+15551234567' }, 'PhoneNumber Reason: NAA+15551234567 is not valid to publish to'],
    [
      { PhoneNumber: PHONE, TopicArn: TOPIC_ARN },
      'PhoneNumber Reason: only one of PhoneNumber and an ARN may be given',
    ],
    [{ TopicArn: TOPIC_ARN, TargetArn: TOPIC_ARN }, 'TopicArn or TargetArn Reason: only one of them may be given'],
    [{}, 'TopicArn or TargetArn Reason: no value for required parameter'],
    [{ PhoneNumber: PHONE, Message: 'x'.repeat(1_601) }, 'Message too long'],
    [{ PhoneNumber: PHONE, Message: '' }, 'Empty message'],
  ])('is refused with %.60j', (input, reason) => {
    const { sns } = new SnsFixture();
    expect(errorOf(() => sns.call('Publish', ADMIN, { Message: 'order', ...input }))).toEqual({
      code: 'InvalidParameter',
      message: `Invalid parameter: ${reason}`,
      status: 400,
    });
  });

  /** aws-semantics 1.3: 2 retries 10 s apart, 10 with backoff to 600 s, 38 more of 600 s. */
  test('that cannot be reached is retried by the customer-managed policy, and then the message is lost', async () => {
    const fixture = new SnsFixture();
    const errorCode = 'Phone is currently unreachable/unavailable';
    fixture.sns.recipients.behave(PHONE, { outcome: { kind: 'answered', statusCode: 400, errorCode } });
    text(fixture);
    await fixture.settle();
    expect(fixture.happened('sns.direct-attempt')).toHaveLength(51);
    expect(fixture.happened('sns.direct-attempt').slice(0, 2)).toMatchObject([
      { delaySeconds: 10 },
      { delaySeconds: 10 },
    ]);
    expect(fixture.seconds).toBeGreaterThan(6 * 3_600);
    expect(fixture.happened('sns.direct-lost')).toMatchObject([
      { attempts: 51, cause: { kind: 'retries-exhausted', errorCode } },
    ]);
  });

  test('is counted by country if the origination number is assigned', async () => {
    const fixture = new SnsFixture();
    for (const PhoneNumber of ['+4915112345678', '+14155552671']) {
      fixture.sns.call('Publish', ADMIN, { PhoneNumber, Message: 'hello' });
    }
    await fixture.settle();
    const delivered = fixture.measured.filter(({ name }) => name === 'NumberOfNotificationsDelivered');
    expect(delivered.flatMap(({ dimensions }) => dimensions['Country'] ?? [])).toEqual(['DE', 'US']);
  });

  test('is counted by kind and as published to a phone, with the rate of success', async () => {
    const fixture = new SnsFixture();
    text(fixture);
    fixture.sns.recipients.behave(PHONE, {
      outcome: { kind: 'answered', statusCode: 400, errorCode: 'Invalid phone number' },
      count: 1,
    });
    text(fixture);
    await fixture.settle();
    const of = (name: string) =>
      fixture.measured.filter(it => it.name === name).map(({ dimensions, value }) => [dimensions, value]);
    const [kind, direct] = [{ SMSType: 'Promotional' }, { PhoneNumber: 'PhoneNumberDirect' }];
    expect(of('NumberOfMessagesPublished')).toEqual([
      [kind, 1],
      [direct, 1],
      [kind, 1],
      [direct, 1],
    ]);
    expect(of('NumberOfNotificationsDelivered')).toEqual([
      [kind, 1],
      [direct, 1],
    ]);
    expect(of('NumberOfNotificationsFailed')).toEqual([
      [kind, 1],
      [direct, 1],
    ]);
    expect(
      of('SMSSuccessRate')
        .map(([, value]) => value)
        .sort(),
    ).toEqual([0, 0, 1, 1]);
  });
});

/** aws-semantics 5. */
describe('the log of text messages', () => {
  function withLog(DeliveryStatusSuccessSamplingRate: string): SnsFixture {
    const fixture = new SnsFixture();
    fixture.createRole('SnsFeedback', 'logs:CreateLogGroup', 'logs:CreateLogStream', 'logs:PutLogEvents');
    const attributes = { DeliveryStatusIAMRole: FEEDBACK_ROLE, DeliveryStatusSuccessSamplingRate };
    fixture.sns.call('SetSMSAttributes', ADMIN, { attributes });
    return fixture;
  }

  test('has log groups for successes and for failures', async () => {
    const fixture = withLog('100');
    const first = text(fixture);
    await fixture.settle();
    fixture.sns.phones.optOut(PHONE);
    const second = text(fixture);
    await fixture.settle();
    const delivery = { numberOfMessageParts: 1, destination: PHONE, smsType: 'Promotional', dwellTimeMs: 0 };
    expect(logged(fixture, '')).toEqual([
      {
        notification: { messageId: first, timestamp: '2026-01-01 00:00:00.000' },
        delivery: { ...delivery, providerResponse: 'Message has been accepted by phone carrier' },
        status: 'SUCCESS',
      },
    ]);
    expect(logged(fixture, '/Failure')).toEqual([
      {
        notification: { messageId: second, timestamp: '2026-01-01 00:00:00.000' },
        delivery: { ...delivery, providerResponse: 'Phone number is opted out' },
        status: 'FAILURE',
      },
    ]);
  });

  test('names the failure of a phone that never answers', async () => {
    const fixture = withLog('0');
    fixture.sns.recipients.behave(PHONE, { outcome: { kind: 'unanswered', failure: 'timeout' } });
    text(fixture);
    await fixture.settle();
    expect(logged(fixture, '/Failure')).toMatchObject([{ delivery: { providerResponse: 'timeout' } }]);
  });

  test('has no successes at a rate of 0, and always the failures', async () => {
    const fixture = withLog('0');
    text(fixture);
    fixture.sns.recipients.behave(PHONE, {
      outcome: { kind: 'answered', statusCode: 400, errorCode: 'Invalid phone number' },
    });
    text(fixture);
    await fixture.settle();
    const failure = { delivery: { providerResponse: 'Invalid phone number' }, status: 'FAILURE' };
    expect(logged(fixture, '/Failure')).toMatchObject([failure, failure]);
    expect(logged(fixture, '')).toEqual([]);
  });
});

describe('a phone number that has opted out', () => {
  const isOptedOut = ({ sns }: SnsFixture, phoneNumber = PHONE) =>
    sns.call('CheckIfPhoneNumberIsOptedOut', ADMIN, { phoneNumber }).isOptedOut;

  test('gets no message, neither directly nor from a topic, and is listed', async () => {
    const fixture = new SnsFixture();
    fixture.createTopic();
    fixture.subscribe('sms', '+1 (555) 0100');
    fixture.sns.phones.optOut(PHONE);
    text(fixture);
    fixture.publish('order');
    await fixture.settle();
    expect(fixture.sns.recipients.receipts()).toEqual([]);
    expect(fixture.happened('sns.lost')).toMatchObject([{ attempts: 1, cause: { kind: 'client-error' } }]);
    expect(isOptedOut(fixture)).toBe(true);
    expect(isOptedOut(fixture, '+15550101')).toBe(false);
    expect(fixture.sns.call('ListPhoneNumbersOptedOut', ADMIN, {})).toEqual({ phoneNumbers: [PHONE] });
  });

  test('can be opted in again, once in 30 days', async () => {
    const fixture = new SnsFixture();
    const optIn = () => fixture.sns.call('OptInPhoneNumber', ADMIN, { phoneNumber: PHONE });
    optIn();
    fixture.sns.phones.optOut(PHONE);
    optIn();
    expect(isOptedOut(fixture)).toBe(false);
    fixture.sns.phones.optOut(PHONE);
    expect(errorOf(optIn)).toMatchObject({ code: 'InvalidParameter' });
    await fixture.goTo(30 * 86_400);
    optIn();
    expect(isOptedOut(fixture)).toBe(false);
  });

  test('must be a phone number', () => {
    expect(errorOf(() => isOptedOut(new SnsFixture(), 'nobody')).message).toBe(
      'Invalid parameter: PhoneNumber Reason: input incorrectly formatted',
    );
  });
});

describe('the account’s settings for text messages', () => {
  const settings = ({ sns }: SnsFixture, attributes: string[] = []) =>
    sns.call('GetSMSAttributes', ADMIN, { attributes }).attributes;

  test('are returned, all or those asked for', () => {
    const fixture = new SnsFixture();
    expect(settings(fixture)).toEqual({ MonthlySpendLimit: '1' });
    fixture.sns.call('SetSMSAttributes', ADMIN, {
      attributes: { DefaultSMSType: 'Transactional', DefaultSenderID: 'Me1' },
    });
    expect(settings(fixture)).toEqual({
      MonthlySpendLimit: '1',
      DefaultSMSType: 'Transactional',
      DefaultSenderID: 'Me1',
    });
    expect(settings(fixture, ['DefaultSMSType', 'UsageReportS3Bucket'])).toEqual({ DefaultSMSType: 'Transactional' });
    fixture.sns.call('SetSMSAttributes', ADMIN, { attributes: { DefaultSenderID: '' } });
    expect(settings(fixture)).not.toHaveProperty('DefaultSenderID');
  });

  test.each([
    [{ DefaultSenderID: 'Me', Colour: 'red' }, 'Colour is not a valid attribute'],
    [{ DefaultSenderID: 'Me', DefaultSMSType: 'Loud' }, 'DefaultSMSType is invalid'],
    [{ DeliveryStatusSuccessSamplingRate: '101' }, 'DeliveryStatusSuccessSamplingRate is invalid'],
  ])('are refused as a whole if they contain %j', (attributes, message) => {
    const fixture = new SnsFixture();
    expect(errorOf(() => fixture.sns.call('SetSMSAttributes', ADMIN, { attributes }))).toEqual({
      code: 'InvalidParameter',
      message,
      status: 400,
    });
    expect(settings(fixture)).toEqual({ MonthlySpendLimit: '1' });
  });
});
