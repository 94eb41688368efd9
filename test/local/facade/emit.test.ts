import { Duration, type Stack } from 'aws-cdk-lib';
import { Rule } from 'aws-cdk-lib/aws-events';
import { SqsQueue } from 'aws-cdk-lib/aws-events-targets';
import { ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Code, Function as LambdaFunction, Runtime } from 'aws-cdk-lib/aws-lambda';
import { Bucket, CfnBucket, EventType } from 'aws-cdk-lib/aws-s3';
import { LambdaDestination } from 'aws-cdk-lib/aws-s3-notifications';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { Queue } from 'aws-cdk-lib/aws-sqs';
import { Deployed } from '../../support/deployed';
import { inlineFunction } from '../../support/inline-function';

const S3 = new ServicePrincipal('s3.amazonaws.com');
const prefixed = (value: string) => ({ s3Key: { rules: [{ name: 'prefix', value }] } });

function uploads(stack: Stack): void {
  const [queue, forbidden, events] = ['Queue', 'Forbidden', 'Events'].map(id => new Queue(stack, id)) as [
    Queue,
    Queue,
    Queue,
  ];
  const topic = new Topic(stack, 'Topic');
  const worker = inlineFunction(stack, 'Worker', '0;', { timeout: Duration.seconds(5) });
  queue.grantSendMessages(S3);
  topic.grantPublish(S3);
  worker.addPermission('S3', { principal: S3 });
  new CfnBucket(stack, 'Uploads', {
    bucketName: 'uploads',
    notificationConfiguration: {
      queueConfigurations: [
        { event: 's3:ObjectCreated:*', queue: queue.queueArn, filter: prefixed('in/') },
        { event: 's3:ObjectCreated:Put', queue: forbidden.queueArn, filter: prefixed('lost/') },
      ],
      topicConfigurations: [{ event: 's3:ObjectRemoved:Delete', topic: topic.topicArn }],
      lambdaConfigurations: [{ event: 's3:ObjectCreated:Copy', function: worker.functionArn }],
      eventBridgeConfiguration: { eventBridgeEnabled: true },
    },
  });
  new Rule(stack, 'Rule', { eventPattern: { source: ['aws.s3', 'shop'] }, targets: [new SqsQueue(events)] });
}

