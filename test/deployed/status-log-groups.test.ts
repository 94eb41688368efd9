import {
  CloudWatchLogsClient,
  CreateLogGroupCommand,
  DescribeLogGroupsCommand,
  DescribeMetricFiltersCommand,
} from '@aws-sdk/client-cloudwatch-logs';
import { GetRolePolicyCommand, IAMClient, ListRolePoliciesCommand } from '@aws-sdk/client-iam';
import { InvokeCommand, LambdaClient } from '@aws-sdk/client-lambda';
import { Aws, RemovalPolicy, Stack } from 'aws-cdk-lib';
import { Annotations, Match } from 'aws-cdk-lib/assertions';
import { Key } from 'aws-cdk-lib/aws-kms';
import { CfnLogGroup, FilterPattern, MetricFilter, RetentionDays } from 'aws-cdk-lib/aws-logs';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { Queue } from 'aws-cdk-lib/aws-sqs';
import { DurableTopic, TopicDeliveryPolicy } from '../../lib';
import { assemblyOf, assemblyOfStack } from '../support/assembly';
import { Deployed } from '../support/deployed';
import { newApp } from '../support/new-app';

const FUNCTION = 'DeadLetterOffice-TopicDeliveryPolicies/Function';
const ANSWERS = 'answers.example.com';

/** The name of a log group, as SNS makes it from the name of a topic. */
const groupOf = (topic: string, region = 'us-east-1', account = '123456789012') => `sns/${region}/${account}/${topic}`;

/**
 * A topic with a stated name, whose log groups exist before the stack does. AWS: "Retain: CloudFormation keeps the resource
 * without deleting the resource or its contents when its stack is deleted", and `RetainExceptOnCreate` alone deletes it when
 * "the stack operation that created the resource is rolled back". So log groups with a fixed name and the policy `Retain`
 * outlast a failed deployment and a deleted stack, and `AWS::Logs::LogGroup` then fails: "already exists".
 * @see https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/aws-attribute-deletionpolicy.html
 * @see https://docs.aws.amazon.com/AmazonCloudWatchLogs/latest/APIReference/API_CreateLogGroup.html
 */
