import { ADMIN, errorOf, SqsFixture } from '../sqs-fixture';

const FIFO_NAME =
  'The name of a FIFO queue can only include alphanumeric characters, hyphens, or underscores, must end with .fifo suffix and be 1 to 80 in length.';
const NAME = 'Can only include alphanumeric characters, hyphens, or underscores. 1 to 80 in length';

const refused = (code: string, message: string) => ({ code, message, status: 400 });

describe('a FIFO queue', () => {
  it('has AWS’s defaults (recorded 19 Aug 2025)', () => {
    const aws = new SqsFixture();
    const url = aws.createQueue('orders.fifo', { FifoQueue: 'true' });
    expect(url).toBe('https://sqs.us-east-1.amazonaws.com/123456789012/orders.fifo');
    expect(aws.attributes(url)).toMatchObject({
      ContentBasedDeduplication: 'false',
      DeduplicationScope: 'queue',
      FifoQueue: 'true',
      FifoThroughputLimit: 'perQueue',
      MaximumMessageSize: '1048576',
      VisibilityTimeout: '30',
    });
  });

  it.each([
    ['orders', { FifoQueue: 'true' }, FIFO_NAME],
    ['.fifo', { FifoQueue: 'true' }, FIFO_NAME],
    [`${'x'.repeat(76)}.fifo`, { FifoQueue: 'true' }, FIFO_NAME],
    ['orders.fifo', {}, NAME],
  ])('cannot be called %j with %j (aws-semantics 7; recorded)', (name, attributes, message) => {
    expect(errorOf(() => new SqsFixture().createQueue(name, attributes))).toEqual(
      refused('InvalidParameterValue', message),
    );
  });

  it('can have a name of 80 characters', () => {
    const aws = new SqsFixture();
    const name = `${'x'.repeat(75)}.fifo`;
    expect(aws.createQueue(name, { FifoQueue: 'true' })).toContain(name);
  });

  it('takes True for true (recorded), and tells it as true', () => {
    const aws = new SqsFixture();
    const True = { FifoQueue: 'True', ContentBasedDeduplication: 'True' };
    const url = aws.createQueue('orders.fifo', True);
    expect(aws.attributes(url)).toMatchObject({ FifoQueue: 'true', ContentBasedDeduplication: 'true' });
    expect(aws.createQueue('orders.fifo', True)).toBe(url);
  });

  it('is not created again with another attribute (recorded text)', () => {
    const aws = new SqsFixture();
    aws.createFifoQueue('orders');
    expect(errorOf(() => aws.createFifoQueue('orders', { ContentBasedDeduplication: 'false' }))).toEqual(
      refused(
        'QueueAlreadyExists',
        'A queue already exists with the same name and a different value for attribute ContentBasedDeduplication',
      ),
    );
  });

  it.each([
    ['FifoQueue', 'maybe'],
    ['ContentBasedDeduplication', ''],
    ['DeduplicationScope', 'group'],
    ['FifoThroughputLimit', 'unlimited'],
  ])('does not take %s %j', (name, value) => {
    const aws = new SqsFixture();
    const url = aws.createFifoQueue('orders');
    const set = () => aws.sqs.call('SetQueueAttributes', ADMIN, { QueueUrl: url, Attributes: { [name]: value } });
    expect(errorOf(set)).toEqual(refused('InvalidAttributeValue', `Invalid value for the parameter ${name}.`));
  });

  it('stays one: it may be told so again, but not that it is none (recorded)', () => {
    const aws = new SqsFixture();
    const url = aws.createFifoQueue('orders');
    const set = (FifoQueue: string) => () =>
      aws.sqs.call('SetQueueAttributes', ADMIN, { QueueUrl: url, Attributes: { FifoQueue } });
    expect(set('true')).not.toThrow();
    expect(errorOf(set('false'))).toEqual(
      refused(
        'InvalidAttributeValue',
        'Invalid value for the parameter FifoQueue. Reason: Modifying queue type is not supported.',
      ),
    );
  });

  const PAIRING = refused(
    'InvalidAttributeValue',
    'Invalid value for the parameter FifoThroughputLimit. Reason: To set FifoThroughputLimit to perMessageGroupId, the DeduplicationScope must be messageGroup.',
  );

  it('has a throughput limit per group only with deduplication per group (recorded text)', () => {
    const aws = new SqsFixture();
    const FifoThroughputLimit = 'perMessageGroupId';
    expect(errorOf(() => aws.createFifoQueue('orders', { FifoThroughputLimit }))).toEqual(PAIRING);
    const url = aws.createFifoQueue('orders', { FifoThroughputLimit, DeduplicationScope: 'messageGroup' });
    const set = (Attributes: Record<string, string>) => () =>
      aws.sqs.call('SetQueueAttributes', ADMIN, { QueueUrl: url, Attributes });
    expect(errorOf(set({ DeduplicationScope: 'queue' }))).toEqual(PAIRING);
    expect(set({ DeduplicationScope: 'queue', FifoThroughputLimit: 'perQueue' })).not.toThrow();
    expect(errorOf(set({ FifoThroughputLimit }))).toEqual(PAIRING);
    expect(aws.attributes(url)).toMatchObject({ DeduplicationScope: 'queue', FifoThroughputLimit: 'perQueue' });
  });

  it('has deduplication per group without a throughput limit per group (recorded)', () => {
    const aws = new SqsFixture();
    const url = aws.createFifoQueue('orders', { DeduplicationScope: 'messageGroup' });
    expect(aws.attributes(url)).toMatchObject({ DeduplicationScope: 'messageGroup', FifoThroughputLimit: 'perQueue' });
  });
});

describe('a standard queue', () => {
  it.each([
    ['FifoQueue', 'false', 'Unknown Attribute FifoQueue.'],
    ['ContentBasedDeduplication', 'true', 'Unknown Attribute ContentBasedDeduplication.'],
    ['DeduplicationScope', 'queue', 'You can specify the DeduplicationScope only when FifoQueue is set to true.'],
    ['FifoThroughputLimit', 'perQueue', 'You can specify the FifoThroughputLimit only when FifoQueue is set to true.'],
  ])('has no %s (recorded 15 May 2024)', (name, value, message) => {
    const aws = new SqsFixture();
    const error = refused('InvalidAttributeName', message);
    expect(errorOf(() => aws.createQueue('orders', { [name]: value }))).toEqual(error);
    const url = aws.createQueue('orders');
    const set = () => aws.sqs.call('SetQueueAttributes', ADMIN, { QueueUrl: url, Attributes: { [name]: value } });
    expect(errorOf(set)).toEqual(error);
  });

  it('cannot become a FIFO queue (recorded)', () => {
    const aws = new SqsFixture();
    const url = aws.createQueue('orders');
    const set = () => aws.sqs.call('SetQueueAttributes', ADMIN, { QueueUrl: url, Attributes: { FifoQueue: 'true' } });
    expect(errorOf(set)).toEqual(refused('InvalidAttributeName', 'Unknown Attribute FifoQueue.'));
  });

  it('is not asked for the attributes of a FIFO queue', () => {
    const aws = new SqsFixture();
    const url = aws.createQueue('orders');
    const ask = () => aws.sqs.call('GetQueueAttributes', ADMIN, { QueueUrl: url, AttributeNames: ['FifoQueue'] });
    expect(errorOf(ask)).toEqual(refused('InvalidAttributeName', 'Unknown Attribute FifoQueue.'));
  });
});
