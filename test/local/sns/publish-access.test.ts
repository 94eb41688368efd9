import { roleCaller, serviceCaller } from '../../../local/kernel/caller';
import { ADMIN, errorOf, SnsFixture, TOPIC_ARN } from './sns-fixture';

const ROLE_ARN = 'arn:aws:iam::123456789012:role/Publisher';
const ALARM = serviceCaller(
  'cloudwatch.amazonaws.com',
  'arn:aws:cloudwatch:us-east-1:123456789012:alarm:Dead-Letters',
  '123456789012',
);
const RULE = serviceCaller('events.amazonaws.com', 'arn:aws:events:us-east-1:123456789012:rule/Daily', '123456789012');

function withTopic(): SnsFixture {
  const fixture = new SnsFixture();
  fixture.createTopic();
  return fixture;
}

function allow(statement: Record<string, unknown>) {
  return { Version: '2012-10-17', Statement: [{ Effect: 'Allow', ...statement }] };
}

function withPublisher(fixture: SnsFixture, ...actions: readonly string[]): SnsFixture {
  const trustPolicy = allow({ Principal: { Service: 'lambda.amazonaws.com' }, Action: 'sts:AssumeRole' });
  fixture.iam.createRole({ roleName: 'Publisher', trustPolicy });
  if (actions.length > 0) {
    fixture.iam.putRolePolicy('Publisher', 'publish', allow({ Action: [...actions], Resource: '*' }));
  }
  return fixture;
}

describe('who may publish', () => {
  const publishAs = (fixture: SnsFixture, caller: typeof ADMIN) => () =>
    fixture.sns.call('Publish', caller, { TopicArn: TOPIC_ARN, Message: 'order' });

  test('a role whose own policy says so, and no other', () => {
    expect(publishAs(withPublisher(withTopic(), 'sns:Publish'), roleCaller(ROLE_ARN))()).toHaveProperty('MessageId');
    const fixture = withPublisher(withTopic());
    expect(errorOf(publishAs(fixture, roleCaller(ROLE_ARN)))).toEqual({
      code: 'AuthorizationError',
      message: `User: ${ROLE_ARN} is not authorized to perform: SNS:Publish on resource: ${TOPIC_ARN}`,
      status: 403,
    });
    expect(fixture.happened('sns.refused')).toMatchObject([{ code: 'AuthorizationError', reason: expect.any(String) }]);
  });

  test('a role that may publish may publish batches', () => {
    const fixture = withPublisher(withTopic(), 'sns:Publish');
    const PublishBatchRequestEntries = [{ Id: '1', Message: 'order' }];
    expect(
      fixture.sns.call('PublishBatch', roleCaller(ROLE_ARN), { TopicArn: TOPIC_ARN, PublishBatchRequestEntries }),
    ).toMatchObject({ Failed: [] });
  });

  test('CloudWatch by the default policy, and EventBridge only by one that names it', () => {
    const fixture = withTopic();
    expect(publishAs(fixture, ALARM)()).toHaveProperty('MessageId');
    expect(errorOf(publishAs(fixture, RULE)).code).toBe('AuthorizationError');
    const policy = allow({
      Principal: { Service: 'events.amazonaws.com' },
      Action: 'sns:Publish',
      Resource: TOPIC_ARN,
    });
    fixture.setTopicAttribute('Policy', JSON.stringify(policy));
    expect(publishAs(fixture, RULE)()).toHaveProperty('MessageId');
    expect(errorOf(publishAs(fixture, ALARM)).code).toBe('AuthorizationError');
  });

  test('nobody whom the topic policy denies', () => {
    const fixture = withTopic();
    const policy = {
      Version: '2012-10-17',
      Statement: [{ Effect: 'Deny', Principal: '*', Action: 'sns:Publish', Resource: TOPIC_ARN }],
    };
    fixture.setTopicAttribute('Policy', JSON.stringify(policy));
    expect(errorOf(publishAs(fixture, ADMIN)).code).toBe('AuthorizationError');
  });
});

/** @see https://docs.aws.amazon.com/sns/latest/dg/sns-key-management.html */
describe('publishing to an encrypted topic', () => {
  function withKey(): { fixture: SnsFixture; keyArn: string } {
    const fixture = new SnsFixture();
    const { arn: keyArn, keyId } = fixture.kms.createKey();
    fixture.createTopic({ KmsMasterKeyId: keyId });
    return { fixture, keyArn };
  }

  const publishAs = (fixture: SnsFixture, caller: typeof ADMIN) => () =>
    fixture.sns.call('Publish', caller, { TopicArn: TOPIC_ARN, Message: 'order' });

  test.each([
    [['sns:Publish', 'kms:GenerateDataKey*', 'kms:Decrypt'], undefined],
    [['sns:Publish', 'kms:GenerateDataKey*'], 'kms:Decrypt'],
    [['sns:Publish', 'kms:Decrypt'], 'kms:GenerateDataKey'],
  ])('takes both permissions on its key: with %j', (actions, missing) => {
    const { fixture } = withKey();
    withPublisher(fixture, ...actions);
    if (missing === undefined) {
      expect(publishAs(fixture, roleCaller(ROLE_ARN))()).toHaveProperty('MessageId');
      return;
    }
    const error = errorOf(publishAs(fixture, roleCaller(ROLE_ARN)));
    expect(error).toMatchObject({ code: 'KMSAccessDenied', status: 400 });
    expect(error.message).toContain(`User: ${ROLE_ARN} is not authorized to perform: ${missing}`);
    expect(fixture.happened('sns.refused')).toHaveLength(1);
  });

  test('is refused to an alarm that the key’s policy does not know', () => {
    const { fixture, keyArn } = withKey();
    expect(errorOf(publishAs(fixture, ALARM)).code).toBe('KMSAccessDenied');
    fixture.kms.putKeyPolicy(keyArn, {
      Version: '2012-10-17',
      Statement: [
        { Effect: 'Allow', Principal: { AWS: '123456789012' }, Action: 'kms:*', Resource: '*' },
        {
          Effect: 'Allow',
          Principal: { Service: 'cloudwatch.amazonaws.com' },
          Action: ['kms:GenerateDataKey*', 'kms:Decrypt'],
          Resource: '*',
        },
      ],
    });
    expect(publishAs(fixture, ALARM)()).toHaveProperty('MessageId');
  });

  test.each<[string, (fixture: SnsFixture, keyArn: string) => void, string, number]>([
    ['is disabled', (fixture, keyArn) => fixture.kms.disableKey(keyArn), 'KMSDisabled', 400],
    ['is pending deletion', (fixture, keyArn) => fixture.kms.scheduleKeyDeletion(keyArn), 'KMSInvalidState', 400],
    ['does not exist', fixture => fixture.setTopicAttribute('KmsMasterKeyId', 'alias/nothing'), 'KMSNotFound', 400],
    [
      'is asked of a KMS that fails',
      fixture => fixture.faults.set({ service: 'kms', code: 'InternalException', httpStatus: 500 }),
      'InternalError',
      500,
    ],
    [
      'is asked of a KMS that throttles',
      fixture => fixture.faults.set({ service: 'kms', code: 'ThrottlingException', httpStatus: 400 }),
      'KMSThrottling',
      400,
    ],
  ])('is refused while its key %s', (_title, breaks, code, status) => {
    const { fixture, keyArn } = withKey();
    breaks(fixture, keyArn);
    expect(errorOf(publishAs(fixture, ADMIN))).toMatchObject({ code, status });
  });
});
