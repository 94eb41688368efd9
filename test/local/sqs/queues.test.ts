import { sqsResourceTypes } from '../../../local/sqs';
import { createResource } from '../create-resource';
import { ADMIN, errorOf, SqsFixture, START_MS } from './sqs-fixture';

const refusal = (code: string, message: string, status = 400) => ({ code, message, status });

describe('a queue', () => {
  it('has the kind of encryption that was set last', async () => {
    const aws = new SqsFixture();
    const url = aws.createQueue('orders', { KmsMasterKeyId: 'alias/orders' });
    expect(aws.attributes(url)).toMatchObject({
      KmsMasterKeyId: 'alias/orders',
      KmsDataKeyReusePeriodSeconds: '300',
      SqsManagedSseEnabled: 'false',
    });
    await aws.goTo(60);
    aws.sqs.call('SetQueueAttributes', ADMIN, { QueueUrl: url, Attributes: { SqsManagedSseEnabled: 'true' } });
    expect(aws.attributes(url)).not.toHaveProperty('KmsMasterKeyId');
    expect(aws.attributes(url)).toMatchObject({
      SqsManagedSseEnabled: 'true',
      LastModifiedTimestamp: String(START_MS / 1000 + 60),
    });
    const both = { KmsMasterKeyId: 'alias/orders', SqsManagedSseEnabled: 'true' };
    expect(errorOf(() => aws.createQueue('both', both))).toEqual(
      refusal(
        'InvalidAttributeName',
        'You can use one type of server-side encryption (SSE) at one time. You can either enable KMS SSE or SQS SSE.',
      ),
    );
  });

  it('is not encrypted after its key is removed (recorded 10 Dec 2025)', () => {
    const aws = new SqsFixture();
    const url = aws.createQueue('orders');
    const set = (Attributes: Record<string, string>) =>
      aws.sqs.call('SetQueueAttributes', ADMIN, { QueueUrl: url, Attributes });
    set({ KmsMasterKeyId: 'testKeyId', KmsDataKeyReusePeriodSeconds: '6000' });
    expect(aws.attributes(url)).toMatchObject({
      KmsMasterKeyId: 'testKeyId',
      KmsDataKeyReusePeriodSeconds: '6000',
      SqsManagedSseEnabled: 'false',
    });
    set({ KmsMasterKeyId: '', KmsDataKeyReusePeriodSeconds: '300' });
    const attributes = aws.attributes(url);
    expect(attributes).toMatchObject({ SqsManagedSseEnabled: 'false' });
    expect(attributes).not.toHaveProperty('KmsMasterKeyId');
    expect(attributes).not.toHaveProperty('KmsDataKeyReusePeriodSeconds');
  });

  it('is not changed at all if one of the attributes to set is refused', () => {
    const aws = new SqsFixture();
    const url = aws.createQueue('orders', { DelaySeconds: '5' });
    const Attributes = { DelaySeconds: '6', VisibilityTimeout: '-1' };
    expect(errorOf(() => aws.sqs.call('SetQueueAttributes', ADMIN, { QueueUrl: url, Attributes })).code).toBe(
      'InvalidAttributeValue',
    );
    expect(aws.attributes(url)).toMatchObject({ DelaySeconds: '5' });
  });

  it('shows the requested attributes, and none without a request', () => {
    const aws = new SqsFixture();
    const QueueUrl = aws.createQueue('orders');
    const ask = (...names: string[]) =>
      aws.sqs.call('GetQueueAttributes', ADMIN, { QueueUrl, AttributeNames: names as 'All'[] }).Attributes;
    expect(ask('DelaySeconds', 'QueueArn')).toEqual({ DelaySeconds: '0', QueueArn: aws.arnOf(QueueUrl) });
    expect(ask()).toBeUndefined();
    expect(ask('Policy')).toBeUndefined();
    expect(errorOf(() => ask('Colour'))).toEqual(refusal('InvalidAttributeName', 'Unknown Attribute Colour.'));
  });

  it.each([
    ['VisibilityTimeout', '43201'],
    ['VisibilityTimeout', '-1'],
    ['VisibilityTimeout', ''],
    ['MessageRetentionPeriod', '59'],
    ['MessageRetentionPeriod', '1209601'],
    ['MaximumMessageSize', '1023'],
    ['MaximumMessageSize', '1048577'],
    ['DelaySeconds', '901'],
    ['DelaySeconds', '1.5'],
    ['ReceiveMessageWaitTimeSeconds', '21'],
    ['KmsDataKeyReusePeriodSeconds', '59'],
    ['SqsManagedSseEnabled', 'maybe'],
    ['Policy', 'not JSON'],
    ['Policy', '[]'],
    ['KmsMasterKeyId', 'x'.repeat(2_049)],
  ])('refuses %s %j', (name, value) => {
    const aws = new SqsFixture();
    const error = refusal('InvalidAttributeValue', `Invalid value for the parameter ${name}.`);
    expect(errorOf(() => aws.createQueue('orders', { [name]: value }))).toEqual(error);
    const url = aws.createQueue('orders');
    const set = () => aws.sqs.call('SetQueueAttributes', ADMIN, { QueueUrl: url, Attributes: { [name]: value } });
    expect(errorOf(set)).toEqual(error);
  });

  it('refuses a policy that cannot be evaluated, with the reason', () => {
    const aws = new SqsFixture();
    const url = aws.createQueue('orders');
    const statement = { Effect: 'Allow', Principal: '*', Action: 'sqs:SendMessage', Resource: '*' };
    const Condition = { StringResembles: { 'aws:SourceArn': 'x' } };
    const Policy = JSON.stringify({ Version: '2012-10-17', Statement: [{ ...statement, Condition }] });
    const error = errorOf(() => aws.sqs.call('SetQueueAttributes', ADMIN, { QueueUrl: url, Attributes: { Policy } }));
    expect(error).toMatchObject({ code: 'InvalidAttributeValue', status: 400 });
    expect(error.message).toMatch(/^Invalid value for the parameter Policy\. \(.*StringResembles/);
    expect(aws.attributes(url)).not.toHaveProperty('Policy');
  });

  it.each(['', 'a b', 'x'.repeat(81), 'ünlaut'])('cannot have the name %j', name => {
    expect(errorOf(() => new SqsFixture().createQueue(name)).code).toMatch(
      /^(InvalidParameterValue|MissingParameter)$/,
    );
  });

  it('is created once: the same attributes return it again, and others are refused', () => {
    const aws = new SqsFixture();
    const url = aws.createQueue('orders', { DelaySeconds: '5' });
    expect(aws.createQueue('orders', { DelaySeconds: '5' })).toBe(url);
    expect(aws.createQueue('orders')).toBe(url);
    expect(errorOf(() => aws.createQueue('orders', { DelaySeconds: '6' }))).toMatchObject({
      code: 'QueueAlreadyExists',
    });
    expect(aws.happened('sqs.queue-created')).toHaveLength(1);
  });

  it('shows a number without leading zeros (assumption SQS-1)', () => {
    const aws = new SqsFixture();
    const url = aws.createQueue('orders', { DelaySeconds: '00000000000000000000000005' });
    expect(aws.attributes(url)).toMatchObject({ DelaySeconds: '5' });
    expect(aws.createQueue('orders', { DelaySeconds: '5' })).toBe(url);
    expect(aws.createQueue('orders', { DelaySeconds: '05' })).toBe(url);
  });

  it('is the same if it is created with an empty text for an absent attribute', () => {
    const aws = new SqsFixture();
    const url = aws.createQueue('orders', { RedrivePolicy: '' });
    expect(aws.createQueue('orders', { RedrivePolicy: '' })).toBe(url);
  });

  it('is found by its name, its ARN, and its URL on any host', () => {
    const aws = new SqsFixture();
    const url = aws.createQueue('orders');
    expect(aws.sqs.call('GetQueueUrl', ADMIN, { QueueName: 'orders' })).toEqual({ QueueUrl: url });
    expect(aws.sqs.queueByArn('arn:aws:sqs:us-east-1:123456789012:orders')).toMatchObject({ url, name: 'orders' });
    expect(aws.sqs.queueByArn('arn:aws:sqs:eu-west-1:123456789012:orders')).toBeUndefined();
    expect(aws.sqs.queueByUrl('http://127.0.0.1:4566/123456789012/orders')).toMatchObject({ name: 'orders' });
    expect(aws.sqs.queueByUrl('http://127.0.0.1:4566/999999999999/orders')).toBeUndefined();
  });

  it('is listed with the others, page by page', () => {
    const aws = new SqsFixture();
    const urls = ['a1', 'b1', 'a2', 'a3'].map(name => aws.createQueue(name));
    const list = (input = {}) => aws.sqs.call('ListQueues', ADMIN, input);
    expect(list()).toEqual({ QueueUrls: urls });
    const first = list({ QueueNamePrefix: 'a', MaxResults: 2 });
    expect(first.QueueUrls).toEqual([urls[0], urls[2]]);
    const second = list({ QueueNamePrefix: 'a', MaxResults: 2, NextToken: first.NextToken });
    expect(second).toEqual({ QueueUrls: [urls[3]] });
    expect(list({ QueueNamePrefix: 'z' })).toEqual({});
    expect(errorOf(() => list({ MaxResults: 1001 })).message).toContain('MaxResults');
    expect(errorOf(() => list({ NextToken: 'x' })).message).toContain('NextToken');
  });

  it('is one of the first 1,000 in a list without paging', () => {
    const aws = new SqsFixture();
    for (let i = 0; i <= 1_000; i += 1) aws.createQueue(`q${i}`);
    const answer = aws.sqs.call('ListQueues', ADMIN, {});
    expect(answer.QueueUrls).toHaveLength(1_000);
    expect(answer).not.toHaveProperty('NextToken');
  });

  it('lists the queues that use it as their dead-letter queue', () => {
    const aws = new SqsFixture();
    const dlq = aws.createQueue('dlq');
    const RedrivePolicy = JSON.stringify({ deadLetterTargetArn: aws.arnOf(dlq), maxReceiveCount: 3 });
    const sources = ['one', 'two'].map(name => aws.createQueue(name, { RedrivePolicy }));
    const list = (input = {}) => aws.sqs.call('ListDeadLetterSourceQueues', ADMIN, { QueueUrl: dlq, ...input });
    expect(list()).toEqual({ queueUrls: sources });
    const { queueUrls, NextToken } = list({ MaxResults: 1 });
    expect(queueUrls).toEqual([sources[0]]);
    expect(list({ MaxResults: 1, NextToken })).toEqual({ queueUrls: [sources[1]] });
    expect(errorOf(() => list({ MaxResults: 0 })).message).toContain('MaxResults');
  });

  it('that is deleted loses its messages, and its name cannot be used for 60 seconds', async () => {
    const aws = new SqsFixture();
    const url = aws.createQueue('orders');
    aws.send(url, 'order');
    aws.receive(url);
    aws.sqs.call('DeleteQueue', ADMIN, { QueueUrl: url });
    expect(aws.happened('sqs.queue-deleted')).toMatchObject([{ messages: 1 }]);
    expect(errorOf(() => aws.receive(url)).code).toBe('AWS.SimpleQueueService.NonExistentQueue');
    await aws.goTo(59);
    expect(errorOf(() => aws.createQueue('orders')).code).toBe('AWS.SimpleQueueService.QueueDeletedRecently');
    await aws.goTo(60);
    expect(aws.bodies(aws.createQueue('orders'))).toEqual([]);
  });
});

describe('the access to a queue', () => {
  it('is decided for every action by its permission, with the queue’s own policy', () => {
    const aws = new SqsFixture();
    const Policy = JSON.stringify({ Version: '2012-10-17', Statement: [] });
    const url = aws.createQueue('orders', { Policy });
    aws.asked.length = 0;
    aws.sqs.call('SendMessageBatch', ADMIN, { QueueUrl: url, Entries: [{ Id: 'a', MessageBody: 'x' }] });
    const [message] = aws.receive(url);
    const Entries = [{ Id: 'a', ReceiptHandle: message?.ReceiptHandle, VisibilityTimeout: 9 }];
    aws.sqs.call('ChangeMessageVisibilityBatch', ADMIN, { QueueUrl: url, Entries });
    aws.sqs.call('DeleteMessageBatch', ADMIN, { QueueUrl: url, Entries });
    expect(aws.asked.map(({ action }) => action)).toEqual([
      'sqs:SendMessage',
      'sqs:ReceiveMessage',
      'sqs:ChangeMessageVisibility',
      'sqs:DeleteMessage',
    ]);
    expect(aws.asked[0]).toMatchObject({
      caller: ADMIN,
      resource: 'arn:aws:sqs:us-east-1:123456789012:orders',
      resourcePolicy: { Version: '2012-10-17', Statement: [] },
    });
  });

  it('if denied, gives the caller a short text (aws-semantics 3), and the trace the full reason', () => {
    const aws = new SqsFixture();
    const url = aws.createQueue('orders');
    aws.decideAccess = () => ({ allowed: false, reason: 'no statement allows it' });
    expect(errorOf(() => aws.send(url, 'x'))).toEqual(
      refusal('AccessDenied', `Access to the resource ${url} is denied.`, 403),
    );
    expect(aws.happened('sqs.refused')).toMatchObject([
      { action: 'SendMessage', resource: aws.arnOf(url), code: 'AccessDenied', reason: 'no statement allows it' },
    ]);
  });

  it('is not checked while a fault applies, because SQS answers no call', async () => {
    const aws = new SqsFixture();
    const url = aws.createQueue('orders');
    aws.faults.set({ service: 'sqs', resource: aws.arnOf(url), untilMs: START_MS + 5_000 });
    aws.asked.length = 0;
    expect(errorOf(() => aws.send(url, 'x'))).toMatchObject({ code: 'ServiceUnavailable', status: 503 });
    expect(aws.asked).toEqual([]);
    await aws.goTo(5);
    expect(aws.send(url, 'x')).not.toBe('');
  });
});

describe('a queue encrypted with a customer’s key', () => {
  it('requires permissions on the key for the caller: two to send, one to receive', () => {
    const aws = new SqsFixture();
    const url = aws.createQueue('orders', { KmsMasterKeyId: 'alias/orders' });
    aws.receive(url);
    expect(aws.askedKeys).toEqual([]);
    aws.send(url, 'x');
    aws.receive(url);
    const via = 'sqs.us-east-1.amazonaws.com';
    expect(aws.askedKeys).toEqual([
      `alias/orders kms:GenerateDataKey ${via}`,
      `alias/orders kms:Decrypt ${via}`,
      `alias/orders kms:Decrypt ${via}`,
    ]);
  });

  it.each([
    ['without a grant', {}, 'KMS.AccessDeniedException', 400],
    ['disabled', { code: 'KMS.DisabledException' }, 'KMS.DisabledException', 400],
    ['that does not exist', { code: 'KMS.NotFoundException' }, 'KMS.NotFoundException', 400],
    ['KMS cannot answer for', { code: 'KMS.InternalException', httpStatus: 500 }, 'KMS.InternalException', 500],
  ])('with a key %s refuses messages (aws-semantics 3)', (_, decision, code, status) => {
    const aws = new SqsFixture();
    const url = aws.createQueue('orders', { KmsMasterKeyId: 'alias/orders' });
    aws.decideKey = (_keyId, action) => ({
      allowed: action !== 'kms:GenerateDataKey',
      reason: 'no grant',
      ...decision,
    });
    const message = `null (Service: AWSKMS; Status Code: ${status}; Error Code: ${code.replace('KMS.', '')})`;
    expect(errorOf(() => aws.send(url, 'x'))).toEqual(refusal(code, message, status));
    expect(aws.happened('sqs.refused')).toMatchObject([{ code, reason: 'kms:GenerateDataKey: no grant' }]);
    expect(aws.happened('sqs.sent')).toEqual([]);
  });

  /**
   * "Moving a message to a dead-letter queue doesn't affect its encryption: When Amazon SQS moves a message from an
   * encrypted source queue to an unencrypted dead-letter queue, the message remains encrypted."
   * @see https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/sqs-server-side-encryption.html
   */
  it('keeps the key of each message when the message is moved to a dead-letter queue, or the queue gets another key', () => {
    const aws = new SqsFixture();
    const dead = aws.createQueue('dead');
    const RedrivePolicy = JSON.stringify({
      deadLetterTargetArn: aws.attributes(dead)['QueueArn'],
      maxReceiveCount: 1,
    });
    const url = aws.createQueue('orders', { KmsMasterKeyId: 'alias/orders', RedrivePolicy });
    aws.send(url, 'x');
    aws.receive(url, 0);
    aws.receive(url, 0);
    const set = (Attributes: Record<string, string>) =>
      aws.sqs.call('SetQueueAttributes', ADMIN, { QueueUrl: dead, Attributes });
    const unreadable = (key: string) => {
      aws.decideKey = keyId => ({ allowed: keyId !== key, reason: 'no grant' });
      return errorOf(() => aws.receive(dead)).code;
    };
    expect(unreadable('alias/orders')).toBe('KMS.AccessDeniedException');
    // **Assumption KMS-5**
    expect(aws.askedContexts.at(-1)).toMatchObject({
      'kms:EncryptionContext:aws:sqs:arn': aws.attributes(url)['QueueArn'],
    });
    set({ KmsMasterKeyId: 'alias/dead' });
    expect(unreadable('alias/orders')).toBe('KMS.AccessDeniedException');
    aws.send(dead, 'y');
    aws.decideKey = keyId => ({ allowed: keyId !== 'alias/dead', reason: 'no grant' });
    const received = aws.sqs.call('ReceiveMessage', ADMIN, { QueueUrl: dead, MaxNumberOfMessages: 10 });
    expect(received).toMatchObject({ Messages: [{ Body: 'x' }] });
  });

  it('with a key that refuses the receiver returns nothing, counts no receive, and fails a waiting poll', async () => {
    const aws = new SqsFixture();
    const url = aws.createQueue('orders', { KmsMasterKeyId: 'alias/orders' });
    const polled = aws.sqs.call('ReceiveMessage', ADMIN, { QueueUrl: url, WaitTimeSeconds: 20 });
    const refused = expect(polled).rejects.toMatchObject({ code: 'KMS.AccessDeniedException' });
    aws.send(url, 'x');
    aws.decideKey = () => ({ allowed: false, reason: 'no grant' });
    await aws.goTo(1);
    await refused;
    expect(aws.happened('sqs.refused')).toMatchObject([{ action: 'ReceiveMessage', reason: 'kms:Decrypt: no grant' }]);
    aws.decideKey = () => ({ allowed: true, reason: 'granted' });
    expect(aws.receive(url)).toMatchObject([{ Attributes: { ApproximateReceiveCount: '1' } }]);
  });
});

const URL = 'https://sqs.us-east-1.amazonaws.com/123456789012/orders';
const many = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, i) => [`key ${i}`, `value ${i}`]));

