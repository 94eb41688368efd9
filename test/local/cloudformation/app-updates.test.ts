import { LambdaClient, UpdateFunctionCodeCommand } from '@aws-sdk/client-lambda';
import { SendMessageCommand } from '@aws-sdk/client-sqs';
import { CfnOutput, CustomResource, Duration, NestedStack, type Stack, Tags } from 'aws-cdk-lib';
import { SqsEventSource } from 'aws-cdk-lib/aws-lambda-event-sources';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { LambdaSubscription } from 'aws-cdk-lib/aws-sns-subscriptions';
import { Queue } from 'aws-cdk-lib/aws-sqs';
import { RentalOrdersStack } from '../../../examples/rental';
import type { LocalAws } from '../../../local';
import { assemblyOf, assemblyOfStack } from '../../support/assembly';
import { Deployed } from '../../support/deployed';
import { inlineFunction } from '../../support/inline-function';
import { rentalAssembly } from '../../support/rental';

/** Answers as the request's properties say, and logs the request. */
const PROVIDER = `
  const https = require('node:https');
  exports.handler = async event => {
    const { RequestType, PhysicalResourceId = '-', OldResourceProperties, ResourceProperties: { Id, Fail } } = event;
    console.log([RequestType, PhysicalResourceId, OldResourceProperties?.Id ?? '-', Id].join(' '));
    const { StackId, RequestId, LogicalResourceId, ResponseURL } = event;
    const Status = Fail === RequestType ? 'FAILED' : 'SUCCESS';
    const body = JSON.stringify({ Status, Reason: 'told to', PhysicalResourceId: Id, StackId, RequestId, LogicalResourceId });
    const url = new URL(ResponseURL);
    await new Promise(resolve => {
      const options = { hostname: url.hostname, path: url.pathname + url.search, method: 'PUT' };
      https.request({ ...options, headers: { 'content-length': body.length } }, reply => reply.resume().on('end', resolve)).end(body);
    });
  };`;

const custom =
  (properties: object, more: (stack: Stack) => void = () => {}) =>
  (stack: Stack) => {
    const handler = inlineFunction(stack, 'Handler', PROVIDER);
    new CustomResource(stack, 'Custom', { serviceToken: handler.functionArn, properties: { ...properties } });
    more(stack);
  };

function requests(world: Deployed): readonly string[] {
  const line = /(?:Create|Update|Delete) \S+ \S+ \S+/;
  return world.log(`/aws/lambda/${world.ref('Handler')}`).flatMap(it => line.exec(it) ?? []);
}

describe('custom resources', () => {
  it('are asked to update, and to delete the old one if the physical id changed', async () => {
    const world = await Deployed.stack(custom({ Id: 'a', Size: 1 }));
    await world.aws.update(assemblyOfStack(custom({ Id: 'a', Size: 2 })));
    await world.aws.update(assemblyOfStack(custom({ Id: 'b', Size: 2 })));
    expect(world.ref('Custom/Default')).toBe('b');
    const before = requests(world);
    expect(before).toEqual(['Create - - a', 'Update a a a', 'Update a a b', 'Delete a - a']);
    await world.aws.destroy();
    expect(world.happened('cloudformation.custom-resource-requested').at(-1)).toMatchObject({ requestType: 'Delete' });
  });

  it('that fail are rolled back', async () => {
    const world = await Deployed.stack(custom({ Id: 'a' }));
    const failing = world.aws.update(assemblyOfStack(custom({ Id: 'b', Fail: 'Update' })));
    await expect(failing).rejects.toThrow(/Test is UPDATE_ROLLBACK_COMPLETE: .*told to/);
    expect(requests(world)).toEqual(['Create - - a', 'Update a a b', 'Update b b a', 'Delete b - b']);
  });
});

describe('nested stacks', () => {
  const nest = (fill: (stack: Stack) => void, more: (stack: Stack) => void = () => {}) =>
    assemblyOfStack(stack => {
      const nested = new NestedStack(stack, 'Nested');
      fill(nested);
      more(stack);
    });
  const queueNamed = (id: string, name: string) => (stack: Stack) => void new Queue(stack, id, { queueName: name });
  const names = (aws: LocalAws) => aws.state().queues.map(({ name }) => name);

  it('clean up after their parent has changed everything', async () => {
    const world = await Deployed.assembly(nest(queueNamed('Inner', 'one')));
    const startMs = world.aws.nowMs;
    await world.aws.update(nest(queueNamed('Inner', 'two'), queueNamed('Outer', 'outer')));
    expect(names(world.aws)).toEqual(['outer', 'two']);
    const deleted = world.happened('sqs.queue-deleted').map(({ atMs }) => (atMs - startMs) / 1000);
    expect(deleted).toEqual([20]);
    await world.aws.update(assemblyOfStack(queueNamed('Outer', 'outer')));
    expect(names(world.aws)).toEqual(['outer']);
    expect(world.aws.stacks).toHaveLength(1);
  });

  it('are rolled back with their parent', async () => {
    const world = await Deployed.assembly(nest(queueNamed('Inner', 'one')));
    const broken = nest(queueNamed('Inner', 'two'), stack => {
      const [nested] = stack.node.children.filter(it => it instanceof NestedStack);
      const queue = new Queue(stack, 'Outer', { queueName: 'not possible' });
      if (nested) queue.node.addDependency(nested);
    });
    await expect(world.aws.update(broken)).rejects.toThrow(/Test is UPDATE_ROLLBACK_COMPLETE/);
    expect(names(world.aws)).toEqual(['one']);
    expect(world.happened('cloudformation.stack-status').at(-1)).toMatchObject({ status: 'UPDATE_ROLLBACK_COMPLETE' });
  });
});

