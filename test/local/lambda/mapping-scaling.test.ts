import { GetEventSourceMappingCommand, LambdaClient } from '@aws-sdk/client-lambda';
import { GetQueueAttributesCommand, SendMessageCommand } from '@aws-sdk/client-sqs';
import { Duration, type Stack } from 'aws-cdk-lib';
import { Alarm, Metric } from 'aws-cdk-lib/aws-cloudwatch';
import { Rule } from 'aws-cdk-lib/aws-events';
import { LambdaFunction } from 'aws-cdk-lib/aws-events-targets';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import { EventSourceMapping } from 'aws-cdk-lib/aws-lambda';
import { Queue } from 'aws-cdk-lib/aws-sqs';
import { SessionCredentialStore } from '../../../local/iam/session-credentials';
import type { MappingConfiguration } from '../../../local/lambda/event-source/mapping-configuration';
import { provisionedBatches } from '../../../local/lambda/event-source/scaling';
import { Deployed } from '../../support/deployed';
import { inlineFunction } from '../../support/inline-function';
import { ADMIN, type FunctionProps, LambdaFixture, START_MS } from './lambda-fixture';

const SLOW = 'exports.handler = async () => new Promise(resolve => setTimeout(resolve, 5000));';
const FAST = 'exports.handler = async () => {};';

