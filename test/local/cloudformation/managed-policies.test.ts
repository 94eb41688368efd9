import { SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import type { Stack } from 'aws-cdk-lib';
import { AttributeType, StreamViewType, Table } from 'aws-cdk-lib/aws-dynamodb';
import { Effect, ManagedPolicy, Policy, PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { CfnEventSourceMapping } from 'aws-cdk-lib/aws-lambda';
import { Queue } from 'aws-cdk-lib/aws-sqs';
import type { LocalAws, LocalAwsOptions } from '../../../local';
import { assemblyOfStack } from '../../support/assembly';
import { Deployed } from '../../support/deployed';
import { inlineFunction } from '../../support/inline-function';

const NEW = 'arn:aws:iam::aws:policy/AmazonNewFullAccess';
const WARN: LocalAwsOptions = { standIns: 'warn' };

const named = (name: string) => ManagedPolicy.fromAwsManagedPolicyName(name);

/** A queue, and a role with a managed policy that may send to it. */
function sender(stack: Stack, policy: string): Role {
  new Queue(stack, 'Queue', { queueName: 'orders' });
  const assumedBy = new ServicePrincipal('ec2.amazonaws.com');
  return new Role(stack, 'Sender', { roleName: 'sender', assumedBy, managedPolicies: [named(policy)] });
}

const deploy = async (fill: (stack: Stack) => void, options: LocalAwsOptions): Promise<LocalAws> =>
  (await Deployed.assembly(assemblyOfStack(fill), options)).aws;

function send(aws: LocalAws) {
  const client = new SQSClient(aws.clientConfig({ role: 'arn:aws:iam::123456789012:role/sender' }));
  const QueueUrl = 'https://sqs.us-east-1.amazonaws.com/123456789012/orders';
  return client.send(new SendMessageCommand({ QueueUrl, MessageBody: 'x' }));
}

const visible = (aws: LocalAws) => aws.state().queues[0]?.visible;

test('a role with AmazonSQSFullAccess sends, and nothing about it is unknown', async () => {
  const aws = await deploy(stack => sender(stack, 'AmazonSQSFullAccess'), {});
  await send(aws);
  expect([visible(aws), aws.standIns]).toEqual([1, []]);
});

test('a role with a policy that is not known sends, and this is reported as unknown', async () => {
  const aws = await deploy(stack => sender(stack, 'AmazonNewFullAccess'), WARN);
  expect(aws.standIns).toMatchObject([{ type: 'AWS::IAM::Role', what: 'property', member: 'ManagedPolicyArns' }]);
  expect(aws.state().unknowns).toEqual([]);
  await send(aws);
  await send(aws);
  expect(visible(aws)).toBe(2);
  const decision = {
    roleArn: 'arn:aws:iam::123456789012:role/sender',
    policyArns: [NEW],
    action: 'sqs:SendMessage',
    resource: 'arn:aws:sqs:us-east-1:123456789012:orders',
  };
  expect(aws.standIns.slice(1)).toEqual([
    {
      ...{ stack: 'Test', logicalId: expect.stringMatching(/^Sender/), type: 'AWS::IAM::Role', what: 'decision' },
      decision,
      reason: expect.stringContaining('is allowed here, and unknown on AWS'),
    },
  ]);
  expect(aws.trace.events.filter(({ type }) => type === 'iam.decision-unknown')).toMatchObject([decision]);
  const unknown = 'whether AWS allows sqs:SendMessage on arn:aws:sqs:us-east-1:123456789012:orders';
  expect(aws.state().unknowns).toMatchObject([{ stack: 'Test', type: 'AWS::IAM::Role', unknown }]);
});

test('a Deny counts next to a policy that is not known', async () => {
  const aws = await deploy(stack => {
    const effect = Effect.DENY;
    const statements = [new PolicyStatement({ effect, actions: ['sqs:SendMessage'], resources: ['*'] })];
    new Policy(stack, 'Deny', { statements, roles: [sender(stack, 'AmazonNewFullAccess')] });
  }, WARN);
  await expect(send(aws)).rejects.toThrow('is denied');
});

test('without stand-ins, a policy or a boundary that is not known is refused by name', async () => {
  const deploying = deploy(stack => {
    const role = sender(stack, 'AmazonNewFullAccess');
    new Role(stack, 'Limited', {
      assumedBy: new ServicePrincipal('ec2.amazonaws.com'),
      permissionsBoundary: named('NewBoundary'),
    });
    return role;
  }, {});
  const rule = "must name policies that the embedded AWS knows.*: with standIns 'warn'";
  await expect(deploying).rejects.toThrow(new RegExp(`ManagedPolicyArns ${rule}.*AmazonNewFullAccess`));
  await expect(deploying).rejects.toThrow(new RegExp(`PermissionsBoundary ${rule}.*NewBoundary`));
  await expect(deploying).rejects.not.toThrow(/does not exist|AccessDenied|not authorized/);
});

test('a stream mapping of a role with a policy that is not known works', async () => {
  const aws = await deploy(stack => {
    const partitionKey = { name: 'id', type: AttributeType.STRING };
    const table = new Table(stack, 'Table', { partitionKey, stream: StreamViewType.NEW_IMAGE });
    const worker = inlineFunction(
      stack,
      'Worker',
      'exports.handler = async ({ Records }) => console.log(Records.length);',
    );
    worker.role?.addManagedPolicy(named('AmazonNewFullAccess'));
    new CfnEventSourceMapping(stack, 'Mapping', {
      ...{ functionName: worker.functionName, eventSourceArn: table.tableStreamArn, startingPosition: 'LATEST' },
    });
  }, WARN);
  const actions = aws.standIns.flatMap(({ decision }) => decision?.action ?? []);
  expect(actions).toEqual(['dynamodb:GetRecords', 'dynamodb:GetShardIterator', 'dynamodb:DescribeStream']);
});
