import {
  AddPermissionCommand,
  CheckIfPhoneNumberIsOptedOutCommand,
  CreatePlatformApplicationCommand,
  CreatePlatformEndpointCommand,
  CreateTopicCommand,
  EndpointDisabledException,
  GetEndpointAttributesCommand,
  GetSMSAttributesCommand,
  ListEndpointsByPlatformApplicationCommand,
  ListPhoneNumbersOptedOutCommand,
  ListPlatformApplicationsCommand,
  ListTagsForResourceCommand,
  PublishBatchCommand,
  PublishCommand,
  PutDataProtectionPolicyCommand,
  ResourceNotFoundException,
  SetEndpointAttributesCommand,
  SetSMSAttributesCommand,
  SNSClient,
  SNSServiceException,
  SubscribeCommand,
  TagResourceCommand,
  TooManyEntriesInBatchRequestException,
  UntagResourceCommand,
} from '@aws-sdk/client-sns';
import { EXAMPLE_PLACE } from '../../../local/kernel/place';
import { InMemoryHttpHandler } from '../../../local/wire';
import { ADMIN, errorOf, queueArn, SnsFixture, sendPolicy, TOPIC_ARN } from './sns-fixture';

const TEAM = { Key: 'team', Value: 'rental' };
const STAGE = { Key: 'stage', Value: 'test' };

function withTopic(): SnsFixture {
  const fixture = new SnsFixture();
  fixture.createTopic();
  return fixture;
}

/** Texts as recorded. */
describe('the tags of a topic', () => {
  const tagsOf = ({ sns }: SnsFixture) => sns.call('ListTagsForResource', ADMIN, { ResourceArn: TOPIC_ARN }).Tags;

  test('are added, replaced by key, and removed', () => {
    const fixture = withTopic();
    const tag = (...Tags: { Key: string; Value: string }[]) =>
      fixture.sns.call('TagResource', ADMIN, { ResourceArn: TOPIC_ARN, Tags });
    tag(TEAM, STAGE);
    tag({ Key: 'stage', Value: 'live' });
    expect(tagsOf(fixture)).toEqual([TEAM, { Key: 'stage', Value: 'live' }]);
    fixture.sns.call('UntagResource', ADMIN, { ResourceArn: TOPIC_ARN, TagKeys: ['team', 'unknown'] });
    expect(tagsOf(fixture)).toEqual([{ Key: 'stage', Value: 'live' }]);
    expect(errorOf(() => tag(TEAM, TEAM))).toEqual({
      code: 'InvalidParameter',
      message: 'Invalid parameter: Duplicated keys are not allowed.',
      status: 400,
    });
  });

  test('are 50 at most', () => {
    const fixture = withTopic();
    const Tags = Array.from({ length: 50 }, (_, i) => ({ Key: `k${i}`, Value: '' }));
    fixture.sns.call('TagResource', ADMIN, { ResourceArn: TOPIC_ARN, Tags });
    const one = { ResourceArn: TOPIC_ARN, Tags: [TEAM] };
    expect(errorOf(() => fixture.sns.call('TagResource', ADMIN, one))).toMatchObject({ code: 'TagLimitExceeded' });
    expect(tagsOf(fixture)).toHaveLength(50);
  });

  test.each([
    [{ Key: '', Value: '' }, 'Tag keys must be between 1 and 128 characters in length.'],
    [{ Key: 'k'.repeat(300), Value: '' }, 'Tag keys must be between 1 and 128 characters in length.'],
    [{ Key: 'k', Value: 'v'.repeat(1000) }, 'Tag values must be between 0 and 256 characters in length.'],
    [{ Key: 'aws:x', Value: '' }, 'Tag keys cannot begin with aws:, which AWS reserves; got aws:x.'],
  ])('%j is refused', (tag, text) => {
    const fixture = withTopic();
    const give = () => fixture.sns.call('TagResource', ADMIN, { ResourceArn: TOPIC_ARN, Tags: [tag] });
    expect(errorOf(give)).toMatchObject({
      code: 'InvalidParameter',
      message: `Invalid parameter: Tags Reason: ${text}`,
    });
    expect(tagsOf(fixture)).toEqual([]);
  });

  test('come with CreateTopic, which then refuses the same name with other tags', () => {
    const fixture = new SnsFixture();
    const create = (...Tags: { Key: string; Value: string }[]) =>
      fixture.sns.call('CreateTopic', ADMIN, { Name: 'Rental-Orders', Tags }).TopicArn;
    expect(create(TEAM, STAGE)).toBe(TOPIC_ARN);
    expect(create(TEAM)).toBe(TOPIC_ARN);
    expect(create()).toBe(TOPIC_ARN);
    expect(errorOf(() => create({ Key: 'owner', Value: 'me' })).message).toBe(
      'Invalid parameter: Tags Reason: Topic already exists with different tags',
    );
    expect(tagsOf(fixture)).toEqual([TEAM, STAGE]);
  });

  test('belong to topics only: any other ARN is refused', () => {
    expect(errorOf(() => tagsOf(new SnsFixture()))).toEqual({
      code: 'ResourceNotFound',
      message: 'Resource does not exist',
      status: 404,
    });
  });
});

