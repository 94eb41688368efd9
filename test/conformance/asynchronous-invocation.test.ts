import { GetMetricStatisticsCommand } from '@aws-sdk/client-cloudwatch';
import {
  DeleteRuleCommand,
  PutRuleCommand,
  PutTargetsCommand,
  RemoveTargetsCommand,
} from '@aws-sdk/client-eventbridge';
import { PutFunctionRecursionConfigCommand } from '@aws-sdk/client-lambda';
import { DeployedFunction } from './deployed-function';
import { Queue, redrivePolicy } from './queue';
import { embeddedRow, row, Target } from './target';
import { openQueue, Topic } from './topic';
import { happened } from './trace';

const FAILS = 'exports.handler = async ({ reason }) => { throw new Error(reason ?? "broken"); };';
const SLOW = 'exports.handler = () => new Promise(resolve => setTimeout(resolve, 900_000 - 1_000));';

const SIX_HOURS = 21_600;

describe('the URL of a queue that a client was given', () => {
  const aws = new Target();

  // On AWS trivially so. Behind a port of this machine, the URL names that port.
  row('lets a function send to the queue', async () => {
    const queue = await Queue.of(aws);
    const deployed = await DeployedFunction.of(
      aws,
      `const { SQSClient, SendMessageCommand } = require('@aws-sdk/client-sqs');
        exports.handler = event => new SQSClient().send(new SendMessageCommand(event));`,
    );
    await deployed.invoke({ QueueUrl: queue.url, MessageBody: 'from a function' });
    await aws.pass(10);
    expect(await queue.receive()).toMatchObject([{ Body: 'from a function' }]);
  });
});

