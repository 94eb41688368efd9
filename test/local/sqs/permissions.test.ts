import { sqsResourceTypes } from '../../../local/sqs';
import { createResource } from '../create-resource';
import { ADMIN, errorOf, SqsFixture } from './sqs-fixture';

const ARN = 'arn:aws:sqs:us-east-1:123456789012:orders';
const OTHER_ACCOUNT = '111111111111';

function queue(Policy?: object) {
  const aws = new SqsFixture();
  const QueueUrl = aws.createQueue('orders', Policy && { Policy: JSON.stringify(Policy) });
  const add = (Label: string, Actions: string[] = ['SendMessage'], AWSAccountIds: string[] = [OTHER_ACCOUNT]) =>
    aws.sqs.call('AddPermission', ADMIN, { QueueUrl, Label, Actions, AWSAccountIds });
  const remove = (Label: string) => aws.sqs.call('RemovePermission', ADMIN, { QueueUrl, Label });
  const policy = (): unknown => {
    const text = aws.attributes(QueueUrl)['Policy'];
    return text === undefined ? undefined : JSON.parse(text);
  };
  return { aws, QueueUrl, add, remove, policy };
}

/** @see https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_AddPermission.html */
describe('a permission of AddPermission', () => {
  it('is a statement of the queue’s policy, which AWS creates if there is none', () => {
    const { add, policy } = queue();
    add('crossAccount');
    expect(policy()).toEqual({
      Version: '2008-10-17',
      Id: `${ARN}/SQSDefaultPolicy`,
      Statement: [
        {
          Sid: 'crossAccount',
          Effect: 'Allow',
          Principal: { AWS: `arn:aws:iam::${OTHER_ACCOUNT}:root` },
          Action: 'SQS:SendMessage',
          Resource: ARN,
        },
      ],
    });
  });

  it('can list several accounts and actions', () => {
    const { add, policy } = queue();
    add('both', ['SendMessage', 'ReceiveMessage'], [OTHER_ACCOUNT, '222222222222']);
    expect(policy()).toMatchObject({
      Statement: [
        {
          Principal: { AWS: [`arn:aws:iam::${OTHER_ACCOUNT}:root`, 'arn:aws:iam::222222222222:root'] },
          Action: ['SQS:SendMessage', 'SQS:ReceiveMessage'],
        },
      ],
    });
  });

  it('is added to an existing policy, even one with a single statement outside a list, and is removed without changing it', () => {
    const own = { Sid: 'own', Effect: 'Deny', Principal: '*', Action: 'sqs:*', Resource: ARN };
    const { add, remove, policy } = queue({ Version: '2012-10-17', Statement: own });
    add('mine', ['*']);
    expect(policy()).toEqual({
      Version: '2012-10-17',
      Statement: [own, expect.objectContaining({ Sid: 'mine', Action: 'SQS:*' })],
    });
    remove('mine');
    expect(policy()).toEqual({ Version: '2012-10-17', Statement: [own] });
  });

  it('that is the last removes the policy with it', () => {
    const { add, remove, policy } = queue();
    add('one');
    add('two');
    remove('one');
    expect(policy()).toMatchObject({ Statement: [{ Sid: 'two' }] });
    remove('two');
    expect(policy()).toBeUndefined();
  });

  /** "AddPermission returns this error if the maximum number of permissions for the queue is reached." */
  it('is one of at most 20 statements', () => {
    const { add, policy } = queue();
    for (let i = 0; i < 20; i += 1) add(`label${i}`);
    expect(errorOf(() => add('more'))).toMatchObject({ code: 'OverLimit' });
    expect(policy()).toMatchObject({ Statement: { length: 20 } });
  });

  it('applies to the next call', () => {
    const { aws, add, QueueUrl } = queue();
    add('mine');
    aws.send(QueueUrl, 'x');
    expect(aws.asked.at(-1)?.resourcePolicy).toMatchObject({ Statement: [{ Sid: 'mine' }] });
    expect(aws.happened('sqs.attributes-set')).toMatchObject([{ queueArn: ARN, attributes: ['Policy'] }]);
  });

  it.each<[string, string, string[], string[], string, number]>([
    ['MissingParameter', '', ['SendMessage'], [OTHER_ACCOUNT], 'The request must contain the parameter Label.', 400],
    [
      'InvalidParameterValue',
      'with space',
      ['SendMessage'],
      [OTHER_ACCOUNT],
      'Label can only include alphanumeric characters, hyphens, or underscores. 1 to 80 in length',
      400,
    ],
    [
      'InvalidParameterValue',
      'taken',
      ['SendMessage'],
      [OTHER_ACCOUNT],
      'Value taken for parameter Label is invalid. Reason: Already exists.',
      400,
    ],
    ['MissingParameter', 'l', [], [OTHER_ACCOUNT], 'The request must contain the parameter Actions.', 400],
    [
      'InvalidParameterValue',
      'l',
      ['SendMessageBatch'],
      [OTHER_ACCOUNT],
      'Value SQS:SendMessageBatch for parameter ActionName is invalid. Reason: Please refer to the appropriate WSDL for a list of valid actions.',
      400,
    ],
    [
      'InvalidParameterValue',
      'l',
      ['SendMessage', 'DeleteQueue'],
      [OTHER_ACCOUNT],
      'Value SQS:DeleteQueue for parameter ActionName is invalid. Reason: Only the queue owner is allowed to invoke this action.',
      400,
    ],
    [
      'OverLimit',
      'l',
      Array(8).fill('SendMessage'),
      [OTHER_ACCOUNT],
      '8 Actions were found, maximum allowed is 7.',
      403,
    ],
    [
      'InvalidParameterValue',
      'l',
      ['SendMessage'],
      [],
      'Value [] for parameter PrincipalId is invalid. Reason: Unable to verify.',
      400,
    ],
    [
      'InvalidParameterValue',
      'l',
      ['SendMessage'],
      [OTHER_ACCOUNT, '12'],
      'Value [111111111111, 12] for parameter PrincipalId is invalid. Reason: Unable to verify.',
      400,
    ],
  ])('is refused with %s for label %p, actions %j, accounts %j', (code, label, actions, accounts, message, status) => {
    const { add, policy } = queue();
    add('taken');
    const before = policy();
    expect(errorOf(() => add(label, actions, accounts))).toEqual({ code, message, status });
    expect(policy()).toEqual(before);
  });

  it('cannot be removed if it does not exist', () => {
    const { remove } = queue();
    expect(errorOf(() => remove('none'))).toEqual({
      code: 'InvalidParameterValue',
      message: "Value none for parameter Label is invalid. Reason: can't find label on existing policy.",
      status: 400,
    });
    expect(errorOf(() => remove('')).message).toBe('The request must contain the parameter Label.');
  });
});

