import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { InvokeCommand, LambdaClient } from '@aws-sdk/client-lambda';
import { CfnOutput, CustomResource, Duration, RemovalPolicy, type Stack } from 'aws-cdk-lib';
import { Alarm, CfnAlarm, Metric } from 'aws-cdk-lib/aws-cloudwatch';
import { Ec2Action, Ec2InstanceAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import { AttributeType, StreamViewType, Table } from 'aws-cdk-lib/aws-dynamodb';
import { Rule, Schedule } from 'aws-cdk-lib/aws-events';
import { KinesisStream, SqsQueue } from 'aws-cdk-lib/aws-events-targets';
import { AnyPrincipal, ManagedPolicy, PolicyStatement, Role, ServicePrincipal, User } from 'aws-cdk-lib/aws-iam';
import { Stream } from 'aws-cdk-lib/aws-kinesis';
import {
  CfnFunction,
  Code,
  FunctionUrlAuthType,
  Function as LambdaFunction,
  Runtime,
  StartingPosition,
} from 'aws-cdk-lib/aws-lambda';
import { DynamoEventSource } from 'aws-cdk-lib/aws-lambda-event-sources';
import { Bucket } from 'aws-cdk-lib/aws-s3';
import { CfnTopic, Topic } from 'aws-cdk-lib/aws-sns';
import { SqsSubscription } from 'aws-cdk-lib/aws-sns-subscriptions';
import { Queue } from 'aws-cdk-lib/aws-sqs';
import { StringParameter } from 'aws-cdk-lib/aws-ssm';
import { AssemblyError, type LocalAws, type LocalAwsOptions } from '../../../local';
import { assemblyOfStack, assemblyOfTemplates } from '../../support/assembly';
import { Deployed } from '../../support/deployed';
import { inlineFunction } from '../../support/inline-function';

const WARN: LocalAwsOptions = { standIns: 'warn' };

const deploy = async (fill: (stack: Stack) => void, options = WARN): Promise<LocalAws> =>
  (await Deployed.assembly(assemblyOfStack(fill), options)).aws;

/** What is listed: types, with the members that are not simulated. */
const listed = ({ standIns }: LocalAws) =>
  standIns.map(({ type, member, what }) => [type, ...(member === undefined ? [] : [what, member])].join(' '));

const python = (stack: Stack, id: string) =>
  new LambdaFunction(stack, id, {
    runtime: Runtime.PYTHON_3_13,
    handler: 'index.handler',
    code: Code.fromInline('def handler(event, context): pass'),
  });

/** A custom resource whose provider runs this code with an `event`. */
const provided = (stack: Stack, code: string, properties: Record<string, unknown> = {}) =>
  new CustomResource(stack, 'Custom', {
    resourceType: 'Custom::Thing',
    properties,
    serviceToken: inlineFunction(
      stack,
      'Provider',
      `exports.handler = async event => {
        const answer = (Status, more) => fetch(event.ResponseURL, { method: 'PUT', body: JSON.stringify({
          Status, PhysicalResourceId: 'own', StackId: event.StackId, RequestId: event.RequestId,
          LogicalResourceId: event.LogicalResourceId, ...more }) });
        try { await (async () => { ${code} })(); await answer('SUCCESS', { Data: { Name: 'run' } }); }
        catch (error) { await answer('FAILED', { Reason: String(error.message) }); }
      };`,
      { timeout: Duration.seconds(30) },
    ).functionArn,
  });

describe('a custom resource', () => {
  const NEEDS_S3 =
    "const { message } = await (await fetch('https://s3.us-east-1.amazonaws.com/bucket')).json().catch(() => ({}));" +
    "throw new Error(message ?? 'The embedded AWS does not implement s3');";

  it.each<[string, string, LocalAwsOptions, object]>([
    ['runs where its provider can', '', WARN, { ref: 'own', name: 'run', listed: [] }],
    [
      'gets a stand-in where its provider uses what is not simulated',
      NEEDS_S3,
      WARN,
      {
        ref: expect.stringMatching(/^Test-Custom-/),
        name: expect.any(String),
        listed: ['Custom::Thing resource ServiceToken', 'Custom::Thing attribute Name'],
      },
    ],
    [
      'gets the answer of the scenario',
      'throw new Error();',
      { customResources: { 'Custom::Thing': { PhysicalResourceId: 'given', Data: { Name: 'scripted' } } } },
      { ref: 'given', name: 'scripted', listed: [] },
    ],
  ])('%s', async (_, code, options, expected) => {
    const aws = await deploy(stack => {
      new CfnOutput(stack, 'Name', { value: provided(stack, code).getAttString('Name') });
    }, options);
    const { ref } = aws.resource('Test/Custom/Default');
    expect({ ref, name: aws.output('Name'), listed: listed(aws) }).toEqual(expected);
  });

  it.each<[string, string, LocalAwsOptions, string]>([
    ['its provider refuses', "throw new Error('no such order');", WARN, 'no such order'],
    ['a stand-in is refused', NEEDS_S3, {}, 'does not implement s3'],
  ])('fails if %s', async (_, code, options, text) => {
    const failing = deploy(stack => void provided(stack, code), options);
    await expect(failing).rejects.toThrow(AssemblyError);
    await expect(failing).rejects.toThrow(text);
  });

  it('stays as it is where its provider uses what is not simulated to change or delete it, as CDK empties buckets', async () => {
    const code = `if (event.RequestType !== 'Create') { ${NEEDS_S3} }`;
    const version = (Size: number) => (stack: Stack) => {
      new CfnOutput(stack, 'Name', { value: provided(stack, code, { Size }).getAttString('Name') });
      new Bucket(stack, 'Bucket', { removalPolicy: RemovalPolicy.DESTROY, autoDeleteObjects: true });
    };
    const aws = await deploy(version(1));
    expect(await aws.update(assemblyOfStack(version(2)))).toEqual(['Test']);
    expect([aws.resource('Test/Custom/Default').ref, aws.output('Name')]).toEqual(['own', 'run']);
    await aws.destroy();
    expect(aws.stacks).toEqual([]);
    const left = listed(aws).filter(it => it.startsWith('Custom::'));
    expect(left.sort()).toEqual([
      'Custom::S3AutoDeleteObjects resource ServiceToken',
      'Custom::Thing resource ServiceToken',
      'Custom::Thing resource ServiceToken',
    ]);
  });

  it.each([
    'arn:aws:lambda:us-east-1:123456789012:function:other-app',
    'arn:aws:sns:us-east-1:123456789012:other-app',
    'arn:aws:lambda:us-east-1:999999999999:function:other-account',
  ])('gets a stand-in where its provider is that of another app: %s', async ServiceToken => {
    const Custom = { Type: 'Custom::Thing', Version: '1.0', Properties: { ServiceToken } };
    const { aws } = await Deployed.assembly(assemblyOfTemplates({ Test: { Resources: { Custom } } }), WARN);
    expect(listed(aws)).toEqual(['Custom::Thing resource ServiceToken']);
    await aws.destroy();
    expect(aws.stacks).toEqual([]);
  });

  it('gets a stand-in at once where its provider does not run here', async () => {
    const aws = await deploy(stack => {
      new CustomResource(stack, 'Custom', { serviceToken: python(stack, 'Provider').functionArn });
    });
    expect(listed(aws)).toEqual([
      'AWS::Lambda::Function property Runtime',
      'AWS::CloudFormation::CustomResource resource ServiceToken',
    ]);
    expect(aws.now).toBe('2026-01-01T00:00:00.000Z');
  });
});

test('functions that do not run here are deployed, and their invocations fail by name', async () => {
  const aws = await deploy(stack => {
    python(stack, 'Python');
    const role = new Role(stack, 'Role', { assumedBy: new ServicePrincipal('lambda.amazonaws.com') }).roleArn;
    new CfnFunction(stack, 'Image', { packageType: 'Image', code: { imageUri: 'x' }, role });
    const code = { s3Bucket: 'elsewhere', s3Key: 'code.zip' };
    new CfnFunction(stack, 'Elsewhere', { runtime: 'nodejs22.x', handler: 'src/app.handler', code, role });
  });
  expect(listed(aws)).toEqual([
    'AWS::Lambda::Function property Runtime',
    'AWS::Lambda::Function property PackageType',
    'AWS::Lambda::Function property Code.S3Key',
  ]);
  const lambda = new LambdaClient(aws.clientConfig());
  for (const id of ['Python', 'Image', 'Elsewhere']) {
    const answer = lambda.send(
      new InvokeCommand({ FunctionName: aws.resource(id === 'Python' ? 'Test/Python' : id).ref }),
    );
    await aws.runUntilIdle();
    const { FunctionError, Payload } = await answer;
    expect(FunctionError).toBe('Unhandled');
    expect(Buffer.from(Payload ?? []).toString()).toContain('A test can run in its place: aws.function(');
  }
});

test('an update that changes a create-only property replaces a stand-in, and what refers to its id', async () => {
  const network = (CidrBlock: string) => {
    const Vpc = { Type: 'AWS::EC2::VPC', Properties: { CidrBlock } };
    const Subnet = { Type: 'AWS::EC2::Subnet', Properties: { VpcId: { Ref: 'Vpc' }, CidrBlock: '10.0.0.0/24' } };
    return assemblyOfTemplates({ Test: { Resources: { Vpc, Subnet } } });
  };
  const { aws } = await Deployed.assembly(network('10.0.0.0/16'), WARN);
  const ids = () => ['Vpc', 'Subnet'].map(id => aws.resource(id).ref);
  const [vpc, subnet] = ids();
  await aws.update(network('10.0.0.0/20'));
  expect(ids()).toEqual([expect.stringMatching(/^vpc-/), expect.stringMatching(/^subnet-/)]);
  expect(ids()).not.toContain(vpc);
  expect(ids()).not.toContain(subnet);
});

test('an update to what is not simulated leaves the resource as it is, and lists it', async () => {
  const shared = { EvaluationPeriods: 1, MetricName: 'Load', Namespace: 'Own', Period: 60, Statistic: 'Sum' };
  const alarm = (more: object) =>
    assemblyOfTemplates({
      Test: { Resources: { Alarm: { Type: 'AWS::CloudWatch::Alarm', Properties: { ...shared, ...more } } } },
    });
  const { aws } = await Deployed.assembly(alarm({ ComparisonOperator: 'GreaterThanThreshold', Threshold: 1 }), WARN);
  const { ref } = aws.resource('Alarm');
  await aws.update(alarm({ ComparisonOperator: 'GreaterThanUpperThreshold', ThresholdMetricId: 'band' }));
  expect([aws.resource('Alarm').ref, listed(aws)]).toEqual([
    ref,
    ['AWS::CloudWatch::Alarm resource ComparisonOperator'],
  ]);
  expect(aws.state().unknowns).toMatchObject([{ unknown: expect.stringContaining('when it goes into ALARM') }]);
});

test('parts of simulated resources that are not simulated are left out and listed', async () => {
  const aws = await deploy(stack => {
    const queue = new Queue(stack, 'Queue');
    new Rule(stack, 'Rule', {
      schedule: Schedule.rate(Duration.hours(1)),
      targets: [new KinesisStream(new Stream(stack, 'Stream')), new SqsQueue(queue)],
    });
    const metric = new Metric({ namespace: 'Own', metricName: 'Load' });
    new Alarm(stack, 'Alarm', { metric, threshold: 1, evaluationPeriods: 1 }).addAlarmAction(
      new Ec2Action(Ec2InstanceAction.REBOOT),
    );
    new CfnAlarm(stack, 'Band', { comparisonOperator: 'GreaterThanUpperThreshold', evaluationPeriods: 1 });
    const worker = inlineFunction(stack, 'Worker', 'exports.handler = async () => {};');
    worker.addFunctionUrl({ authType: FunctionUrlAuthType.NONE });
    const partitionKey = { name: 'id', type: AttributeType.STRING };
    const table = new Table(stack, 'Table', { partitionKey, stream: StreamViewType.NEW_IMAGE });
    worker.addEventSource(new DynamoEventSource(table, { startingPosition: StartingPosition.LATEST }));
    worker.role?.addManagedPolicy(ManagedPolicy.fromAwsManagedPolicyName('AmazonNewFullAccess'));
    queue.grantSendMessages(new User(stack, 'User'));
    new Bucket(stack, 'Bucket').grantRead(worker);
  });
  const parts = listed(aws).filter(it => it.includes(' ') && !it.startsWith('AWS::Lambda::Permission property'));
  expect(parts.sort()).toEqual([
    'AWS::CloudWatch::Alarm property AlarmActions',
    'AWS::CloudWatch::Alarm resource ComparisonOperator',
    'AWS::Events::Rule property Targets[0].Arn',
    'AWS::IAM::Policy property Roles',
    'AWS::IAM::Policy property Users',
    'AWS::IAM::Role property ManagedPolicyArns',
    'AWS::Lambda::Permission resource Action',
  ]);
  await aws.advance({ hours: 1 });
  expect(aws.state().queues[0]?.visible).toBe(1);
});

test('resource policies with conditions that are not simulated allow nothing because of them', async () => {
  const fill = (stack: Stack) => {
    const topic = new Topic(stack, 'Topic');
    const queue = new Queue(stack, 'Queue');
    topic.addSubscription(new SqsSubscription(queue));
    const conditions = { IpAddress: { 'aws:SourceIp': '203.0.113.0/24' } };
    const principals = [new AnyPrincipal()];
    const allow = { principals, conditions };
    queue.addToResourcePolicy(new PolicyStatement({ ...allow, actions: ['sqs:*'], resources: [queue.queueArn] }));
    topic.addToResourcePolicy(new PolicyStatement({ ...allow, actions: ['sns:Publish'], resources: [topic.topicArn] }));
  };
  const aws = await deploy(fill);
  expect(listed(aws)).toEqual([
    'AWS::SNS::TopicPolicy property PolicyDocument',
    'AWS::SQS::QueuePolicy property PolicyDocument',
  ]);
  aws.publish('Test/Topic', 'x');
  await aws.advance({ minutes: 1 });
  expect(aws.state().queues[0]?.visible).toBe(1);
  await expect(deploy(fill, {})).rejects.toThrow('the condition key aws:SourceIp is not implemented');
});

test('values that another app or AWS keeps in SSM are made up', async () => {
  const fill = (stack: Stack) => {
    const value = (name: string) => StringParameter.valueForStringParameter(stack, name);
    new CfnOutput(stack, 'Url', { value: value('/shared/url') });
    new CfnOutput(stack, 'Image', { value: value('/aws/service/ami-amazon-linux-latest/al2023') });
    new CfnOutput(stack, 'Dynamic', { value: '{{resolve:ssm:/shared/url}}' });
  };
  const aws = await deploy(fill);
  expect([aws.output('Url'), aws.output('Image'), aws.output('Dynamic')]).toEqual([
    'stand-in-url',
    expect.stringMatching(/^ami-[0-9a-f]{17}$/),
    'stand-in-url',
  ]);
  expect(listed(aws)).toEqual([
    'AWS::SSM::Parameter value /shared/url',
    'AWS::SSM::Parameter value /aws/service/ami-amazon-linux-latest/al2023',
  ]);
  await expect(deploy(fill, {})).rejects.toThrow('Parameter /shared/url not found');
});

test('an app that was synthesized without its context is deployed with the values that CDK made up', async () => {
  const assembly = assemblyOfStack(stack => new Queue(stack, 'Queue'));
  const file = path.join(assembly, 'manifest.json');
  const missing = [{ key: 'vpc-provider:x', provider: 'vpc-provider', props: {} }];
  writeFileSync(file, JSON.stringify({ ...JSON.parse(readFileSync(file, 'utf8')), missing }));
  await expect(Deployed.assembly(assembly)).rejects.toThrow('the context value vpc-provider:x is missing');
  const { aws } = await Deployed.assembly(assembly, WARN);
  expect(aws.standIns).toMatchObject([{ what: 'context', reason: expect.stringContaining('vpc-provider:x') }]);
});

test('a property that decides whether messages are lost is refused, with stand-ins too', async () => {
  const deploying = deploy(stack => {
    new CfnTopic(stack, 'Topic', { dataProtectionPolicy: { Name: 'p', Version: '2021-06-01', Statement: [] } });
  });
  await expect(deploying).rejects.toThrow('DataProtectionPolicy is not implemented by the embedded AWS');
});