describe('a permission', () => {
  const PARTNER = { TopicArn: TOPIC_ARN, Label: 'partner', AWSAccountId: ['111122223333'], ActionName: ['Publish'] };

  test('is added as a statement to the topic’s policy, next to the default one', () => {
    const fixture = withTopic();
    fixture.sns.call('AddPermission', ADMIN, PARTNER);
    const { Statement } = JSON.parse(fixture.topicAttributes()['Policy'] ?? '');
    expect(Statement).toHaveLength(2);
    expect(Statement[1]).toEqual({
      Sid: 'partner',
      Effect: 'Allow',
      Principal: { AWS: 'arn:aws:iam::111122223333:root' },
      Action: 'SNS:Publish',
      Resource: TOPIC_ARN,
    });
    fixture.sns.call('RemovePermission', ADMIN, { TopicArn: TOPIC_ARN, Label: 'partner' });
    fixture.sns.call('RemovePermission', ADMIN, { TopicArn: TOPIC_ARN, Label: 'partner' });
    expect(JSON.parse(fixture.topicAttributes()['Policy'] ?? '').Statement).toHaveLength(1);
  });

  test('names several accounts and actions in lists', () => {
    const fixture = withTopic();
    fixture.sns.call('AddPermission', ADMIN, {
      ...PARTNER,
      AWSAccountId: ['111122223333', '444455556666'],
      ActionName: ['Publish', 'Subscribe'],
    });
    expect(JSON.parse(fixture.topicAttributes()['Policy'] ?? '').Statement[1]).toMatchObject({
      Principal: { AWS: ['arn:aws:iam::111122223333:root', 'arn:aws:iam::444455556666:root'] },
      Action: ['SNS:Publish', 'SNS:Subscribe'],
    });
  });

  /** "Statements: 100": the page of `RESOURCE_POLICY_LIMITS`. */
  test('is one of at most 100 statements, the default one included, and so is one in a whole policy', () => {
    const fixture = withTopic();
    const add = (i: number) => fixture.sns.call('AddPermission', ADMIN, { ...PARTNER, Label: `partner${i}` });
    for (let i = 1; i < 100; i += 1) add(i);
    const refused = {
      code: 'InvalidParameter',
      message: 'Invalid parameter: Policy has 101 statements, but SNS accepts at most 100',
    };
    expect(errorOf(() => add(100))).toMatchObject(refused);
    const Statement = { Effect: 'Allow', Principal: { AWS: '*' }, Action: 'sns:Publish', Resource: TOPIC_ARN };
    const policy = JSON.stringify({ Version: '2012-10-17', Statement: Array(101).fill(Statement) });
    expect(errorOf(() => fixture.setTopicAttribute('Policy', policy))).toMatchObject(refused);
  });

  test('allows a call from the other account', () => {
    const fixture = withTopic();
    const partner = { principal: { kind: 'account', account: '111122223333' }, context: {} } as const;
    const publish = () => fixture.sns.call('Publish', partner, { TopicArn: TOPIC_ARN, Message: 'order' });
    expect(errorOf(publish)).toMatchObject({ code: 'AuthorizationError', status: 403 });
    fixture.sns.call('AddPermission', ADMIN, PARTNER);
    expect(publish()).toMatchObject({ MessageId: expect.any(String) });
  });

  test.each([
    [{ Label: '' }, 'Label'],
    [{ AWSAccountId: [] }, 'AWSAccountId'],
    [{ ActionName: [] }, 'ActionName'],
    [{ ActionName: ['CreateTopic'] }, 'Policy statement action out of service scope!'],
    [{ Label: '__default_statement_ID' }, 'Statement already exists'],
  ])('with %j is refused: %s', (change, text) => {
    const fixture = withTopic();
    expect(errorOf(() => fixture.sns.call('AddPermission', ADMIN, { ...PARTNER, ...change }))).toEqual({
      code: 'InvalidParameter',
      message: `Invalid parameter: ${text}`,
      status: 400,
    });
  });

  test.each(['SNS:*', '*', 'sns:CreateTopic'])('on %s is refused in a whole policy too', Action => {
    const Statement = [{ Effect: 'Allow', Principal: { AWS: '*' }, Action, Resource: TOPIC_ARN }];
    const policy = JSON.stringify({ Version: '2012-10-17', Statement });
    expect(errorOf(() => withTopic().setTopicAttribute('Policy', policy)).message).toBe(
      'Invalid parameter: Policy statement action out of service scope!',
    );
  });
});