describe('event source mappings under pressure (aws-semantics section 8)', () => {
  let world: LambdaFixture;
  let queue: { readonly url: string; readonly arn: string };
  const build = (options: ConstructorParameters<typeof LambdaFixture>[0] = {}): void => {
    world = new LambdaFixture(options);
    queue = world.createQueue('orders', { VisibilityTimeout: '60' });
  };
  beforeEach(() => build());
  afterEach(() => world.close());

  const map = (
    name: string,
    { code = FAST, ...props }: FunctionProps,
    configuration: Partial<MappingConfiguration>,
  ) => {
    world.deploy(name, { code, timeoutSeconds: 10, ...props });
    return world.lambda.createEventSourceMapping(name, { queueArn: queue.arn, ...configuration });
  };
  const sendAll = (count: number, url = queue.url): string[] =>
    Array.from({ length: count }, (_, i) => world.send(url, `order ${i}`));

  describe('with fewer threads than batches', () => {
    beforeEach(async () => {
      await world.close();
      build({ maxThreads: 3 });
    });

    test('scales no further, loses nothing, and says so once', async () => {
      map('worker', { code: SLOW }, { batchSize: 1 });
      sendAll(10);
      await world.timeline.runUntilIdle();
      expect(world.times('lambda.invoked')).toEqual([0, 0, 0, 5, 5, 5, 10, 10, 10, 15]);
      expect(world.happened('lambda.scaling-limited')).toMatchObject([{ reason: 'maxThreads', queueArn: queue.arn }]);
      expect(world.happened('sqs.deleted')).toHaveLength(10);
      expect(world.happened('sqs.received')).toHaveLength(10);
      expect(world.happened('lambda.throttled')).toEqual([]);
    });

    test('scales to hundreds of batches a minute later, and still takes no more threads', async () => {
      map('worker', { code: SLOW }, { batchSize: 1 });
      sendAll(60);
      await world.goTo(120);
      expect(Math.max(...world.values('ConcurrentExecutions'))).toBe(3);
      expect(world.happened('lambda.finished')).toHaveLength(60);
    });

    test('several mappings take turns', async () => {
      const other = world.createQueue('invoices', { VisibilityTimeout: '60' });
      sendAll(6);
      sendAll(6, other.url);
      map('orders', { code: SLOW }, { batchSize: 1 });
      map('invoices', { code: SLOW }, { batchSize: 1, queueArn: other.arn });
      await world.goTo(9);
      const names = world.happened('lambda.invoked').map(({ functionArn }) => functionArn.split(':').at(-1));
      expect(names).toEqual(['orders', 'orders', 'orders', 'orders', 'invoices', 'orders']);
      await world.timeline.runUntilIdle();
      expect(world.happened('lambda.finished')).toHaveLength(12);
    });

    test('a batch waits for a thread when the last one was taken after it was received', async () => {
      map('worker', { code: SLOW }, { batchSize: 1 });
      const [id] = sendAll(1);
      for (const n of [1, 2, 3]) world.queue('worker', { n });
      await world.timeline.runUntilIdle();
      const batch = world.happened('lambda.batch-finished');
      expect(batch).toMatchObject([{ outcome: 'success', deleted: 1 }]);
      expect(world.happened('sqs.received')).toMatchObject([{ messageId: id, receiveCount: 1 }]);
    });
  });

  test.each([
    [0, 2, 200, 20],
    [59_999, 3, 200, 30],
    [60_000, 2, 200, 1020],
    [60_000, 2, 50, 500],
    [600_000, 200, 2000, 12_000],
  ])(
    'after %i ms of backlog, from %i to %i event pollers have %i batches at once',
    (busyMs, minimum, maximum, batches) => {
      expect(provisionedBatches(busyMs, { minimum, maximum })).toBe(batches);
    },
  );

  test('has as many batches at once as its own event pollers take', async () => {
    map('worker', { code: SLOW }, { batchSize: 1, provisionedPollers: { minimum: 2, maximum: 2 } });
    sendAll(25);
    await world.goTo(4);
    expect(world.happened('lambda.invoked')).toHaveLength(20);
  });

  test('a batch no environment can be made for gives its place back', async () => {
    map('worker', {}, { batchSize: 1, maximumConcurrency: 2 });
    const breaks = jest.spyOn(SessionCredentialStore.prototype, 'issue').mockImplementation(() => {
      throw new RangeError('no credentials today');
    });
    for (let batch = 0; batch < 3; batch += 1) {
      sendAll(1);
      await expect(world.timeline.advanceTo(START_MS + 1000)).rejects.toThrow('no credentials today');
    }
    breaks.mockRestore();
    await world.goTo(100);
    expect(world.happened('lambda.batch-finished').map(({ deleted }) => deleted)).toEqual([1, 1, 1]);
  });

  test('a function that stays throttled sends healthy messages to the dead-letter queue', async () => {
    const dead = world.createQueue('dead');
    world.sqs.call('SetQueueAttributes', ADMIN, {
      QueueUrl: queue.url,
      Attributes: { RedrivePolicy: JSON.stringify({ deadLetterTargetArn: dead.arn, maxReceiveCount: 5 }) },
    });
    map('worker', { reservedConcurrentExecutions: 0 }, {});
    const [id] = sendAll(1);
    await world.goTo(1000);
    expect(world.times('lambda.throttled')).toEqual([0, 60, 120, 180, 240]);
    expect(world.happened('sqs.dead-lettered')).toMatchObject([{ messageId: id }]);
    expect(world.times('sqs.dead-lettered')).toEqual([300]);
  });

  test.each([
    [503, 'error'],
    [429, 'throttled'],
  ])(
    'while Lambda itself answers %i, a batch waits for its visibility timeout, and runs later',
    async (httpStatus, outcome) => {
      map('worker', {}, {});
      const [id] = sendAll(1);
      world.faults.set({ service: 'lambda', action: 'Invoke', httpStatus, forMs: 90_000 });
      await world.timeline.runUntilIdle();
      expect(world.times('lambda.refused')).toEqual([0, 60]);
      expect(world.times('lambda.invoked')).toEqual([120]);
      expect(world.happened('lambda.batch-finished')).toMatchObject([
        { outcome, deleted: 0, failedMessageIds: [id] },
        { outcome, deleted: 0, failedMessageIds: [id] },
        { outcome: 'success', deleted: 1 },
      ]);
    },
  );

  describe('of a function that is gone', () => {
    test('receives nothing, and says so once', async () => {
      map('worker', {}, {});
      world.call('DeleteFunction', { FunctionName: 'worker' });
      sendAll(2);
      await world.goTo(10);
      sendAll(1);
      await world.goTo(30 * 86_400);
      expect(world.happened('lambda.mapping-without-function')).toMatchObject([{ queueArn: queue.arn }]);
      expect(world.happened('lambda.queue-refused')).toEqual([]);
      expect(world.happened('sqs.received')).toEqual([]);
    });

    test('goes on once the alias it names is back', async () => {
      world.deploy('worker', { code: FAST });
      world.call('PublishVersion', { FunctionName: 'worker' });
      const alias = { FunctionName: 'worker', Name: 'live', FunctionVersion: '1' };
      world.call('CreateAlias', alias);
      world.call('CreateEventSourceMapping', { FunctionName: 'worker:live', EventSourceArn: queue.arn });
      await world.goTo(20);
      world.call('DeleteAlias', alias);
      sendAll(1);
      await world.goTo(50);
      expect(world.times('lambda.mapping-without-function')).toEqual([20]);
      world.call('CreateAlias', alias);
      await world.goTo(60);
      expect(world.times('lambda.invoked')).toEqual([50]);
      expect(world.happened('sqs.deleted')).toHaveLength(1);
    });
  });

  test('a queue that stays deleted is reported once', async () => {
    map('worker', { code: SLOW }, {});
    sendAll(1);
    await world.goTo(1);
    world.sqs.call('DeleteQueue', ADMIN, { QueueUrl: queue.url });
    await world.goTo(86_400);
    const code = 'AWS.SimpleQueueService.NonExistentQueue';
    expect(world.happened('lambda.queue-refused')).toMatchObject([
      { action: 'DeleteMessageBatch', code },
      { action: 'ReceiveMessage', code },
    ]);
  });

  describe('of a slow queue', () => {
    test('finishes a batch when its messages are deleted', async () => {
      map('worker', {}, {});
      world.faults.set({ service: 'sqs', action: 'DeleteMessageBatch', latencyMs: 3000 });
      sendAll(1);
      await world.goTo(100);
      expect(world.times('lambda.invoked')).toEqual([0]);
      expect(world.times('lambda.batch-finished')).toEqual([3]);
    });

    test('waits for the attributes it asks for as well', async () => {
      map('worker', {}, { batchSize: 10, maximumBatchingWindowSeconds: 1 });
      world.faults.set({ service: 'sqs', action: 'GetQueueAttributes', latencyMs: 3000 });
      world.faults.set({ service: 'sqs', action: 'ReceiveMessage', latencyMs: 2000 });
      sendAll(1);
      await world.goTo(100);
      expect(world.times('lambda.batch-received')).toEqual([6]);
    });
  });

  test('messages that match no filter do not make it scale', async () => {
    map('worker', { code: SLOW }, { batchSize: 1, filters: ['{"body":{"wanted":[true]}}'] });
    const drops = setDrops();
    await world.goTo(90);
    for (let i = 0; i < 10; i += 1) world.send(queue.url, '{"wanted":true}');
    await world.goTo(91);
    drops();
    expect(world.happened('lambda.invoked')).toHaveLength(5);
  });

  /** Sends an unwanted message each second for 90 seconds. */
  function setDrops(): () => void {
    const due = Array.from({ length: 90 }, (_, second) =>
      world.timeline.after(second * 1000, () => void world.send(queue.url, '{"wanted":false}')),
    );
    return () => {
      for (const it of due) it.cancel();
    };
  }
});