describe('section 8: asynchronous invocation', () => {
  const aws = new Target();

  const failing = (dead: Queue) => DeployedFunction.of(aws, FAILS, { DeadLetterConfig: { TargetArn: dead.arn } });
  const times = async (type: string, { arn }: DeployedFunction) => {
    const events = await happened(aws, type, { functionArn: arn });
    return events.map(({ atMs }) => (atMs - (events[0]?.atMs ?? 0)) / 1_000);
  };

  embeddedRow('a function error is retried after 1 minute, then after 2, with the same request id', async () => {
    const deployed = await failing(await openQueue(aws));
    await deployed.invoke({});
    await aws.pass(600);
    expect(await times('lambda.invoked', deployed)).toEqual([0, 60, 180]);
    const invocations = await happened(aws, 'lambda.invoked', { functionArn: deployed.arn });
    expect(new Set(invocations.map(({ requestId }) => requestId)).size).toBe(1);
  });

  embeddedRow.each([0, 1, 2])('MaximumRetryAttempts %i is as many retries', async MaximumRetryAttempts => {
    const deployed = await failing(await openQueue(aws));
    await deployed.onEvents({ MaximumRetryAttempts });
    await deployed.invoke({});
    await aws.pass(600);
    expect(await times('lambda.invoked', deployed)).toHaveLength(1 + MaximumRetryAttempts);
  });

  row.each([
    ['2 retries, 60 s', { MaximumRetryAttempts: 2, MaximumEventAgeInSeconds: 60 }],
    ['no retries, 6 h', { MaximumRetryAttempts: 0, MaximumEventAgeInSeconds: SIX_HOURS }],
  ])('an event may have %s', async (_, options) => {
    const deployed = await DeployedFunction.of(aws, FAILS);
    expect(await deployed.onEvents(options)).toMatchObject(options);
  });

  row.each([
    { MaximumRetryAttempts: -1 },
    { MaximumRetryAttempts: 3 },
    { MaximumEventAgeInSeconds: 59 },
    { MaximumEventAgeInSeconds: SIX_HOURS + 1 },
  ])('an event may not have %j', async options => {
    const deployed = await DeployedFunction.of(aws, FAILS);
    await expect(deployed.onEvents(options)).rejects.toMatchObject({ $metadata: { httpStatusCode: 400 } });
  });

  embeddedRow('a throttled event comes back after 1 s, then twice as late each time, up to 5 minutes', async () => {
    const deployed = await DeployedFunction.of(aws, SLOW, { Timeout: 900 });
    await deployed.reserve(1);
    await deployed.invoke({});
    await deployed.invoke({});
    await aws.pass(1_500);
    const delays = (await happened(aws, 'lambda.retry-scheduled', { functionArn: deployed.arn })).map(
      ({ delaySeconds }) => delaySeconds,
    );
    expect(delays).toEqual([1, 2, 4, 8, 16, 32, 64, 128, 256, 300, 300]);
  });

  embeddedRow('an event that is throttled all the time is given up when it would be 6 hours old', async () => {
    const dead = await openQueue(aws);
    const deployed = await DeployedFunction.of(aws, SLOW, {
      Timeout: 900,
      DeadLetterConfig: { TargetArn: dead.arn },
    });
    await deployed.reserve(1);
    for (let n = 0; n < 30; n += 1) await deployed.invoke({ n });
    await aws.pass(2 * SIX_HOURS);
    const ran = await times('lambda.invoked', deployed);
    expect(Math.max(...ran)).toBeLessThan(SIX_HOURS);
    expect(ran.length).toBeGreaterThan(10);
    const given = await happened(aws, 'lambda.dead-lettered', { functionArn: deployed.arn });
    expect(given).toHaveLength(30 - ran.length);
    expect(given.map(({ condition }) => condition)).toEqual(given.map(() => 'EventAgeExceeded'));
    const [queued] = await happened(aws, 'lambda.event-queued', { functionArn: deployed.arn });
    const ages = given.map(({ atMs }) => (atMs - (queued?.atMs ?? 0)) / 1_000);
    expect(Math.min(...ages)).toBeGreaterThan(SIX_HOURS - 301);
    expect(Math.max(...ages)).toBeLessThanOrEqual(SIX_HOURS);
  });

  embeddedRow(
    'an event that meets a system error comes back like a throttled one, and uses up no attempt',
    async () => {
      const deployed = await failing(await openQueue(aws));
      await deployed.invoke({});
      await aws.pass(50);
      await aws.control('PUT', 'faults', { service: 'lambda', action: 'Invoke', status: 503, forSeconds: 30 });
      await aws.pass(600);
      const retries = await happened(aws, 'lambda.retry-scheduled', {
        functionArn: deployed.arn,
        reason: 'system-error',
      });
      expect(retries.map(({ delaySeconds }) => delaySeconds)).toEqual([1, 2, 4, 8, 16]);
      expect(await times('lambda.invoked', deployed)).toEqual([0, 91, 211]);
    },
  );

  row('a reserved concurrency of 0 sends the event straight to the dead-letter queue', async () => {
    const dead = await openQueue(aws);
    const deployed = await failing(dead);
    await deployed.reserve(0);
    await deployed.invoke({ n: 1 });
    await aws.pass(3);
    expect(await dead.bodies()).toEqual(['{"n":1}']);
  });

  row('a reserved concurrency of 0 sends a record straight to the failure destination', async () => {
    const failures = await openQueue(aws);
    const deployed = await DeployedFunction.of(aws, FAILS);
    await deployed.onEvents({ DestinationConfig: { OnFailure: { Destination: failures.arn } } });
    await deployed.reserve(0);
    await deployed.invoke({ n: 1 });
    await aws.pass(3);
    expect((await failures.bodies()).map(body => JSON.parse(body ?? ''))).toMatchObject([{ requestPayload: { n: 1 } }]);
  });

  row.each([
    [60, 1, 5],
    [90, 2, 70],
  ])('an event of at most %i s that fails is given up at its invocation %i', async (age, count, seconds) => {
    const failures = await openQueue(aws);
    const deployed = await DeployedFunction.of(aws, FAILS);
    await deployed.onEvents({
      MaximumEventAgeInSeconds: age,
      DestinationConfig: { OnFailure: { Destination: failures.arn } },
    });
    await deployed.invoke({});
    await aws.pass(seconds);
    expect((await failures.bodies()).map(body => JSON.parse(body ?? '').requestContext)).toMatchObject([
      { condition: 'EventAgeExceeded', approximateInvokeCount: count },
    ]);
  });

  describe('the dead-letter queue', () => {
    const once = { MaximumRetryAttempts: 0 };

    row('gets the event unchanged, with RequestID, ErrorCode (a Number) and ErrorMessage as attributes', async () => {
      const dead = await openQueue(aws);
      const deployed = await failing(dead);
      await deployed.onEvents(once);
      const requestId = await deployed.invoke({ n: 1, reason: 'no stock' });
      await aws.pass(5);
      expect(await dead.receive()).toMatchObject([
        {
          Body: '{"n":1,"reason":"no stock"}',
          MessageAttributes: {
            RequestID: { DataType: 'String', StringValue: requestId },
            ErrorCode: { DataType: 'Number', StringValue: '200' },
            ErrorMessage: { DataType: 'String', StringValue: 'no stock' },
          },
        },
      ]);
    });

    row('gets the first KB of the error message', async () => {
      const dead = await openQueue(aws);
      const deployed = await failing(dead);
      await deployed.onEvents(once);
      await deployed.invoke({ reason: 'x'.repeat(3_000) });
      await aws.pass(5);
      const [message] = await dead.receive();
      expect(message?.MessageAttributes?.['ErrorMessage']?.StringValue).toBe('x'.repeat(1_024));
    });

    row('may be a topic', async () => {
      const topic = await Topic.of(aws);
      const queue = await topic.queue({ RawMessageDelivery: 'true' });
      const deployed = await DeployedFunction.of(aws, FAILS, { DeadLetterConfig: { TargetArn: topic.arn } });
      await deployed.onEvents(once);
      await deployed.invoke({ n: 1 });
      await aws.pass(5);
      expect(await queue.bodies()).toEqual(['{"n":1}']);
    });

    row('may not be FIFO', async () => {
      const dead = await openQueue(aws, { FifoQueue: 'true' });
      await expect(failing(dead)).rejects.toMatchObject({
        name: 'InvalidParameterValueException',
        message: 'Invalid dead letter queue ARN: FIFO SQS queue is not supported for dead letter configuration',
      });
    });

    embeddedRow('that takes nothing is a DeadLetterErrors', async () => {
      const dead = await openQueue(aws);
      const deployed = await failing(dead);
      await deployed.onEvents(once);
      const deny = { Effect: 'Deny', Principal: '*', Action: 'sqs:SendMessage', Resource: '*' };
      await dead.set({ Policy: JSON.stringify({ Version: '2012-10-17', Statement: deny }) });
      const StartTime = new Date(aws.embedded.nowMs - 60_000);
      await deployed.invoke({});
      await aws.pass(120);
      const asked = new GetMetricStatisticsCommand({
        Namespace: 'AWS/Lambda',
        MetricName: 'DeadLetterErrors',
        Dimensions: [{ Name: 'FunctionName', Value: deployed.name }],
        StartTime,
        EndTime: new Date(aws.embedded.nowMs),
        Period: 600,
        Statistics: ['Sum'],
      });
      const { Datapoints = [] } = await aws.cloudWatch.send(asked);
      expect(Datapoints.reduce((sum, { Sum = 0 }) => sum + Sum, 0)).toBe(1);
    });
  });
});