test.each([
  ['Rental-Orders', 'TopicArn Reason: An ARN must have at least 6 elements, not 1'],
  ['arn:aws', 'TopicArn Reason: An ARN must have at least 6 elements, not 2'],
  ['', 'TopicArn Reason: An ARN must have at least 6 elements, not 1'],
  [TOPIC_ARN.replace('us-east-1', 'us-west-1'), 'TopicArn'],
])('a topic’s ARN "%s" is refused by every action on topics', (TopicArn, text) => {
  const { sns } = withTopic();
  const calls = [
    () => sns.call('Publish', ADMIN, { TopicArn, Message: 'order' }),
    () => sns.call('PublishBatch', ADMIN, { TopicArn, PublishBatchRequestEntries: [{ Id: '1', Message: 'order' }] }),
    () => sns.call('GetTopicAttributes', ADMIN, { TopicArn }),
    () => sns.call('SetTopicAttributes', ADMIN, { TopicArn, AttributeName: 'DisplayName', AttributeValue: 'x' }),
    () => sns.call('Subscribe', ADMIN, { TopicArn, Protocol: 'email', Endpoint: 'a@example.com' }),
    () => sns.call('ListSubscriptionsByTopic', ADMIN, { TopicArn }),
    () => sns.call('DeleteTopic', ADMIN, { TopicArn }),
    () => sns.call('RemovePermission', ADMIN, { TopicArn, Label: 'x' }),
  ];
  expect(calls.map(call => errorOf(call).message)).toEqual(calls.map(() => `Invalid parameter: ${text}`));
});

test.each([
  'GetDataProtectionPolicy',
  'PutDataProtectionPolicy',
  'CreateSMSSandboxPhoneNumber',
  'ListOriginationNumbers',
])('an action of SNS that is not implemented, %s, is refused by its name', action => {
  const { sns } = new SnsFixture();
  expect(sns.implements(action)).toBe(false);
  expect(errorOf(() => sns.call(action as never, ADMIN, {} as never))).toEqual({
    code: 'NotImplemented',
    message: `The embedded AWS does not implement sns:${action}. This is a limit of Dead Letter Office, and not an answer of AWS: see docs/simulated.md.`,
    status: 501,
  });
});

function online(): { aws: SnsFixture; client: SNSClient } {
  const aws = new SnsFixture();
  aws.goOnline();
  const client = new SNSClient({
    region: 'us-east-1',
    credentials: { accessKeyId: 'AKIAADMIN', secretAccessKey: 'secret' },
    requestHandler: new InMemoryHttpHandler(aws.network, EXAMPLE_PLACE),
    maxAttempts: 1,
  });
  return { aws, client };
}