describe('AWS::SQS::QueueInlinePolicy', () => {
  const PolicyDocument = {
    Version: '2012-10-17',
    Statement: [
      { Effect: 'Allow', Principal: { Service: 'sns.amazonaws.com' }, Action: 'sqs:SendMessage', Resource: ARN },
    ],
  };

  it('is the policy of its queue, and its Ref is the queue’s URL', async () => {
    const { aws, QueueUrl, policy } = queue();
    const types = sqsResourceTypes(aws.sqs);
    const created = await createResource(types, 'AWS::SQS::QueueInlinePolicy', { PolicyDocument, Queue: QueueUrl });
    expect(created).toEqual({ created: { ref: QueueUrl, attributes: {} }, problems: [] });
    expect(policy()).toEqual(PolicyDocument);
  });

  it('fails, and does not replace an existing policy', async () => {
    const { aws, QueueUrl, policy } = queue();
    const types = sqsResourceTypes(aws.sqs);
    await createResource(types, 'AWS::SQS::QueueInlinePolicy', { PolicyDocument, Queue: QueueUrl });
    const other = { Version: '2012-10-17', Statement: [] };
    const again = async () =>
      createResource(types, 'AWS::SQS::QueueInlinePolicy', { PolicyDocument: other, Queue: QueueUrl });
    await expect(again()).rejects.toThrow(`'AWS::SQS::QueueInlinePolicy' with identifier '${QueueUrl}' already exists`);
    expect(policy()).toEqual(PolicyDocument);
  });

  it('names the missing properties', async () => {
    const { aws } = queue();
    const { problems } = await createResource(sqsResourceTypes(aws.sqs), 'AWS::SQS::QueueInlinePolicy', {});
    expect(problems).toEqual(['PolicyDocument is required', 'Queue is required']);
  });
});
