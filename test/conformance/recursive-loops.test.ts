import { GetMetricStatisticsCommand } from '@aws-sdk/client-cloudwatch';
import { PutFunctionRecursionConfigCommand } from '@aws-sdk/client-lambda';
import { DeployedFunction } from './deployed-function';
import { Queue, redrivePolicy } from './queue';
import { embeddedRow, Target } from './target';
import { openQueue, Topic } from './topic';
import { happened } from './trace';

/** Sends each number it gets on, less one, until there is nothing left, with the SDK of Lambda's runtime. */
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

/** Until a new mapping has begun. */
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
