import {
  CloudFormationClient,
  DescribeStackEventsCommand,
  DescribeStackResourceCommand,
  DescribeStackResourcesCommand,
  DescribeStacksCommand,
  GetTemplateCommand,
  ListExportsCommand,
  ListStackResourcesCommand,
  ListStacksCommand,
} from '@aws-sdk/client-cloudformation';
import { CfnOutput, CfnParameter, NestedStack, Stack } from 'aws-cdk-lib';
import { ManagedPolicy, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { CfnQueue, Queue } from 'aws-cdk-lib/aws-sqs';
import { roleCaller } from '../../../local/kernel/caller';
import { assemblyOf } from '../../support/assembly';
import { Deployed } from '../../support/deployed';
import { refusal } from '../small-account';

let world: Deployed;
let client: CloudFormationClient;

beforeAll(async () => {
  const assembly = assemblyOf(app => {
    const stack = new Stack(app, 'Test', { description: 'Orders' });
    new CfnParameter(stack, 'Stage', { default: 'prod' });
    new CfnParameter(stack, 'Password', { default: 'hunter2', noEcho: true });
    const queue = new Queue(stack, 'Queue', { queueName: 'orders' });
    if (queue.node.defaultChild instanceof CfnQueue) queue.node.defaultChild.addMetadata('Colour', 'red');
    new CfnOutput(stack, 'Url', { value: queue.queueUrl, description: 'Where', exportName: 'orders-url' });
    new Queue(new NestedStack(stack, 'Nested'), 'Inner');
    new Role(stack, 'Reader', {
      roleName: 'Reader',
      assumedBy: new ServicePrincipal('lambda.amazonaws.com'),
      managedPolicies: [ManagedPolicy.fromAwsManagedPolicyName('service-role/AWSLambdaBasicExecutionRole')],
    });
  });
  world = await Deployed.assembly(assembly);
  client = new CloudFormationClient({ ...world.aws.clientConfig(), maxAttempts: 1 });
});

/** https://docs.aws.amazon.com/AWSCloudFormation/latest/APIReference/API_DescribeStacks.html */
describe('the stacks', () => {
  it('are described with parameters and outputs, and those that nest with their parents', async () => {
    const { Stacks = [] } = await client.send(new DescribeStacksCommand({ StackName: 'Test' }));
    expect(Stacks).toHaveLength(1);
    expect(Stacks[0]).toMatchObject({
      StackName: 'Test',
      Description: 'Orders',
      StackStatus: 'CREATE_COMPLETE',
      CreationTime: new Date(Date.UTC(2026, 0, 1)),
      Outputs: [{ OutputKey: 'Url', OutputValue: world.ref('Queue'), Description: 'Where', ExportName: 'orders-url' }],
    });
    const parameters = Object.fromEntries(
      (Stacks[0]?.Parameters ?? []).map(({ ParameterKey = '', ParameterValue }) => [ParameterKey, ParameterValue]),
    );
    expect(parameters).toMatchObject({ Stage: 'prod', Password: '****' });
    const all = (await client.send(new DescribeStacksCommand({}))).Stacks ?? [];
    const nested = all.find(({ StackName }) => StackName !== 'Test');
    expect(nested).toMatchObject({ ParentId: Stacks[0]?.StackId, RootId: Stacks[0]?.StackId });
    const byId = await client.send(new DescribeStacksCommand({ StackName: nested?.StackId }));
    expect(byId.Stacks?.[0]?.StackName).toBe(nested?.StackName);
  });

  it('are listed by status', async () => {
    const list = async (status: 'CREATE_COMPLETE' | 'DELETE_COMPLETE') =>
      (await client.send(new ListStacksCommand({ StackStatusFilter: [status] }))).StackSummaries ?? [];
    expect(await list('CREATE_COMPLETE')).toHaveLength(2);
    expect(await list('DELETE_COMPLETE')).toEqual([]);
  });

  it('tell what they export', async () => {
    const { Exports } = await client.send(new ListExportsCommand({}));
    expect(Exports).toEqual([
      { ExportingStackId: expect.stringContaining('stack/Test/'), Name: 'orders-url', Value: world.ref('Queue') },
    ]);
  });

  it('give their templates', async () => {
    const { TemplateBody = '' } = await client.send(new GetTemplateCommand({ StackName: 'Test' }));
    expect(JSON.parse(TemplateBody)).toMatchObject({
      Description: 'Orders',
      Outputs: { Url: { Description: 'Where' } },
    });
  });

  it('that are not there are refused in the words of each action', async () => {
    const StackName = 'Gone';
    expect(await refusal(client.send(new DescribeStacksCommand({ StackName })))).toEqual([
      'ValidationError',
      'Stack with id Gone does not exist',
      400,
    ]);
    expect((await refusal(client.send(new DescribeStackEventsCommand({ StackName }))))[1]).toBe(
      'Stack [Gone] does not exist',
    );
    const resource = new DescribeStackResourceCommand({ StackName, LogicalResourceId: 'Queue' });
    expect((await refusal(client.send(resource)))[1]).toBe("Stack 'Gone' does not exist");
    expect((await refusal(client.send(new GetTemplateCommand({ StackName }))))[0]).toBe('ValidationError');
    expect(world.happened('cloudformation.refused')).toEqual(
      expect.arrayContaining([expect.objectContaining({ action: 'DescribeStacks', code: 'ValidationError' })]),
    );
  });
});

describe('the resources of a stack', () => {
  const logicalId = async (type: string): Promise<string> => {
    const { StackResourceSummaries = [] } = await client.send(new ListStackResourcesCommand({ StackName: 'Test' }));
    return StackResourceSummaries.find(({ ResourceType }) => ResourceType === type)?.LogicalResourceId ?? '';
  };

  it('are listed with their physical ids', async () => {
    const { StackResourceSummaries = [] } = await client.send(new ListStackResourcesCommand({ StackName: 'Test' }));
    const queue = StackResourceSummaries.find(({ ResourceType }) => ResourceType === 'AWS::SQS::Queue');
    expect(queue).toMatchObject({ PhysicalResourceId: world.ref('Queue'), ResourceStatus: 'CREATE_COMPLETE' });
    const nested = StackResourceSummaries.find(({ ResourceType }) => ResourceType === 'AWS::CloudFormation::Stack');
    expect(nested?.PhysicalResourceId).toMatch(/^arn:aws:cloudformation:us-east-1:123456789012:stack\/Test-Nested/);
  });

  it('are described by stack, by logical id, and by physical id', async () => {
    const LogicalResourceId = await logicalId('AWS::SQS::Queue');
    const one = await client.send(new DescribeStackResourceCommand({ StackName: 'Test', LogicalResourceId }));
    expect(one.StackResourceDetail).toMatchObject({ LogicalResourceId, PhysicalResourceId: world.ref('Queue') });
    expect(JSON.parse(one.StackResourceDetail?.Metadata ?? '')).toEqual({ Colour: 'red' });
    const all = await client.send(new DescribeStackResourcesCommand({ StackName: 'Test' }));
    expect(all.StackResources?.length).toBeGreaterThan(2);
    const by = await client.send(new DescribeStackResourcesCommand({ PhysicalResourceId: world.ref('Queue') }));
    expect(by.StackResources?.map(({ StackName }) => StackName)).toEqual(all.StackResources?.map(() => 'Test'));
    const gone = new DescribeStackResourceCommand({ StackName: 'Test', LogicalResourceId: 'Gone' });
    expect((await refusal(client.send(gone)))[1]).toBe('Resource Gone does not exist for stack Test');
    expect((await refusal(client.send(new DescribeStackResourcesCommand({}))))[0]).toBe('ValidationError');
  });

  it('came into being in order, as the events tell, newest first', async () => {
    const { StackEvents = [] } = await client.send(new DescribeStackEventsCommand({ StackName: 'Test' }));
    const reported = StackEvents.map(
      ({ LogicalResourceId, ResourceStatus }) => `${LogicalResourceId} ${ResourceStatus}`,
    );
    expect(reported[0]).toBe('Test CREATE_COMPLETE');
    expect(reported.at(-1)).toBe('Test CREATE_IN_PROGRESS');
    const queue = await logicalId('AWS::SQS::Queue');
    expect(reported.indexOf(`${queue} CREATE_COMPLETE`)).toBeLessThan(reported.indexOf(`${queue} CREATE_IN_PROGRESS`));
    expect(new Set(StackEvents.map(({ EventId }) => EventId)).size).toBe(StackEvents.length);
    const made = StackEvents.find(({ ResourceType }) => ResourceType === 'AWS::SQS::Queue');
    expect(JSON.parse(made?.ResourceProperties ?? '')).toEqual({ QueueName: 'orders' });
  });
});

it('a role sees stacks as far as its policies let it', () => {
  const { cloudFormation, iam } = world.aws.services;
  const caller = roleCaller(world.aws.resource('Test/Reader').attributes['Arn'] ?? '');
  const describe = () => cloudFormation.call('DescribeStacks', caller, { StackName: 'Test' });
  expect(describe).toThrow('is not authorized to perform: cloudformation:DescribeStacks on resource');
  iam.putRolePolicy('Reader', 'Sees', {
    Version: '2012-10-17',
    Statement: {
      Effect: 'Allow',
      Action: 'cloudformation:Describe*',
      Resource: 'arn:aws:cloudformation:us-east-1:123456789012:stack/Test/*',
    },
  });
  expect(describe().Stacks).toHaveLength(1);
});
