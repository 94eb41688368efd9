import { PropertyReader } from '../../../local/cloudformation/property-reader';
import type { CreateContext } from '../../../local/cloudformation/resource-type';
import { sqsResourceTypes } from '../../../local/sqs';
import { ADMIN, errorOf, SqsFixture } from './sqs-fixture';

function deployment() {
  const aws = new SqsFixture();
  const context: CreateContext = {
    logicalId: 'Dlq',
    stackName: 'Rental',
    physicalName: () => 'Rental-Dlq-ABC',
    assetPath: () => undefined,
    takesTime: false,
  };
  const create = (type: string, properties: Record<string, unknown>) => {
    const reader = new PropertyReader(properties, type);
    const created = sqsResourceTypes(aws.sqs)
      .find(it => it.type === type)
      ?.create(reader, context);
    return { created, problems: reader.allProblems().map(({ property, rule }) => `${property} ${rule}`) };
  };
  return { aws, create };
}

describe('AWS::SQS::Queue', () => {
  it('returns its URL, ARN and name, and uses every property', () => {
    const { aws, create } = deployment();
    aws.createQueue('dlq');
    const { created, problems } = create('AWS::SQS::Queue', {
      QueueName: 'orders',
      DelaySeconds: 1,
      MaximumMessageSize: '2048',
      MessageRetentionPeriod: 1_209_600,
      ReceiveMessageWaitTimeSeconds: 20,
      VisibilityTimeout: 180,
      KmsMasterKeyId: 'alias/orders',
      KmsDataKeyReusePeriodSeconds: 60,
      RedrivePolicy: { deadLetterTargetArn: 'arn:aws:sqs:us-east-1:123456789012:dlq', maxReceiveCount: 3 },
      RedriveAllowPolicy: { redrivePermission: 'denyAll' },
      Tags: [{ Key: 'a', Value: 'b' }],
    });
    expect(problems).toEqual([]);
    const url = 'https://sqs.us-east-1.amazonaws.com/123456789012/orders';
    expect(created).toEqual({
      ref: url,
      attributes: { Arn: 'arn:aws:sqs:us-east-1:123456789012:orders', QueueName: 'orders', QueueUrl: url },
    });
    expect(aws.attributes(url)).toMatchObject({
      DelaySeconds: '1',
      MaximumMessageSize: '2048',
      MessageRetentionPeriod: '1209600',
      ReceiveMessageWaitTimeSeconds: '20',
      VisibilityTimeout: '180',
      KmsMasterKeyId: 'alias/orders',
      KmsDataKeyReusePeriodSeconds: '60',
      RedrivePolicy: '{"deadLetterTargetArn":"arn:aws:sqs:us-east-1:123456789012:dlq","maxReceiveCount":3}',
      RedriveAllowPolicy: '{"redrivePermission":"denyAll"}',
    });
  });

  it('gets a physical name if it has none', () => {
    const { create } = deployment();
    expect(create('AWS::SQS::Queue', {}).created?.attributes['QueueName']).toBe('Rental-Dlq-ABC');
  });

  it('reports all its errors at once, in AWS’s words', () => {
    const { create } = deployment();
    const { problems } = create('AWS::SQS::Queue', {
      VisibilityTimeout: 43_201,
      DelaySeconds: 'soon',
      FifoQueue: true,
      FifoThroughputLimit: 'perMessageGroupId',
      DeduplicationScope: 'everywhere',
      RedrivePolicy: { maxReceiveCount: 3 },
      Colour: 'red',
    });
    expect(problems).toEqual([
      'DelaySeconds must be a number',
      'VisibilityTimeout is refused (InvalidAttributeValue: Invalid value for the parameter VisibilityTimeout.)',
      'DeduplicationScope is refused (InvalidAttributeValue: Invalid value for the parameter DeduplicationScope.)',
      'FifoThroughputLimit is refused (InvalidAttributeValue: Invalid value for the parameter FifoThroughputLimit. Reason: To set FifoThroughputLimit to perMessageGroupId, the DeduplicationScope must be messageGroup.)',
      expect.stringContaining('Redrive policy does not contain mandatory attribute: deadLetterTargetArn.'),
      'Colour is not implemented by the embedded AWS',
    ]);
  });

  it('is a FIFO queue with every property of one', () => {
    const { aws, create } = deployment();
    const { created, problems } = create('AWS::SQS::Queue', {
      QueueName: 'orders.fifo',
      FifoQueue: true,
      ContentBasedDeduplication: 'true',
      DeduplicationScope: 'messageGroup',
      FifoThroughputLimit: 'perMessageGroupId',
    });
    expect(problems).toEqual([]);
    expect(aws.attributes(created?.ref ?? '')).toMatchObject({
      FifoQueue: 'true',
      ContentBasedDeduplication: 'true',
      DeduplicationScope: 'messageGroup',
      FifoThroughputLimit: 'perMessageGroupId',
    });
  });

  it('gets a physical name that ends in .fifo if it is a FIFO queue without a name', () => {
    const { create } = deployment();
    const { created } = create('AWS::SQS::Queue', { FifoQueue: true });
    expect(created?.attributes['QueueName']).toBe('Rental-Dlq-ABC.fifo');
  });

  it.each([
    ['FifoQueue', false, 'Unknown Attribute FifoQueue.'],
    ['ContentBasedDeduplication', true, 'Unknown Attribute ContentBasedDeduplication.'],
    ['DeduplicationScope', 'queue', 'You can specify the DeduplicationScope only when FifoQueue is set to true.'],
    ['FifoThroughputLimit', 'perQueue', 'You can specify the FifoThroughputLimit only when FifoQueue is set to true.'],
  ])('refuses %s on a standard queue (recorded)', (property, value, text) => {
    const { create } = deployment();
    const { problems } = create('AWS::SQS::Queue', { [property]: value });
    expect(problems).toEqual([`${property} is refused (InvalidAttributeName: ${text})`]);
  });
});