function queue() {
  const aws = new SqsFixture();
  const QueueUrl = aws.createQueue('orders');
  const tag = (Tags: Record<string, string>) => aws.sqs.call('TagQueue', ADMIN, { QueueUrl, Tags });
  const untag = (TagKeys: string[]) => aws.sqs.call('UntagQueue', ADMIN, { QueueUrl, TagKeys });
  const list = () => aws.sqs.call('ListQueueTags', ADMIN, { QueueUrl });
  return { aws, tag, untag, list };
}

/** @see https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/sqs-queue-tags.html */
describe('the tags of a queue', () => {
  it('are added, replaced by key, and removed; an answer without any has no Tags', () => {
    const { tag, untag, list } = queue();
    expect(list()).toEqual({});
    tag({ Team: 'rental', team: 'lower case is another key' });
    tag({ Team: 'returns', Stage: '' });
    expect(list()).toEqual({ Tags: { Team: 'returns', team: 'lower case is another key', Stage: '' } });
    untag(['team', 'Stage', 'never there']);
    expect(list()).toEqual({ Tags: { Team: 'returns' } });
    untag(['Team']);
    expect(list()).toEqual({});
  });

  it('are fifty at most, and a call that would exceed that adds none', () => {
    const { tag, list } = queue();
    tag(many(49));
    const tooMany = { code: 'InvalidParameterValue', message: 'Too many tags added for queue orders.', status: 400 };
    expect(errorOf(() => tag({ one: '', two: '' }))).toEqual(tooMany);
    expect(Object.keys(list().Tags ?? {})).toHaveLength(49);
    tag({ one: '', 'key 1': 'replaced' });
    expect(Object.keys(list().Tags ?? {})).toHaveLength(50);
    expect(errorOf(() => tag(many(51)))).toEqual(tooMany);
  });

  it.each([
    [{ '': 'x' }, 'Tag keys must be between 1 and 128 characters in length.'],
    [{ ['k'.repeat(129)]: 'x' }, 'Tag keys must be between 1 and 128 characters in length.'],
    [{ k: 'v'.repeat(257) }, 'Tag values must be between 0 and 256 characters in length.'],
    [{ 'aws:mine': 'x' }, 'Tag keys cannot begin with aws:, which AWS reserves; got aws:mine.'],
    [{ k: 'a;b' }, 'Tags can hold letters, digits, spaces and _ . : / = + - @ only; got a;b'],
  ])('%j are refused', (tags, message) => {
    const { tag, list } = queue();
    expect(errorOf(() => tag(tags))).toEqual({ code: 'InvalidParameterValue', message, status: 400 });
    expect(list()).toEqual({});
  });

  it('may have characters of any script, and the length that AWS allows', () => {
    const { tag, list } = queue();
    const tags = { ['k'.repeat(128)]: 'v'.repeat(256), 東京: 'Zürich _.:/=+-@' };
    tag(tags);
    expect(list()).toEqual({ Tags: tags });
  });

  it('are required to add some, and keys to remove some', () => {
    const { tag, untag } = queue();
    expect(errorOf(() => tag({}))).toMatchObject({
      code: 'MissingParameter',
      message: 'The request must contain the parameter Tags.',
    });
    expect(errorOf(() => untag([]))).toMatchObject({
      code: 'InvalidParameterValue',
      message: 'Tag keys must be between 1 and 128 characters in length.',
    });
  });

  it('can be set by CreateQueue, which then requires the permission to tag', () => {
    const { aws } = queue();
    const create = (QueueName: string) =>
      aws.sqs.call('CreateQueue', ADMIN, { QueueName, tags: { Team: 'rental' } }).QueueUrl;
    expect(aws.sqs.call('ListQueueTags', ADMIN, { QueueUrl: create('tagged') })).toEqual({
      Tags: { Team: 'rental' },
    });
    aws.decideAccess = ({ action }) => ({ allowed: action !== 'sqs:TagQueue', reason: 'the test' });
    expect(errorOf(() => create('other')).code).toBe('AccessDenied');
    expect(aws.sqs.queues().map(({ name }) => name)).toEqual(['orders', 'tagged']);
  });

  it('fail the creation of a queue if they break a rule', () => {
    const { aws } = queue();
    const create = () => aws.sqs.call('CreateQueue', ADMIN, { QueueName: 'other', tags: many(51) });
    expect(errorOf(create).message).toBe('Too many tags added for queue other.');
    expect(aws.sqs.queues()).toHaveLength(1);
  });
});

describe('the tags of a queue in a template', () => {
  it('are set on the queue', async () => {
    const { aws } = queue();
    const { problems } = await createResource(sqsResourceTypes(aws.sqs), 'AWS::SQS::Queue', {
      QueueName: 'deployed',
      Tags: [
        { Key: 'Team', Value: 'rental' },
        { Key: 'Stage', Value: 'prod' },
      ],
    });
    expect(problems).toEqual([]);
    const QueueUrl = URL.replace('orders', 'deployed');
    expect(aws.sqs.call('ListQueueTags', ADMIN, { QueueUrl })).toEqual({ Tags: { Team: 'rental', Stage: 'prod' } });
  });

  it('are named if they break a rule', async () => {
    const { aws } = queue();
    const { problems } = await createResource(sqsResourceTypes(aws.sqs), 'AWS::SQS::Queue', {
      Tags: [{ Key: 'aws:mine', Value: 'x' }],
    });
    expect(problems).toEqual([
      'Tags is refused (InvalidParameterValue: Tag keys cannot begin with aws:, which AWS reserves; got aws:mine.)',
    ]);
  });
});
