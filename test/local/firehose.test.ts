import { DescribeDeliveryStreamCommand, FirehoseClient } from '@aws-sdk/client-firehose';
import type { Stack } from 'aws-cdk-lib';
import { Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { DeliveryStream, S3Bucket, StreamEncryption } from 'aws-cdk-lib/aws-kinesisfirehose';
import { Bucket } from 'aws-cdk-lib/aws-s3';
import { Subscription, SubscriptionProtocol, Topic } from 'aws-cdk-lib/aws-sns';
import { Queue } from 'aws-cdk-lib/aws-sqs';
import { firehoseResourceTypes } from '../../local/firehose';
import { EXAMPLE_PLACE } from '../../local/kernel/place';
import { Random } from '../../local/kernel/random';
import { Simulation } from '../../local/simulation';
import { assemblyOfStack } from '../support/assembly';
import { Deployed } from '../support/deployed';
import { createResource } from './create-resource';

const S3 = { BucketARN: 'arn:aws:s3:::orders', RoleARN: 'arn:aws:iam::123456789012:role/Writer' };

const types = () =>
  firehoseResourceTypes(
    new Simulation({ place: EXAMPLE_PLACE, random: new Random('firehose'), startAtMs: 0 }).home.firehose,
  );

const create = (properties: Readonly<Record<string, unknown>>) =>
  createResource(types(), 'AWS::KinesisFirehose::DeliveryStream', properties);

describe('AWS::KinesisFirehose::DeliveryStream', () => {
  test('answers its name and ARN, with any destination', () => {
    const { created, problems } = create({
      DeliveryStreamName: 'orders',
      DeliveryStreamType: 'DirectPut',
      DeliveryStreamEncryptionConfigurationInput: { KeyType: 'AWS_OWNED_CMK' },
      DirectPutSourceConfiguration: { ThroughputHintInMBs: 1 },
      ExtendedS3DestinationConfiguration: { ...S3, BufferingHints: { IntervalInSeconds: 60 } },
      Tags: [{ Key: 'team', Value: 'rental' }],
    });
    expect(problems).toEqual([]);
    const Arn = 'arn:aws:firehose:us-east-1:123456789012:deliverystream/orders';
    expect(created).toEqual({ ref: 'orders', attributes: { Arn } });
    expect(create({ S3DestinationConfiguration: S3 }).created.ref).toBe('Rental-Thing-1A2B3C');
  });

  test('refuses by name what it does not play, and what Firehose does not take', () => {
    const { problems } = create({
      DeliveryStreamName: 'orders of today',
      DeliveryStreamType: 'KinesisStreamAsSource',
      KinesisStreamSourceConfiguration: {},
      NoSuchProperty: 1,
      S3DestinationConfiguration: S3,
    });
    expect(problems).toEqual([
      'DeliveryStreamName must be 1 to 64 letters, digits, underscores, periods and hyphens',
      'DeliveryStreamType must be DirectPut in the embedded AWS',
      'KinesisStreamSourceConfiguration is not implemented by the embedded AWS',
      'NoSuchProperty is not implemented by the embedded AWS',
    ]);
  });

  test.each([
    ['no destination', {}, 'ExtendedS3DestinationConfiguration'],
    ['two', { S3DestinationConfiguration: S3, HttpEndpointDestinationConfiguration: {} }, 'S3DestinationConfiguration'],
  ])('refuses %s', (_, properties, property) => {
    expect(create(properties).problems).toEqual([expect.stringMatching(`^${property} must be the only destination`)]);
  });

  test('refuses a name that another stream has', () => {
    const same = types();
    const twice = [1, 2].map(() =>
      createResource(same, 'AWS::KinesisFirehose::DeliveryStream', {
        DeliveryStreamName: 'orders',
        S3DestinationConfiguration: S3,
      }),
    );
    expect(twice.map(({ problems }) => problems)).toEqual([
      [],
      [
        "DeliveryStreamName is refused (AlreadyExists: Resource of type 'AWS::KinesisFirehose::DeliveryStream' with identifier 'orders' already exists.)",
      ],
    ]);
  });
});

const NAMED = { service: 'firehose', resource: 'deliverystream', resourceName: 'orders' };

describe('a DeliveryStream of aws-cdk-lib, subscribed to a topic', () => {
  const fill = (mayPut: boolean, hasStream: boolean) => (stack: Stack) => {
    const destination = new S3Bucket(Bucket.fromBucketName(stack, 'Bucket', 'orders'));
    const encryption = StreamEncryption.awsOwnedKey();
    const made =
      hasStream && new DeliveryStream(stack, 'Stream', { destination, encryption, deliveryStreamName: 'orders' });
    const stream = made || DeliveryStream.fromDeliveryStreamArn(stack, 'Gone', stack.formatArn(NAMED));
    const role = new Role(stack, 'Role', { assumedBy: new ServicePrincipal('sns.amazonaws.com') });
    if (mayPut) stream.grantPutRecords(role);
    new Subscription(stack, 'Subscription', {
      topic: new Topic(stack, 'Topic'),
      protocol: SubscriptionProtocol.FIREHOSE,
      endpoint: stack.formatArn(NAMED),
      subscriptionRoleArn: role.roleArn,
      deadLetterQueue: new Queue(stack, 'Dlq'),
    });
  };
  const deploy = (mayPut: boolean) => Deployed.stack(fill(mayPut, true));

  test('gets what is published', async () => {
    const deployed = await deploy(true);
    await deployed.publish('Topic', 'hello');
    await deployed.aws.runUntilIdle();
    const receipts = deployed.aws.recipients.receipts(deployed.arn('Stream'));
    expect(receipts).toMatchObject([{ protocol: 'firehose', topicArn: deployed.ref('Topic') }]);
    expect(JSON.parse(receipts[0]?.body ?? '')).toMatchObject({ Message: 'hello' });
  });

  test('gets nothing where the role may not put: the message is a dead letter', async () => {
    const deployed = await deploy(false);
    await deployed.publish('Topic', 'hello');
    await deployed.aws.runUntilIdle();
    expect(deployed.aws.recipients.receipts(deployed.arn('Stream'))).toEqual([]);
    expect(await deployed.take('Dlq')).toHaveLength(1);
  });

  test('is described as active, until its stack deletes it: then it is gone, and SNS is refused', async () => {
    const deployed = await deploy(true);
    const { aws } = deployed;
    const client = new FirehoseClient(aws.clientConfig());
    const describe = (DeliveryStreamName: string) =>
      client.send(new DescribeDeliveryStreamCommand({ DeliveryStreamName }));
    const name = deployed.ref('Stream');
    expect(await describe(name)).toMatchObject({
      DeliveryStreamDescription: { DeliveryStreamStatus: 'ACTIVE', DeliveryStreamType: 'DirectPut' },
    });
    await expect(describe('of-another-team')).rejects.toMatchObject({ name: 'NotImplemented' });
    await aws.update(assemblyOfStack(fill(true, false)));
    await expect(describe(name)).rejects.toMatchObject({
      name: 'ResourceNotFoundException',
      message: `Firehose ${name} under account 123456789012 not found.`,
    });
    await deployed.publish('Topic', 'late');
    await aws.runUntilIdle();
    expect(await deployed.take('Dlq')).toHaveLength(1);
  });
});