const CODE = `exports.handler = async ({ bad }) => {
  if (bad) throw new Error('no stock');
  return { done: true };
};`;
const INSTANT = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
const OPEN_TO_EVENTS = JSON.stringify({
  Version: '2012-10-17',
  Statement: {
    Effect: 'Allow',
    Principal: { Service: 'events.amazonaws.com' },
    Action: 'sqs:SendMessage',
    Resource: '*',
  },
});

describe('section 8: destinations', () => {
  const aws = new Target();

  async function deployed(onSuccess: string, onFailure: string): Promise<DeployedFunction> {
    const made = await DeployedFunction.of(aws, CODE);
    await made.onEvents({
      MaximumRetryAttempts: 0,
      DestinationConfig: { OnSuccess: { Destination: onSuccess }, OnFailure: { Destination: onFailure } },
    });
    return made;
  }

  const records = async (queue: Queue) => (await queue.bodies()).map(body => JSON.parse(body ?? ''));

  row('the record of a success', async () => {
    const [good, bad] = [await openQueue(aws), await openQueue(aws)];
    const made = await deployed(good.arn, bad.arn);
    const requestId = await made.invoke({ n: 1 });
    await aws.pass(3);
    expect(await records(good)).toEqual([
      {
        version: '1.0',
        timestamp: INSTANT,
        requestContext: {
          requestId,
          functionArn: `${made.arn}:$LATEST`,
          condition: 'Success',
          approximateInvokeCount: 1,
        },
        requestPayload: { n: 1 },
        responseContext: { statusCode: 200, executedVersion: '$LATEST' },
        responsePayload: { done: true },
      },
    ]);
    expect(await bad.depths()).toEqual([0, 0, 0]);
  });

  row('the record of a failure', async () => {
    const [good, bad] = [await openQueue(aws), await openQueue(aws)];
    const made = await deployed(good.arn, bad.arn);
    const requestId = await made.invoke({ bad: true });
    await aws.pass(3);
    expect(await records(bad)).toEqual([
      {
        version: '1.0',
        timestamp: INSTANT,
        requestContext: {
          requestId,
          functionArn: `${made.arn}:$LATEST`,
          condition: 'RetriesExhausted',
          approximateInvokeCount: 1,
        },
        requestPayload: { bad: true },
        responseContext: { statusCode: 200, executedVersion: '$LATEST', functionError: 'Unhandled' },
        responsePayload: { errorType: 'Error', errorMessage: 'no stock', trace: expect.any(Array) },
      },
    ]);
    expect(await good.depths()).toEqual([0, 0, 0]);
  });

  row('a topic gets the same record', async () => {
    const [topic, good] = [await Topic.of(aws), await openQueue(aws)];
    const heard = await topic.queue({ RawMessageDelivery: 'true' });
    const made = await deployed(good.arn, topic.arn);
    await made.invoke({ bad: true });
    await aws.pass(3);
    expect(await records(heard)).toMatchObject([{ requestContext: { condition: 'RetriesExhausted' } }]);
  });

  row('a function is invoked with the same record', async () => {
    const [good, bad] = [await openQueue(aws), await openQueue(aws)];
    const second = await deployed(good.arn, bad.arn);
    const first = await deployed(second.arn, bad.arn);
    await first.invoke({ n: 1 });
    await aws.pass(5);
    expect(await records(good)).toMatchObject([
      {
        requestPayload: { requestContext: { functionArn: `${first.arn}:$LATEST` }, responsePayload: { done: true } },
      },
    ]);
  });

  row.each([
    ['Success', {}],
    ['Failure', { bad: true }],
  ])('an event bus gets a Lambda Function Invocation Result - %s', async (word, event) => {
    const queue = await Queue.of(aws, { Policy: OPEN_TO_EVENTS });
    const [, , , region, account] = queue.arn.split(':');
    const bus = `arn:aws:events:${region}:${account}:event-bus/default`;
    const made = await deployed(bus, bus);
    const Name = aws.name('rule');
    const pattern = { source: ['lambda'], resources: [`${made.arn}:$LATEST`] };
    await aws.events.send(new PutRuleCommand({ Name, EventPattern: JSON.stringify(pattern) }));
    await aws.events.send(new PutTargetsCommand({ Rule: Name, Targets: [{ Id: 'queue', Arn: queue.arn }] }));
    aws.afterwards(() => aws.events.send(new DeleteRuleCommand({ Name })));
    aws.afterwards(() => aws.events.send(new RemoveTargetsCommand({ Rule: Name, Ids: ['queue'] })));
    await made.invoke(event);
    await aws.pass(3);
    expect(await records(queue)).toMatchObject([
      {
        source: 'lambda',
        'detail-type': `Lambda Function Invocation Result - ${word}`,
        detail: { version: '1.0', requestPayload: event },
      },
    ]);
  });
});