/** What the SDK's own client makes of the answers. */
describe('the SDK’s SNS client', () => {
  test('publishes to a FIFO topic, one message and several', async () => {
    const { aws, client } = online();
    const Attributes = { FifoTopic: 'true', ContentBasedDeduplication: 'true' };
    const { TopicArn } = await client.send(new CreateTopicCommand({ Name: 'Orders.fifo', Attributes }));
    aws.createQueue('Orders.fifo', { FifoQueue: 'true', Policy: sendPolicy('Orders.fifo') });
    const subscription = { TopicArn, Protocol: 'sqs', Endpoint: queueArn('Orders.fifo') };
    await client.send(new SubscribeCommand(subscription));
    const one = await client.send(new PublishCommand({ TopicArn, Message: '1', MessageGroupId: 'car' }));
    const PublishBatchRequestEntries = ['2', '3'].map(Id => ({ Id, Message: Id, MessageGroupId: 'car' }));
    const more = await client.send(new PublishBatchCommand({ TopicArn, PublishBatchRequestEntries }));
    expect(one.SequenceNumber).toMatch(/^\d{20}$/);
    expect(more.Successful?.map(({ Id }) => Id)).toEqual(['2', '3']);
    expect(more.Successful?.[1]?.SequenceNumber).toMatch(/^\d{20}$/);
    await aws.settle();
    expect(aws.receive('Orders.fifo').map(({ Body = '' }) => JSON.parse(Body).Message)).toEqual(['1', '2', '3']);
  });

  test('tags topics, and adds permissions', async () => {
    const { aws, client } = online();
    const team = { Key: 'team', Value: 'rental' };
    await client.send(new CreateTopicCommand({ Name: 'Rental-Orders', Tags: [team] }));
    const ResourceArn = TOPIC_ARN;
    await client.send(new TagResourceCommand({ ResourceArn, Tags: [{ Key: 'stage', Value: 'test' }] }));
    await client.send(new UntagResourceCommand({ ResourceArn, TagKeys: ['stage'] }));
    expect((await client.send(new ListTagsForResourceCommand({ ResourceArn }))).Tags).toEqual([team]);
    const grant = { TopicArn: TOPIC_ARN, Label: 'partner', AWSAccountId: ['111122223333'], ActionName: ['Publish'] };
    await client.send(new AddPermissionCommand(grant));
    expect(aws.topicAttributes()['Policy']).toContain('arn:aws:iam::111122223333:root');
    const unknown = new ListTagsForResourceCommand({ ResourceArn: `${TOPIC_ARN}2` });
    await expect(client.send(unknown)).rejects.toBeInstanceOf(ResourceNotFoundException);
  });

  test('registers devices, and gets an error for a disabled one', async () => {
    const { client } = online();
    const { PlatformApplicationArn } = await client.send(
      new CreatePlatformApplicationCommand({
        Name: 'Rental',
        Platform: 'GCM',
        Attributes: { PlatformCredential: 'c' },
      }),
    );
    const { EndpointArn } = await client.send(
      new CreatePlatformEndpointCommand({ PlatformApplicationArn, Token: 't' }),
    );
    const Attributes = { Enabled: 'false' };
    await client.send(new SetEndpointAttributesCommand({ EndpointArn, Attributes }));
    expect((await client.send(new GetEndpointAttributesCommand({ EndpointArn }))).Attributes).toEqual({
      Enabled: 'false',
      Token: 't',
    });
    const { Endpoints } = await client.send(new ListEndpointsByPlatformApplicationCommand({ PlatformApplicationArn }));
    expect(Endpoints).toEqual([{ EndpointArn, Attributes: { Enabled: 'false', Token: 't' } }]);
    const { PlatformApplications } = await client.send(new ListPlatformApplicationsCommand({}));
    expect(PlatformApplications).toEqual([{ PlatformApplicationArn, Attributes: { Enabled: 'true' } }]);
    const publish = new PublishCommand({ TargetArn: EndpointArn, Message: 'hello' });
    await expect(client.send(publish)).rejects.toBeInstanceOf(EndpointDisabledException);
  });

  test('sends text messages, and lists the numbers that opted out', async () => {
    const { aws, client } = online();
    await client.send(new SetSMSAttributesCommand({ attributes: { DefaultSMSType: 'Transactional' } }));
    expect((await client.send(new GetSMSAttributesCommand({ attributes: ['DefaultSMSType'] }))).attributes).toEqual({
      DefaultSMSType: 'Transactional',
    });
    const { MessageId } = await client.send(new PublishCommand({ PhoneNumber: '+15550100', Message: 'hello' }));
    await aws.settle();
    expect(aws.sns.recipients.receipts('+15550100')).toMatchObject([
      { messageId: MessageId, sms: { smsType: 'Transactional' } },
    ]);
    aws.sns.phones.optOut('+15550100');
    expect((await client.send(new ListPhoneNumbersOptedOutCommand({}))).phoneNumbers).toEqual(['+15550100']);
    const check = new CheckIfPhoneNumberIsOptedOutCommand({ phoneNumber: '+15550100' });
    expect((await client.send(check)).isOptedOut).toBe(true);
  });

  test('throws the SDK’s own errors, and 501 for what is not implemented', async () => {
    const { aws, client } = online();
    aws.createTopic();
    const PublishBatchRequestEntries = Array.from({ length: 11 }, (_, i) => ({ Id: `${i}`, Message: 'x' }));
    await expect(
      client.send(new PublishBatchCommand({ TopicArn: TOPIC_ARN, PublishBatchRequestEntries })),
    ).rejects.toBeInstanceOf(TooManyEntriesInBatchRequestException);
    const policy = new PutDataProtectionPolicyCommand({ ResourceArn: TOPIC_ARN, DataProtectionPolicy: '{}' });
    const error = await client.send(policy).then(
      () => undefined,
      (reason: unknown) => reason,
    );
    expect(error).toBeInstanceOf(SNSServiceException);
    expect(error).toMatchObject({ $metadata: { httpStatusCode: 501 } });
  });
});
