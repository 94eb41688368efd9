import { CloudFormationClient, DescribeStacksCommand, ListExportsCommand } from '@aws-sdk/client-cloudformation';
import {
  CreateEventSourceMappingCommand,
  GetFunctionConfigurationCommand,
  InvokeCommand,
  LambdaClient,
} from '@aws-sdk/client-lambda';
import { PublishCommand, SNSClient } from '@aws-sdk/client-sns';
import { type App, CfnOutput, type CfnResource, CustomResource, Duration, Stack, Stage } from 'aws-cdk-lib';
import { AccountPrincipal, PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { CfnEventSourceMapping, Code, Function as LambdaFunction, Runtime } from 'aws-cdk-lib/aws-lambda';
import { CfnSubscription, Topic } from 'aws-cdk-lib/aws-sns';
import { SqsSubscription } from 'aws-cdk-lib/aws-sns-subscriptions';
import { Queue } from 'aws-cdk-lib/aws-sqs';
import { type AccountAndRegion, Ledger, LocalAws, type LocalAwsOptions } from '../../../local';
import { newApp } from '../../support/new-app';

const HOME = '111111111111';
const OTHER = '222222222222';
const US = { account: HOME, region: 'us-east-1' };
const EU = { account: HOME, region: 'eu-west-1' };
const OTHER_EU = { account: OTHER, region: 'eu-west-1' };

const WORKER = `exports.handler = async event => {
  console.log(process.env.AWS_REGION + ' got ' + event.Records.map(({ body }) => body).join());
};`;

/** A topic in us-east-1, its queue in eu-west-1, and a function of another account that takes from the queue. */
function rental(app: App | Stage): void {
  const orders = new Stack(app, 'Orders', { env: US, crossRegionReferences: true });
  const topic = new Topic(orders, 'Topic');
  new CfnOutput(orders, 'TopicArn', { value: topic.topicArn });

  const billing = new Stack(app, 'Billing', { env: EU, crossRegionReferences: true });
  const queue = new Queue(billing, 'Queue', { queueName: 'Billing', visibilityTimeout: Duration.seconds(30) });
  topic.addSubscription(new SqsSubscription(queue, { rawMessageDelivery: true }));
  queue.addToResourcePolicy(
    new PolicyStatement({
      principals: [new AccountPrincipal(OTHER)],
      actions: ['sqs:ReceiveMessage', 'sqs:DeleteMessage', 'sqs:GetQueueAttributes'],
      resources: [queue.queueArn],
    }),
  );
  new CfnOutput(billing, 'Name', { value: queue.queueName, exportName: 'Name' });

  const partner = new Stack(app, 'Partner', { env: OTHER_EU });
  const worker = new LambdaFunction(partner, 'Worker', {
    functionName: 'Worker',
    runtime: Runtime.NODEJS_LATEST,
    handler: 'index.handler',
    code: Code.fromInline(WORKER),
    timeout: Duration.seconds(5),
  });
  const eventSourceArn = `arn:aws:sqs:eu-west-1:${HOME}:Billing`;
  const actions = ['sqs:ReceiveMessage', 'sqs:DeleteMessage', 'sqs:GetQueueAttributes'];
  const allowed = worker.role?.addToPrincipalPolicy(new PolicyStatement({ actions, resources: [eventSourceArn] }));
  const mapping = new CfnEventSourceMapping(partner, 'Mapping', { eventSourceArn, functionName: worker.functionArn });
  if (allowed?.policyDependable) mapping.node.addDependency(allowed.policyDependable);
  partner.addStackDependency(billing);
  new CfnOutput(partner, 'Name', { value: worker.functionName, exportName: 'Name' });
}

function synthesized(build: (app: App) => void) {
  const app = newApp();
  build(app);
  return app.synth();
}

const deploy = (build: (app: App) => void, options?: LocalAwsOptions) => LocalAws.deploy(synthesized(build), options);

async function traceOfDay(): Promise<{ readonly aws: LocalAws; readonly bytes: string }> {
  const aws = await deploy(rental);
  const Message = 'order 1';
  await new SNSClient(aws.clientConfig(US)).send(new PublishCommand({ TopicArn: aws.output('TopicArn'), Message }));
  await aws.advance({ minutes: 1 });
  return { aws, bytes: aws.trace.toJsonLines() };
}

describe('an app of two accounts and two Regions', () => {
  it('deploys each stack to its own, and its messages cross them', async () => {
    const { aws, bytes } = await traceOfDay();
    // The first stack's account and Region are the default ones.
    expect(aws.place).toMatchObject(US);
    const lines = aws.logs('/aws/lambda/Worker', OTHER_EU).map(({ message }) => message);
    expect(lines).toContainEqual(expect.stringContaining('eu-west-1 got order 1'));
    expect(aws.logs('/aws/lambda/Worker')).toEqual([]);
    const [account, ...others] = Ledger.of(aws.trace.events).accounts(aws.output('TopicArn'));
    expect([account, others]).toMatchObject([{ published: 1, delivered: 1, lost: 0 }, []]);
    // CDK's custom resources write the topic's ARN to SSM of the other Region, and read it there.
    const asked = aws.trace.events.flatMap(it => (it.type === 'cloudformation.custom-resource-requested' ? [it] : []));
    expect(asked.map(({ resourceType, region }) => [resourceType, region])).toEqual([
      ['Custom::CrossRegionExportWriter', undefined],
      ['Custom::CrossRegionExportReader', 'eu-west-1'],
    ]);
    expect(aws.state().queues).toMatchObject([
      { arn: `arn:aws:sqs:eu-west-1:${HOME}:Billing`, visible: 0, inFlight: 0 },
    ]);
    expect(aws.state().functions).toContainEqual({
      name: 'Worker',
      arn: `arn:aws:lambda:eu-west-1:${OTHER}:function:Worker`,
    });
    await aws.close();
    const again = await traceOfDay();
    await again.aws.close();
    expect(again.bytes).toBe(bytes);
  });

  it('finds outputs and resources in every account and Region', async () => {
    const aws = await deploy(rental);
    expect(aws.output('Partner.Name')).toBe('Worker');
    expect(aws.output('Billing.Name')).toBe('Billing');
    expect(() => aws.output('Name')).toThrow('"Name" is ambiguous: use one of Billing.Name, Partner.Name');
    expect(aws.resource('Billing/Queue').ref).toBe(`https://sqs.eu-west-1.amazonaws.com/${HOME}/Billing`);
    const exportsOf = async (where: AccountAndRegion) => {
      const { Exports = [] } = await new CloudFormationClient(aws.clientConfig(where)).send(new ListExportsCommand({}));
      return Exports.map(({ Name, Value }) => `${Name}=${Value}`).filter(text => text.startsWith('Name='));
    };
    expect(await Promise.all([US, EU, OTHER_EU].map(exportsOf))).toEqual([[], ['Name=Billing'], ['Name=Worker']]);
    const stacks = await new CloudFormationClient(aws.clientConfig(EU)).send(new DescribeStacksCommand({}));
    expect(stacks.Stacks?.map(({ StackId }) => StackId?.split('/')[0])).toEqual([
      `arn:aws:cloudformation:eu-west-1:${HOME}:stack`,
    ]);
    await aws.close();
  });

  it('crashes a function of any account, by its name or ARN', async () => {
    const aws = await deploy(rental);
    const crash = (functionName: string) => aws.interruptions.set({ functionName, how: 'exit' });
    crash('Worker');
    crash(`arn:aws:lambda:eu-west-1:${OTHER}:function:Worker`);
    expect(() => crash(`arn:aws:lambda:eu-west-1:${HOME}:function:Worker`)).toThrow('must be an existing function');
    await aws.close();
  });

  it('is updated and deleted in all of them, and may get another Region', async () => {
    const aws = await deploy(rental);
    const grown = synthesized(app => {
      rental(app);
      new Queue(new Stack(app, 'New', { env: { account: OTHER, region: 'ap-south-1' } }), 'Queue', {
        queueName: 'New',
      });
    });
    expect(await aws.update(grown)).toEqual(['New']);
    expect(aws.resource('New/Queue').ref).toBe(`https://sqs.ap-south-1.amazonaws.com/${OTHER}/New`);
    await aws.destroy();
    expect(aws.state().queues).toEqual([]);
    expect(aws.stacks).toEqual([]);
    await aws.close();
  });

  it('deletes a stack before the stack of another Region that it reads from', async () => {
    const aws = await deploy(rental, { place: EU });
    expect(aws.place).toMatchObject(EU);
    await aws.destroy();
    expect(aws.stacks).toEqual([]);
    const deleted = aws.trace.events.flatMap(it =>
      it.type === 'cloudformation.stack-status' && it.status === 'DELETE_COMPLETE' ? [it.stackName] : [],
    );
    expect(deleted).toEqual(['Partner', 'Billing', 'Orders']);
    await aws.close();
  });

  it('has the mapping of a queue in another Region refused (assumption LAMBDA-18)', async () => {
    const aws = await deploy(rental);
    const lambda = new LambdaClient(aws.clientConfig(OTHER_EU));
    const EventSourceArn = `arn:aws:sqs:us-east-1:${HOME}:Billing`;
    const create = new CreateEventSourceMappingCommand({ FunctionName: 'Worker', EventSourceArn });
    await expect(lambda.send(create)).rejects.toMatchObject({
      name: 'InvalidParameterValueException',
      message: `The queue ${EventSourceArn} must be in the Region of the function, eu-west-1.`,
    });
    const elsewhere = new LambdaClient(aws.clientConfig(EU));
    const FunctionName = `arn:aws:lambda:eu-west-1:${OTHER}:function:Worker`;
    await expect(elsewhere.send(new GetFunctionConfigurationCommand({ FunctionName }))).rejects.toMatchObject({
      name: 'AccessDeniedException',
    });
    await aws.close();
  });
});

describe('the stacks of an app', () => {
  it('that name no environment are deployed to the default account and Region', async () => {
    const build = (app: App) => {
      new Role(new Stack(app, 'Open'), 'Role', {
        roleName: 'Open',
        assumedBy: new ServicePrincipal('sns.amazonaws.com'),
      });
      new Queue(new Stack(new Stage(app, 'Prod', { env: OTHER_EU }), 'Pinned'), 'Queue', { queueName: 'Pinned' });
      new Queue(new Stack(app, 'Regional', { env: { region: 'eu-west-1' } }), 'Queue', { queueName: 'Regional' });
      new Queue(new Stack(app, 'Here', { env: US }), 'Queue', { queueName: 'Here' });
    };
    const place = { account: HOME, region: 'eu-central-1' };
    const aws = await deploy(build, { place });
    expect(aws.place).toMatchObject(place);
    expect(aws.resource('Open/Role').attributes['Arn']).toBe(`arn:aws:iam::${HOME}:role/Open`);
    expect(aws.state().queues.map(({ arn }) => arn)).toEqual([
      `arn:aws:sqs:eu-west-1:${OTHER}:Pinned`,
      `arn:aws:sqs:eu-west-1:${HOME}:Regional`,
      `arn:aws:sqs:us-east-1:${HOME}:Here`,
    ]);
    await aws.close();
  });

  it('may subscribe functions of another account and Region, which act there, if their policies let the topic in', async () => {
    const code = `exports.handler = async ({ Records }) => {
      const { STSClient, GetCallerIdentityCommand } = require('@aws-sdk/client-sts');
      const { Account } = await new STSClient({}).send(new GetCallerIdentityCommand({}));
      console.log(process.env.AWS_REGION + ' ' + Account + ' got ' + Records[0].Sns.Message);
    };`;
    const topicArn = `arn:aws:sns:us-east-1:${HOME}:Orders`;
    const build = (isAllowed: boolean) => (app: App) => {
      const home = new Stack(app, 'Home', { env: US });
      const topic = new Topic(home, 'Topic', { topicName: 'Orders' });
      if (isAllowed) topic.grantSubscribe(new AccountPrincipal(OTHER));
      const partner = new Stack(app, 'Partner', { env: OTHER_EU });
      partner.addStackDependency(home);
      for (const functionName of ['Open', 'Closed']) {
        const runtime = Runtime.NODEJS_LATEST;
        const handler = 'index.handler';
        const it = new LambdaFunction(partner, functionName, {
          ...{ functionName, runtime, handler, code: Code.fromInline(code), timeout: Duration.seconds(30) },
        });
        const principal = new ServicePrincipal('sns.amazonaws.com');
        if (functionName === 'Open') it.addPermission('Sns', { principal, sourceArn: topicArn });
        const [protocol, endpoint] = ['lambda', it.functionArn];
        new CfnSubscription(partner, `To${functionName}`, { topicArn, protocol, endpoint, region: 'us-east-1' });
      }
    };
    await expect(deploy(build(false))).rejects.toThrow('is not authorized to perform: SNS:Subscribe');
    const aws = await deploy(build(true));
    aws.publish('Orders', 'order 1');
    await aws.advance({ hours: 1 });
    const lines = aws.logs('/aws/lambda/Open', OTHER_EU).map(({ message }) => message);
    expect(lines).toContainEqual(expect.stringContaining(`eu-west-1 ${OTHER} got order 1`));
    const accounts = Ledger.of(aws.trace.events).accounts(topicArn);
    const ends = accounts.map(({ endpoint, delivered, lost }) => [endpoint.split(':').at(-1), delivered, lost]);
    expect(ends.sort()).toEqual([
      ['Closed', 0, 1],
      ['Open', 1, 0],
    ]);
    await aws.close();
  });

  it('may have a dead-letter queue of a function in another account and Region (assumption LAMBDA-20)', async () => {
    const build = (app: App) => {
      const home = new Stack(app, 'Home', { env: US });
      const dead = new Queue(home, 'Dead', { queueName: 'Dead' });
      dead.grantSendMessages(new AccountPrincipal(OTHER));
      const partner = new Stack(app, 'Partner', { env: OTHER_EU });
      partner.addStackDependency(home);
      new LambdaFunction(partner, 'Failing', {
        functionName: 'Failing',
        runtime: Runtime.NODEJS_LATEST,
        handler: 'index.handler',
        code: Code.fromInline('exports.handler = async () => { throw new Error("no"); };'),
        deadLetterQueue: Queue.fromQueueArn(partner, 'Dead', `arn:aws:sqs:us-east-1:${HOME}:Dead`),
        retryAttempts: 0,
      });
    };
    const aws = await deploy(build);
    const lambda = new LambdaClient(aws.clientConfig(OTHER_EU));
    await lambda.send(new InvokeCommand({ FunctionName: 'Failing', InvocationType: 'Event', Payload: '{}' }));
    await aws.advance({ minutes: 1 });
    expect(aws.state().queues).toMatchObject([{ name: 'Dead', visible: 1 }]);
    await aws.close();
  });

  it('have custom resources of their own Region only', async () => {
    const build = (app: App) => {
      const serviceToken = `arn:aws:lambda:us-east-1:${HOME}:function:Provider`;
      new CustomResource(new Stack(app, 'Asking', { env: EU }), 'Asked', { serviceToken });
      new Queue(new Stack(app, 'Other', { env: US }), 'Queue');
    };
    await expect(deploy(build)).rejects.toThrow('ServiceToken must be in the Region of the stack, eu-west-1, got');
  });

  it('fail together, each by its name', async () => {
    const build = (app: App) => {
      for (const [name, env] of [
        ['One', US],
        ['Two', EU],
      ] as const) {
        const queue = new Queue(new Stack(app, name, { env }), 'Queue');
        (queue.node.defaultChild as CfnResource).addPropertyOverride('Colour', 'red');
      }
    };
    await expect(deploy(build)).rejects.toThrow(/One: .*Colour[\s\S]*Two: .*Colour/);
  });
});
