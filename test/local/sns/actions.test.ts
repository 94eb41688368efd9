import { ADMIN, errorOf, SnsFixture, TOPIC_ARN } from './sns-fixture';

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