describe('A topic with a stated name can be deployed again: its log groups', () => {
  let world: Deployed;
  let logs: CloudWatchLogsClient;
  let asked = 0;

  beforeAll(async () => {
    const assembly = assemblyOf(app => {
      const before = new Stack(app, 'Before');
      for (const suffix of ['', '/Failure']) {
        const logGroupName = `${groupOf('orders.fifo', Aws.REGION, Aws.ACCOUNT_ID)}${suffix}`;
        new CfnLogGroup(before, `Group${suffix.length}`, { logGroupName });
      }
      const stack = new Stack(app, 'Test');
      stack.node.addDependency(before);
      const orders = new DurableTopic(stack, 'Orders', { topicName: 'orders', fifo: true });
      orders.deliverToQueue('Queue', new Queue(stack, 'Queue', { fifo: true }));
      const failures = orders.deliveryStatus?.failureLogGroup;
      if (!failures) throw new Error('the topic logs nothing');
      new MetricFilter(stack, 'OfTheApp', {
        logGroup: failures,
        filterPattern: FilterPattern.allTerms('x'),
        metricNamespace: 'App',
        metricName: 'Failures',
      });
      new DurableTopic(stack, 'Invoices', {
        topicName: 'invoices',
        deliveryStatusLogging: {
          removalPolicy: RemovalPolicy.DESTROY,
          retention: RetentionDays.INFINITE,
          encryptionKey: new Key(stack, 'Key'),
        },
      });
    });
    world = await Deployed.assembly(assembly);
    logs = new CloudWatchLogsClient(world.aws.clientConfig());
  });

  const described = async (topic: string) => {
    const { logGroups = [] } = await logs.send(
      new DescribeLogGroupsCommand({ logGroupNamePrefix: groupOf(topic).split('.')[0] }),
    );
    return logGroups.map(({ logGroupName = '', retentionInDays, kmsKeyId }) => ({
      name: logGroupName.replace(groupOf(''), ''),
      retentionInDays,
      hasKey: kmsKeyId !== undefined,
    }));
  };

  /** The function's answer to a request of CloudFormation, which the embedded AWS does not make. */
  const ask = async (RequestType: string, topic: string, more: object = {}, PhysicalResourceId = 'LogGroups') => {
    asked += 1;
    const request = {
      RequestType,
      PhysicalResourceId,
      ResponseURL: `https://${ANSWERS}/stack%7Cid%7C${asked}?X-Amz-Signature=0`,
      StackId: 'arn:aws:cloudformation:us-east-1:123456789012:stack/Test/0',
      RequestId: `request-${asked}`,
      LogicalResourceId: 'LogGroups',
      ResourceType: 'Custom::DeliveryStatusLogGroups',
      ResourceProperties: {
        SuccessLogGroup: groupOf(topic),
        FailureLogGroup: `${groupOf(topic)}/Failure`,
        RetentionInDays: '90',
        KmsKeyId: '',
        OnDelete: 'Keep',
        ...more,
      },
      OldResourceProperties: { KmsKeyId: RequestType === 'Update' ? 'arn:aws:kms:us-east-1:123456789012:key/x' : '' },
    };
    const lambda = new LambdaClient(world.aws.clientConfig());
    const Payload = JSON.stringify(request);
    await lambda.send(new InvokeCommand({ FunctionName: world.ref(FUNCTION), InvocationType: 'Event', Payload }));
    await world.aws.runUntilIdle();
    const { requests } = world.aws.endpoint(ANSWERS);
    return JSON.parse(Buffer.from(requests.at(-1)?.body ?? []).toString('utf8'));
  };

  test('are taken over if they exist, with the retention of the template, before anything refers to them', async () => {
    expect(await described('orders.fifo')).toEqual([
      { name: 'orders.fifo', retentionInDays: 90, hasKey: false },
      { name: 'orders.fifo/Failure', retentionInDays: 90, hasKey: false },
    ]);
    const command = new DescribeMetricFiltersCommand({ logGroupName: `${groupOf('orders.fifo')}/Failure` });
    const { metricFilters = [] } = await logs.send(command);
    expect(metricFilters.map(it => it.metricTransformations?.[0]?.metricName)).toContain('Failures');
    expect(metricFilters).toHaveLength(2);
  });

  test('are created if they do not exist, with the key', async () => {
    expect(await described('invoices')).toEqual([
      { name: 'invoices', retentionInDays: undefined, hasKey: true },
      { name: 'invoices/Failure', retentionInDays: undefined, hasKey: true },
    ]);
  });

  test('get another retention in an update, and are kept when the resource is deleted', async () => {
    const retention = { RetentionInDays: '30' };
    expect(await ask('Update', 'orders.fifo', retention)).toMatchObject({
      Status: 'SUCCESS',
      PhysicalResourceId: 'LogGroups',
      Data: { SuccessLogGroup: groupOf('orders.fifo'), FailureLogGroup: `${groupOf('orders.fifo')}/Failure` },
    });
    expect(await ask('Delete', 'orders.fifo', retention)).toMatchObject({ Status: 'SUCCESS' });
    expect((await described('orders.fifo')).map(it => it.retentionInDays)).toEqual([30, 30]);
    expect(await ask('Create', 'orders.fifo')).toMatchObject({ Status: 'SUCCESS' });
    expect((await described('orders.fifo')).map(it => it.retentionInDays)).toEqual([90, 90]);
  });

  test('lose their key in an update, and go with the stack if the template says so, but not in a rollback', async () => {
    const deleting = { OnDelete: 'Delete' };
    expect(await ask('Update', 'invoices', deleting)).toMatchObject({ Status: 'SUCCESS' });
    expect(await described('invoices')).toMatchObject([{ hasKey: false }, { hasKey: false }]);
    expect(await ask('Delete', 'invoices', deleting, 'LogGroups:never-set')).toMatchObject({ Status: 'SUCCESS' });
    expect(await described('invoices')).toHaveLength(2);
    expect(await ask('Delete', 'invoices', deleting)).toMatchObject({ Status: 'SUCCESS' });
    expect(await described('invoices')).toEqual([]);
    expect(await ask('Delete', 'invoices', deleting)).toMatchObject({ Status: 'SUCCESS' });
  });

  test('lose a key that they had before they were taken over: it may be deleted, and SNS could write nothing', async () => {
    const keyId = world.arn('Key');
    for (const logGroupName of [groupOf('old'), `${groupOf('old')}/Failure`]) {
      await logs.send(new CreateLogGroupCommand({ logGroupName, kmsKeyId: keyId }));
    }
    expect(await described('old')).toMatchObject([{ hasKey: true }, { hasKey: true }]);
    expect(await ask('Create', 'old', {}, '')).toMatchObject({ Status: 'SUCCESS' });
    expect(await described('old')).toMatchObject([{ hasKey: false }, { hasKey: false }]);
  });

  test('are kept by a rollback after they were taken over, though the template deletes log groups', async () => {
    const deleting = { OnDelete: 'Delete' };
    const { PhysicalResourceId } = await ask('Create', 'old', deleting, '');
    expect(PhysicalResourceId).toBe('LogGroups:taken-over');
    expect(await ask('Delete', 'old', deleting, PhysicalResourceId)).toMatchObject({ Status: 'SUCCESS' });
    expect(await described('old')).toHaveLength(2);
  });

  test('are not touched where the function has no permission: it may change only those of SNS, and delete only its own', async () => {
    const other = { SuccessLogGroup: 'other', FailureLogGroup: 'other/Failure' };
    const answer = await ask('Create', 'other', other);
    expect(answer).toMatchObject({ Status: 'FAILED' });
    expect(answer.Reason).toContain('AccessDeniedException');
    expect(await described('other')).toEqual([]);
    expect(await ask('Delete', 'orders.fifo', { OnDelete: 'Delete' })).toMatchObject({ Status: 'FAILED' });
    expect(await described('orders.fifo')).toHaveLength(2);
  });
});