describe('functions', () => {
  const sleeper = (seconds: number, text: string, more: (stack: Stack, queue: Queue) => void = () => {}) =>
    assemblyOfStack(stack => {
      const queue = new Queue(stack, 'Queue', { visibilityTimeout: Duration.minutes(2) });
      const code = `exports.handler = async () => {
        await new Promise(resolve => setTimeout(resolve, ${seconds * 1000}));
        console.log('${text}');
      };`;
      const handler = inlineFunction(stack, 'Function', code, { timeout: Duration.seconds(20) });
      handler.addEventSource(new SqsEventSource(queue, { batchSize: 1 }));
      more(stack, queue);
      new CfnOutput(stack, 'Url', { value: queue.queueUrl });
    });
  const send = (world: Deployed) =>
    world.sqs.send(new SendMessageCommand({ QueueUrl: world.aws.output('Url'), MessageBody: 'm' }));
  const lines = (world: Deployed) =>
    world.log(`/aws/lambda/${world.ref('Function')}`).flatMap(it => /(?:old|new) code/.exec(it)?.[0] ?? []);

  it('run the new code from the next invocation on; an invocation under way ends with the old code', async () => {
    const world = await Deployed.assembly(sleeper(15, 'old code'));
    await send(world);
    await world.aws.advance({ seconds: 1 });
    world.aws.timeline.after(5_000, () => send(world).then(() => {}));
    await world.aws.update(sleeper(1, 'new code'));
    await world.aws.advance({ minutes: 1 });
    expect(lines(world)).toEqual(['new code', 'old code']);
    expect(world.happened('sqs.deleted')).toHaveLength(2);
  });

  it('lose no message when their mapping is created again: what is in flight returns', async () => {
    const world = await Deployed.assembly(sleeper(1, 'old code'));
    const withOther = assemblyOfStack(stack => {
      const queue = new Queue(stack, 'Queue', { visibilityTimeout: Duration.minutes(2) });
      const code = 'exports.handler = async () => {};';
      const handler = inlineFunction(stack, 'Other', code, { timeout: Duration.seconds(20) });
      handler.addEventSource(new SqsEventSource(queue, { batchSize: 1 }));
      new CfnOutput(stack, 'Url', { value: queue.queueUrl });
    });
    for (const seconds of [1, 6, 12, 18, 24])
      world.aws.timeline.after(seconds * 1000, () => send(world).then(() => {}));
    await world.aws.update(withOther);
    await world.aws.advance({ minutes: 5 });
    expect(world.happened('sqs.sent')).toHaveLength(5);
    expect(world.happened('sqs.deleted')).toHaveLength(5);
  });

  it('that are deleted lose the events that wait for them, and the trace says why', async () => {
    const world = await Deployed.assembly(
      assemblyOfStack(stack => {
        const topic = new Topic(stack, 'Topic');
        const handler = inlineFunction(stack, 'Function', 'exports.handler = async () => { throw new Error("no"); };');
        topic.addSubscription(new LambdaSubscription(handler));
        new CfnOutput(stack, 'TopicArn', { value: topic.topicArn });
      }),
    );
    await world.publish('Topic', 'm');
    await world.aws.advance({ seconds: 1 });
    await world.aws.destroy();
    await world.aws.advance({ minutes: 10 });
    expect(world.happened('lambda.lost')).toEqual([
      expect.objectContaining({
        attempts: 1,
        reason: 'the function has no dead-letter queue and no on-failure destination',
      }),
    ]);
  });

  it('get other code by UpdateFunctionCode', async () => {
    const world = await Deployed.assembly(sleeper(0, 'old code'));
    const lambda = new LambdaClient(world.aws.clientConfig());
    const FunctionName = world.ref('Function');
    await expect(
      lambda.send(new UpdateFunctionCodeCommand({ FunctionName, ZipFile: Buffer.from('no zip') })),
    ).rejects.toThrow('Could not unzip uploaded file. Please check your file, then try to upload again.');
  });
});

it('the rental backend is updated with other tags in place, and destroyed except for what is retained', async () => {
  const world = await Deployed.assembly(rentalAssembly());
  const { queues, topics, functions, alarms } = world.aws.state();
  const tagged = assemblyOf(app => {
    const stack = new RentalOrdersStack(app, 'Test', { rentalOrders: {} });
    Tags.of(stack).add('owner', 'rental');
  });
  await world.aws.update(tagged, { operationTime: {} });
  expect(world.aws.state().queues.map(({ name }) => name)).toEqual(queues.map(({ name }) => name));
  expect(world.aws.state()).toMatchObject({ topics, functions });
  expect(world.aws.state().alarms.map(({ name }) => name)).toEqual(alarms.map(({ name }) => name));
  await world.aws.destroy();
  const after = world.aws.state();
  const { topics: t, functions: f, alarms: a, apis } = after;
  expect({ t, f, a, apis }).toEqual({ t: [], f: [], a: [], apis: [] });
  const skipped = world.happened('cloudformation.resource-status').filter(({ status }) => status === 'DELETE_SKIPPED');
  expect(after.queues).toHaveLength(skipped.filter(({ resourceType }) => resourceType === 'AWS::SQS::Queue').length);
});