describe('an event that S3 would send', () => {
  let deployed: Deployed;
  const handled: unknown[] = [];

  beforeAll(async () => {
    deployed = await Deployed.stack(uploads, { standIns: 'warn' });
    deployed.aws.function('Test/Worker').handle(event => void handled.push(event));
  });

  const emit = async (event: string, key: string) => {
    const destinations = deployed.aws.emit.s3({ bucket: 'Test/Uploads', key, event });
    await deployed.advance({ minutes: 1 });
    return destinations.map(arn => arn.split(':').at(-1));
  };

  test('reaches the queue, function, topic and bus that the bucket is configured for', async () => {
    expect(await emit('ObjectCreated:Put', 'in/a b.csv')).toEqual([deployed.name('Queue'), 'the default event bus']);
    const [body = ''] = await deployed.take('Queue');
    expect(JSON.parse(body).Records).toMatchObject([
      {
        eventSource: 'aws:s3',
        eventName: 'ObjectCreated:Put',
        awsRegion: 'us-east-1',
        s3: { bucket: { name: 'uploads', arn: 'arn:aws:s3:::uploads' }, object: { key: 'in/a+b.csv', size: 1024 } },
      },
    ]);
    expect(JSON.parse((await deployed.take('Events'))[0] ?? '')).toMatchObject({
      'detail-type': 'Object Created',
      detail: { bucket: { name: 'uploads' }, object: { key: 'in/a b.csv' }, reason: 'PutObject' },
    });

    expect(await emit('s3:ObjectCreated:Copy', 'copied')).toContain(deployed.ref('Worker'));
    expect(handled).toMatchObject([{ Records: [{ s3: { object: { key: 'copied' } } }] }]);
    expect(await emit('ObjectRemoved:Delete', 'in/a')).toContain(deployed.name('Topic'));
    expect(deployed.happened('sns.published')).toHaveLength(1);
    await deployed.take('Events');
  });

  test.each([
    ['ObjectTagging:Put', 'Object Tags Added', {}],
    ['s3:ObjectTagging:Delete', 'Object Tags Deleted', {}],
    ['ObjectAcl:Put', 'Object ACL Updated', {}],
    ['ObjectRestore:Post', 'Object Restore Initiated', { 'source-storage-class': 'GLACIER' }],
    ['ObjectRestore:Completed', 'Object Restore Completed', { 'restore-expiry-time': expect.stringMatching(/Z$/) }],
    ['ObjectRestore:Delete', 'Object Restore Expired', {}],
    ['LifecycleTransition', 'Object Storage Class Changed', { 'destination-storage-class': 'GLACIER' }],
    ['IntelligentTiering', 'Object Access Tier Changed', { 'destination-access-tier': 'ARCHIVE_ACCESS' }],
  ])('%s reaches the bus as "%s"', async (event, detailType, detail) => {
    expect(await emit(event, 'a')).toEqual(['the default event bus']);
    expect(JSON.parse((await deployed.take('Events'))[0] ?? '')).toMatchObject({ 'detail-type': detailType, detail });
  });

  test('is lost where the destination does not let S3 in, and after three retries (assumption BUCKETS-1)', async () => {
    await emit('ObjectCreated:Put', 'lost/a');
    expect(deployed.happened('s3.notification-lost')).toMatchObject([{ key: 'lost/a', code: 'AccessDenied' }]);

    deployed.aws.faults.set({
      service: 'sqs',
      action: 'SendMessage',
      resource: deployed.arn('Queue'),
      forMs: 3_600_000,
    });
    await emit('ObjectCreated:Put', 'in/late');
    expect(deployed.happened('s3.notification-lost')).toHaveLength(2);
    expect(deployed.happened('sqs.refused').filter(({ code }) => code === 'ServiceUnavailable')).toHaveLength(4);
    deployed.aws.faults.clear();
  });

  test('of a bus is that of any source', async () => {
    await deployed.take('Events');
    deployed.aws.emit.event({ source: 'shop', detailType: 'Sold', detail: { item: 1 } });
    await deployed.advance({ seconds: 1 });
    expect(JSON.parse((await deployed.take('Events'))[0] ?? '')).toMatchObject({ source: 'shop', detail: { item: 1 } });
  });

  test.each<[string, (aws: Deployed['aws']) => unknown, string | RegExp]>([
    [
      'an unknown bucket',
      aws => aws.emit.s3({ bucket: 'up', key: 'a' }),
      'there is no bucket "up"; the nearest: Test/Uploads',
    ],
    ['no key', aws => aws.emit.s3({ bucket: 'uploads', key: '' }), 'key is required'],
    [
      'no event type',
      aws => aws.emit.s3({ bucket: 'uploads', key: 'a', event: 'Put' }),
      'event must be an event type of S3: ObjectCreated:Put, ObjectCreated:Post',
    ],
    [
      'a misspelt event type',
      aws => aws.emit.s3({ bucket: 'uploads', key: 'a', event: 's3:ObjectCreated:Putt' }),
      'got "s3:ObjectCreated:Putt"',
    ],
    [
      'an event type that is not simulated',
      aws => aws.emit.s3({ bucket: 'uploads', key: 'a', event: 'ReducedRedundancyLostObject' }),
      'event is not simulated, got "ReducedRedundancyLostObject"',
    ],
    [
      'a bus in another Region',
      aws => {
        const bus = 'arn:aws:events:eu-north-1:123456789012:event-bus/default';
        aws.emit.event({ source: 'a', detailType: 'b', detail: {}, bus });
      },
      'bus must be the name or ARN of an event bus, got "arn:aws:events:eu-north-1',
    ],
    [
      'resources that are no list',
      aws => aws.emit.event({ source: 'a', detailType: 'b', detail: {}, resources: 'x' as never }),
      'resources must be a list of texts, got "x"',
    ],
    [
      'keys that are no object and an unknown change',
      aws => aws.emit.dynamoDb({ table: 't', records: [{ event: 'ADD', keys: 'k' } as never] }),
      'records[0].event must be one of INSERT, MODIFY, REMOVE, got "ADD"; records[0].keys must be an object, got "k"',
    ],
    [
      'an unknown bus',
      aws => aws.emit.event({ source: 'a', detailType: 'b', detail: {}, bus: 'c' }),
      'bus must be the name or ARN',
    ],
    [
      'a stream that no mapping reads',
      aws => aws.emit.kinesis({ stream: 's', records: [{ partitionKey: 'a', data: '' }] }),
      'there is no stream with an event source mapping "s"; there are none',
    ],
    ['no records', aws => aws.emit.kinesis({ stream: 's', records: [] }), 'records must be a list of records'],
    [
      'a record without keys',
      aws => aws.emit.dynamoDb({ table: 't', records: [{ event: 'INSERT' } as never] }),
      'records[0].keys is required',
    ],
  ])('is refused with %s', (_, act, message) => {
    expect(() => act(deployed.aws)).toThrow(message);
  });
});

test("the CDK's notifications of a bucket reach a Python function, where a handler runs in its place", async () => {
  const deployed = await Deployed.stack(
    stack => {
      const python = {
        runtime: Runtime.PYTHON_3_13,
        handler: 'index.handler',
        code: Code.fromInline('def handler(): pass'),
      };
      const bucket = new Bucket(stack, 'Uploads');
      bucket.addEventNotification(
        EventType.OBJECT_CREATED,
        new LambdaDestination(new LambdaFunction(stack, 'Worker', python)),
      );
    },
    { standIns: 'warn' },
  );
  const { aws } = deployed;
  const upload = async () => {
    expect(aws.emit.s3({ bucket: 'Test/Uploads', key: 'a' })).toEqual([deployed.arn('Worker')]);
    await aws.runUntilIdle();
    return deployed.happened('lambda.finished').at(-1);
  };
  expect(await upload()).toMatchObject({
    outcome: 'error',
    errorMessage: expect.stringContaining(`aws.function('${deployed.ref('Worker')}').handle(async event => …)`),
  });
  const keys: string[] = [];
  aws.function('Test/Worker').handle<{ Records: { s3: { object: { key: string } } }[] }>(({ Records }) => {
    keys.push(...Records.map(({ s3 }) => s3.object.key));
  });
  expect(await upload()).toMatchObject({ outcome: 'success' });
  expect(keys).toEqual(['a']);
});