/** @see https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_iam-quotas.html#reference_iam-quotas-entity-length */
describe('The policies of the function that takes over log groups: IAM accepts 10,240 bytes', () => {
  /** More topics make more than 500 resources. */
  const MOST = 37;

  const topicsIn = (count: number, removalPolicy?: RemovalPolicy) => (stack: Stack) => {
    const deliveryStatusLogging = removalPolicy ? { removalPolicy } : {};
    for (let i = 0; i < count; i += 1) {
      const topicName = `orders-of-a-customer-with-a-long-name-${i}`;
      new DurableTopic(stack, `Topic${i}`, { topicName, deliveryStatusLogging });
    }
  };

  test('do not grow with the topics', async () => {
    const world = await Deployed.stack(topicsIn(MOST));
    const iam = new IAMClient(world.aws.clientConfig());
    const RoleName = world.ref('DeadLetterOffice-TopicDeliveryPolicies/Role');
    const { PolicyNames = [] } = await iam.send(new ListRolePoliciesCommand({ RoleName }));
    const policies = await Promise.all(
      PolicyNames.map(PolicyName => iam.send(new GetRolePolicyCommand({ RoleName, PolicyName }))),
    );
    const sizes = policies.map(({ PolicyDocument = '' }) => decodeURIComponent(PolicyDocument).length);
    expect(sizes.reduce((sum, it) => sum + it, 0)).toBeLessThan(1_000);
  });

  test('grow with topics whose log groups the stack deletes, with a warning when they are probably too large', () => {
    const warned = (count: number) => {
      const stack = new Stack(newApp(), 'Test');
      topicsIn(count, RemovalPolicy.DESTROY)(stack);
      const warnings = Annotations.fromStack(stack).findWarning('*', Match.stringLikeRegexp('inline policies'));
      return warnings.map(({ entry }) => String(entry.data).replace(/\d+,\d{3} bytes, but/, 'N bytes, but'));
    };
    expect(warned(15)).toEqual([]);
    expect(warned(MOST - 2)).toEqual([
      expect.stringContaining(
        'The inline policies of Test/DeadLetterOffice-TopicDeliveryPolicies/Role probably have N bytes, but IAM accepts at most ' +
          '10,240 for all of them together. Create some of the topics in another stack, or let their log groups be retained.',
      ),
    ]);
  });

  test('fail the synthesis when they are certainly too large', () => {
    const fill = (stack: Stack) => {
      for (let i = 0; i < 80; i += 1) {
        const topicArn = `arn:aws:sns:us-east-1:123456789012:orders-of-a-customer-${i}`;
        const topic = Topic.fromTopicArn(stack, `Topic${i}`, topicArn);
        const deliveryPolicy = { throttlePolicy: { maxReceivesPerSecond: 1 } };
        new TopicDeliveryPolicy(stack, `Policy${i}`, { topic, deliveryPolicy });
      }
    };
    expect(() => assemblyOfStack(fill)).toThrow(
      /inline policies of the role have 1\d,\d{3} bytes, but IAM accepts at most 10,240/,
    );
  });
});