describe('AWS::SQS::QueuePolicy', () => {
  it('is the policy by which access is decided', () => {
    const { aws, create } = deployment();
    const url = aws.createQueue('orders');
    const Statement = [{ Effect: 'Deny', Principal: '*', Action: 'sqs:*', Resource: '*' }];
    const PolicyDocument = { Version: '2012-10-17', Statement };
    const { created, problems } = create('AWS::SQS::QueuePolicy', { PolicyDocument, Queues: [url] });
    expect(problems).toEqual([]);
    expect(created).toEqual({ ref: 'Rental-Dlq-ABC', attributes: { Id: 'Rental-Dlq-ABC' } });
    aws.asked.length = 0;
    aws.sqs.call('GetQueueUrl', ADMIN, { QueueName: 'orders' });
    expect(aws.asked).toMatchObject([{ resourcePolicy: PolicyDocument }]);
  });

  it('needs a document, and queues that exist', () => {
    const { create } = deployment();
    expect(create('AWS::SQS::QueuePolicy', {}).problems).toEqual(['Queues is required', 'PolicyDocument is required']);
    const Statement = [{ Effect: 'Allow', Principal: '*', Action: 'sqs:*', Resource: '*' }];
    const gone = { PolicyDocument: { Statement }, Queues: ['https://sqs.us-east-1.amazonaws.com/123456789012/x'] };
    expect(errorOf(() => create('AWS::SQS::QueuePolicy', gone)).code).toBe('AWS.SimpleQueueService.NonExistentQueue');
  });

  it('refuses a document that cannot be evaluated', () => {
    const { aws, create } = deployment();
    const Condition = { StringRhymes: { 'aws:SourceAccount': '123456789012' } };
    const Statement = [{ Effect: 'Allow', Principal: '*', Action: 'sqs:*', Resource: '*', Condition }];
    const Queues = [aws.createQueue('orders')];
    expect(create('AWS::SQS::QueuePolicy', { PolicyDocument: { Statement }, Queues }).problems).toEqual([
      expect.stringContaining('StringRhymes'),
    ]);
  });
});