const METRICS = [
  'PolledEventCount',
  'FilteredOutEventCount',
  'InvokedEventCount',
  'FailedInvokeEventCount',
  'DeletedEventCount',
];

describe('EventCount metrics of an event source mapping', () => {
  let world: LambdaFixture;
  let queue: { readonly url: string; readonly arn: string };
  beforeEach(() => {
    world = new LambdaFixture();
    queue = world.createQueue('orders', { VisibilityTimeout: '60' });
  });
  afterEach(() => world.close());

  function map(code: string, more: object = {}, configuration: object = {}): string {
    world.deploy('worker', { code, ...more });
    const { uuid } = world.lambda.createEventSourceMapping('worker', {
      queueArn: queue.arn,
      reportBatchItemFailures: true,
      countsEvents: true,
      ...configuration,
    });
    for (const body of ['a', 'b', 'c']) world.send(queue.url, body);
    return uuid;
  }

  /** The sums of all of them. */
  const counted = () => Object.fromEntries(METRICS.map(name => [name, world.total(name)]));

  test('a batch that succeeds', async () => {
    const uuid = map('exports.handler = async () => {};');
    await world.timeline.runUntilIdle();
    expect(counted()).toEqual({
      PolledEventCount: 3,
      FilteredOutEventCount: 0,
      InvokedEventCount: 3,
      FailedInvokeEventCount: 0,
      DeletedEventCount: 3,
    });
    expect(world.measured.find(({ name }) => name === 'DeletedEventCount')).toEqual({
      namespace: 'AWS/Lambda',
      name: 'DeletedEventCount',
      dimensions: { EventSourceMappingUUID: uuid },
      value: 3,
      atMs: START_MS,
    });
    // An empty poll counts as 0.
    expect(world.values('PolledEventCount')).toEqual([3, 0, 0]);
  });

  test('a batch of which one fails, then succeeds', async () => {
    map(`exports.handler = async event => ({ batchItemFailures: event.Records
      .filter(({ body, attributes }) => body === 'b' && attributes.ApproximateReceiveCount === '1')
      .map(({ messageId }) => ({ itemIdentifier: messageId })) });`);
    await world.timeline.runUntilIdle();
    expect(counted()).toMatchObject({
      PolledEventCount: 4,
      InvokedEventCount: 4,
      FailedInvokeEventCount: 1,
      DeletedEventCount: 3,
    });
  });

  test('a batch that fails as a whole', async () => {
    map('exports.handler = async () => { throw new Error("no"); };');
    await world.goTo(59);
    expect(counted()).toMatchObject({ InvokedEventCount: 3, FailedInvokeEventCount: 3, DeletedEventCount: 0 });
  });

  test('a batch that is throttled', async () => {
    map('exports.handler = async () => {};', { reservedConcurrentExecutions: 0 });
    await world.goTo(59);
    expect(counted()).toMatchObject({
      PolledEventCount: 3,
      InvokedEventCount: 3,
      FailedInvokeEventCount: 3,
      DeletedEventCount: 0,
    });
  });

  test('a batch that meets a system error of Lambda does not count as invoked', async () => {
    map('exports.handler = async () => {};');
    world.faults.set({ service: 'lambda', action: 'Invoke', httpStatus: 500 });
    await world.goTo(59);
    expect(counted()).toMatchObject({ PolledEventCount: 3, InvokedEventCount: 0, FailedInvokeEventCount: 3 });
  });

  test('a batch whose function has been deleted does not count as invoked', async () => {
    map('exports.handler = async () => {};', {}, { maximumBatchingWindowSeconds: 5 });
    await world.goTo(1);
    world.call('DeleteFunction', { FunctionName: 'worker' });
    await world.goTo(59);
    expect(counted()).toMatchObject({ PolledEventCount: 3, InvokedEventCount: 0, FailedInvokeEventCount: 3 });
  });

  test('events that cannot be deleted are a 0', async () => {
    map('exports.handler = async () => {};');
    world.faults.set({ service: 'sqs', action: 'DeleteMessageBatch' });
    await world.goTo(59);
    expect(world.values('DeletedEventCount')).toEqual([0]);
  });

  test('none, unless the mapping is configured to count events', async () => {
    world.deploy('worker', { code: 'exports.handler = async () => {};' });
    world.lambda.createEventSourceMapping('worker', { queueArn: queue.arn });
    world.send(queue.url, 'a');
    await world.timeline.runUntilIdle();
    expect(world.happened('lambda.batch-finished')).toHaveLength(1);
    expect(world.measured.filter(({ name }) => METRICS.includes(name))).toEqual([]);
  });
});