/** Sends each number on, reduced by one, until it is 0, with the SDK of Lambda's runtime. */
const HANDS_ON = `
  const { SQSClient, SendMessageCommand } = require('@aws-sdk/client-sqs');
  const { SNSClient, PublishCommand } = require('@aws-sdk/client-sns');
  const { QUEUE_URL, TOPIC_ARN } = process.env;
  const [sqs, sns] = [new SQSClient({}), new SNSClient({})];
  exports.handler = async ({ Records }) => {
    for (const { body, Sns } of Records) {
      const left = Number(body ?? Sns.Message) - 1;
      if (left === 0) continue;
      if (QUEUE_URL) await sqs.send(new SendMessageCommand({ QueueUrl: QUEUE_URL, MessageBody: String(left) }));
      else await sns.send(new PublishCommand({ TopicArn: TOPIC_ARN, Message: String(left) }));
    }
  };`;

/** Invocations in one chain of requests before Lambda stops the next. */
const MOST = 16;

/** The time until a new mapping polls. */
const CREATING_SECONDS = 10;

describe('section 8: recursive loop detection', () => {
  const aws = new Target();

  const handsOn = (Variables: Record<string, string>, options = {}) =>
    DeployedFunction.of(aws, HANDS_ON, { Timeout: 10, Environment: { Variables }, ...options });
  const invocations = async ({ arn }: DeployedFunction) =>
    (await happened(aws, 'lambda.invoked', { functionArn: arn })).length;

  /** A function that is fed by the queue it sends to. */
  async function loop() {
    const dead = await Queue.of(aws);
    const queue = await Queue.of(aws, { VisibilityTimeout: '30', RedrivePolicy: redrivePolicy(dead.arn, 3) });
    const { account, region } = aws.embedded.place;
    const deployed = await handsOn({ QUEUE_URL: `https://sqs.${region}.amazonaws.com/${account}/${queue.name}` });
    await deployed.feed(queue.arn);
    await aws.pass(CREATING_SECONDS);
    return { dead, queue, deployed };
  }

  async function dropped({ name }: DeployedFunction): Promise<number> {
    const { Datapoints = [] } = await aws.cloudWatch.send(
      new GetMetricStatisticsCommand({
        Namespace: 'AWS/Lambda',
        MetricName: 'RecursiveInvocationsDropped',
        Dimensions: [{ Name: 'FunctionName', Value: name }],
        StartTime: new Date(aws.embedded.nowMs - 3_600_000),
        EndTime: new Date(aws.embedded.nowMs + 60_000),
        Period: 3_600,
        Statistics: ['Sum'],
      }),
    );
    return Datapoints.reduce((sum, { Sum = 0 }) => sum + Sum, 0);
  }

  embeddedRow('through a queue: 16 run, then the message stays, is received again, and is dead-lettered', async () => {
    const { dead, queue, deployed } = await loop();
    await queue.send('100');
    await aws.pass(1);
    expect(await invocations(deployed)).toBe(MOST);
    expect(await queue.depths()).toEqual([0, 1, 0]);
    await aws.pass(300);
    expect(await invocations(deployed)).toBe(MOST);
    expect(await dead.bodies()).toEqual([String(100 - MOST)]);
    expect(await dropped(deployed)).toBe(3);
  });

  embeddedRow("through a topic: 16 run, then the event goes to the function's dead-letter queue", async () => {
    const [topic, dead] = [await Topic.of(aws), await openQueue(aws)];
    const deployed = await handsOn({ TOPIC_ARN: topic.arn }, { DeadLetterConfig: { TargetArn: dead.arn } });
    await deployed.allow('sns.amazonaws.com', topic.arn);
    await topic.subscribe('lambda', deployed.arn);
    await topic.publish('100');
    await aws.pass(1);
    expect(await invocations(deployed)).toBe(MOST);
    const [body] = await dead.bodies();
    expect(JSON.parse(body ?? '').Records[0].Sns.Message).toBe(String(100 - MOST));
    expect(await dropped(deployed)).toBe(1);
  });

  embeddedRow('through a topic: 16 run, then a record goes to the failure destination', async () => {
    const [topic, failures] = [await Topic.of(aws), await openQueue(aws)];
    const deployed = await handsOn({ TOPIC_ARN: topic.arn });
    await deployed.onEvents({ DestinationConfig: { OnFailure: { Destination: failures.arn } } });
    await deployed.allow('sns.amazonaws.com', topic.arn);
    await topic.subscribe('lambda', deployed.arn);
    await topic.publish('100');
    await aws.pass(1);
    const [body] = await failures.bodies();
    expect(JSON.parse(body ?? '').requestPayload.Records[0].Sns.Message).toBe(String(100 - MOST));
  });

  embeddedRow('a loop that ends by itself within 16 is left alone', async () => {
    const { queue, deployed } = await loop();
    await queue.send(String(MOST));
    await aws.pass(60);
    expect(await invocations(deployed)).toBe(MOST);
    expect(await queue.depths()).toEqual([0, 0, 0]);
    expect(await dropped(deployed)).toBe(0);
  });

  embeddedRow('RecursiveLoop Allow lets it run', async () => {
    const { queue, deployed } = await loop();
    await aws.lambda.send(
      new PutFunctionRecursionConfigCommand({ FunctionName: deployed.name, RecursiveLoop: 'Allow' }),
    );
    await queue.send('40');
    await aws.pass(1);
    expect(await invocations(deployed)).toBe(40);
    expect(await dropped(deployed)).toBe(0);
  });
});
