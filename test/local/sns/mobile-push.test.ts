import type { RecipientBehaviour } from '../../../local/sns';
import { ADMIN, errorOf, FEEDBACK_ROLE, redriveTo, SnsFixture } from './sns-fixture';

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
  test('is created once, and tells everything but its credentials', () => {
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
    ['', 'GCM', {}, ' Reason: cannot be empty'],
    ['a b', 'GCM', {}, "a b Reason: must contain only characters 'a'-'z', 'A'-'Z', '0'-'9', '_', '-', and '.'"],
    ['x'.repeat(257), 'GCM', {}, `${'x'.repeat(257)} Reason: must be at most 256 characters long`],
    ['App', 'PIGEON', {}, 'Platform Reason: PIGEON is not supported'],
    ['App', 'GCM', {}, 'Attributes Reason: PlatformCredential attribute required'],
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
      message: 'The embedded AWS does not implement the platform application attribute EventEndpointCreated.',
    });
  });

  test('takes its devices with it', () => {
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

describe('a device', () => {
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
  ])('cannot have %.40j', (Attributes, reason) => {
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
  test('reaches it, with the text for its push service if there is one', async () => {
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

  test('is refused when it, or its app, is disabled or not there', () => {
    const fixture = new PushFixture();
    const EndpointArn = fixture.register();
    fixture.sns.call('SetEndpointAttributes', ADMIN, { EndpointArn, Attributes: { Enabled: 'false' } });
    expect(errorOf(() => fixture.push(EndpointArn))).toEqual({
      code: 'EndpointDisabled',
      message: 'Endpoint is disabled',
      status: 400,
    });
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
    'to whom its push service answers %s is tried %i times, and is enabled afterwards: %s',
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

  test('counts by app and push service', async () => {
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

  test('is logged as its app says', async () => {
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

describe('a device that is subscribed', () => {
  test('gets the text for its push service, and counts by its app', async () => {
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

  test('and disabled is not tried: its message goes to the dead-letter queue at once', async () => {
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