describe('switched off by an alarm', () => {
  /** Fails at each message, and says how many, as a list of values under two dimensions, in a line of the log. */
  const WORKER = `exports.handler = async event => {
  console.log(JSON.stringify({
    _aws: { Timestamp: Date.now(), CloudWatchMetrics: [
      { Namespace: 'Shop', Dimensions: [['Function'], ['Function', 'Host']], Metrics: [{ Name: 'Failures' }] },
    ] },
    Function: 'worker', Host: 'a.example', Failures: event.Records.map(() => 1),
  }));
  return { batchItemFailures: event.Records.map(({ messageId }) => ({ itemIdentifier: messageId })) };
};`;

  /** Switches the mapping off, and asks the worker itself whether it is well. */
  const SWITCH = `
  const { LambdaClient, UpdateEventSourceMappingCommand, InvokeCommand } = require('@aws-sdk/client-lambda');
  const lambda = new LambdaClient({});
  const named = name => name;
  exports.handler = async event => {
    console.log('alarm ' + JSON.stringify(event));
    const response = await lambda.send(new UpdateEventSourceMappingCommand({
      UUID: process.env.MAPPING, Enabled: false, ScalingConfig: { MaximumConcurrency: 2 },
    })).then(({ State }) => State, named);
    console.log('response ' + (response.name ?? response));
    const probe = await lambda.send(new InvokeCommand({
      FunctionName: process.env.WORKER, Payload: JSON.stringify({ Records: [{ messageId: 'm' }] }),
    })).then(({ Payload }) => Buffer.from(Payload).toString(), named);
    console.log('probe ' + (probe.name ?? probe));
  };`;

  interface Granted {
    /** The function the switch may change the mappings of. */
    readonly feeds: 'the worker' | 'another';
    readonly mayInvoke: boolean;
  }

  const breaker =
    ({ feeds, mayInvoke }: Granted) =>
    (stack: Stack): void => {
      const queue = new Queue(stack, 'Queue', { visibilityTimeout: Duration.seconds(30) });
      const worker = inlineFunction(stack, 'Worker', WORKER);
      queue.grantConsumeMessages(worker);
      const mapping = new EventSourceMapping(stack, 'Mapping', {
        target: worker,
        eventSourceArn: queue.queueArn,
        reportBatchItemFailures: true,
        maxConcurrency: 5,
      });
      const environment = { MAPPING: mapping.eventSourceMappingId, WORKER: worker.functionName };
      const off = inlineFunction(stack, 'Switch', SWITCH, { environment });
      const functionArn = feeds === 'the worker' ? worker.functionArn : `${worker.functionArn}-other`;
      off.addToRolePolicy(
        new PolicyStatement({
          actions: ['lambda:UpdateEventSourceMapping'],
          resources: ['*'],
          conditions: { ArnEquals: { 'lambda:FunctionArn': functionArn } },
        }),
      );
      if (mayInvoke) worker.grantInvoke(off);
      const alarm = new Alarm(stack, 'Alarm', {
        metric: new Metric({
          namespace: 'Shop',
          metricName: 'Failures',
          dimensionsMap: { Function: 'worker', Host: 'a.example' },
          statistic: 'Sum',
          period: Duration.minutes(1),
        }),
        threshold: 5,
        evaluationPeriods: 1,
      });
      new Rule(stack, 'Rule', {
        eventPattern: {
          source: ['aws.cloudwatch'],
          detailType: ['CloudWatch Alarm State Change'],
          resources: [alarm.alarmArn],
          detail: { state: { value: ['ALARM'] } },
        },
        targets: [new LambdaFunction(off)],
      });
    };

  async function outage(granted: Granted) {
    const deployed = await Deployed.stack(breaker(granted));
    for (let i = 0; i < 5; i += 1) {
      await deployed.sqs.send(new SendMessageCommand({ QueueUrl: deployed.ref('Queue'), MessageBody: `order ${i}` }));
    }
    await deployed.advance({ minutes: 3 });
    const lines = deployed.log(`/aws/lambda/${deployed.ref('Switch')}`);
    const logged = (what: string) =>
      lines
        .find(line => line.includes(`\t${what} `))
        ?.trim()
        .split(`\t${what} `)[1];
    const client = new LambdaClient(deployed.aws.clientConfig());
    const mapping = await client.send(new GetEventSourceMappingCommand({ UUID: deployed.ref('Mapping') }));
    return { deployed, logged, mapping };
  }

  test('an alarm on what a worker logs switches its mapping off by a rule, and the messages stay visible', async () => {
    const { deployed, logged, mapping } = await outage({ feeds: 'the worker', mayInvoke: true });
    expect(JSON.parse(logged('alarm') ?? '{}')).toMatchObject({
      source: 'aws.cloudwatch',
      'detail-type': 'CloudWatch Alarm State Change',
      resources: [deployed.arn('Alarm')],
      detail: {
        alarmName: deployed.ref('Alarm'),
        state: { value: 'ALARM', reason: expect.stringContaining('Threshold Crossed') },
        previousState: { value: 'INSUFFICIENT_DATA' },
        configuration: { metrics: [{ metricStat: { metric: { namespace: 'Shop', name: 'Failures' } } }] },
      },
    });
    expect(logged('response')).toBe('Disabling');
    expect(logged('probe')).toBe('{"batchItemFailures":[{"itemIdentifier":"m"}]}');
    expect(mapping).toMatchObject({ State: 'Disabled', ScalingConfig: { MaximumConcurrency: 2 } });
    const disabled = deployed.aws.trace.events.find(({ type }) => type === 'lambda.mapping-disabled');
    expect(mapping.LastModified?.getTime()).toBe(disabled?.atMs);

    const receives = deployed.happened('lambda.batch-received').length;
    await deployed.advance({ days: 1 });
    expect(deployed.happened('lambda.batch-received')).toHaveLength(receives);
    const { Attributes } = await deployed.sqs.send(
      new GetQueueAttributesCommand({ QueueUrl: deployed.ref('Queue'), AttributeNames: ['All'] }),
    );
    expect(Attributes).toMatchObject({
      ApproximateNumberOfMessages: '5',
      ApproximateNumberOfMessagesNotVisible: '0',
    });
  });

  test('it may not with a permission for the mappings of another function, or ask a worker it may not invoke', async () => {
    const { logged, mapping } = await outage({ feeds: 'another', mayInvoke: false });
    expect(logged('response')).toBe('AccessDeniedException');
    expect(logged('probe')).toBe('AccessDeniedException');
    expect(mapping).toMatchObject({ State: 'Enabled', ScalingConfig: { MaximumConcurrency: 5 } });
  });
});
