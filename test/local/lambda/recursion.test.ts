import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Duration, type Stack } from 'aws-cdk-lib';
import { Code, Function as LambdaFunction, Runtime } from 'aws-cdk-lib/aws-lambda';
import { SqsDestination } from 'aws-cdk-lib/aws-lambda-destinations';
import { SqsEventSource } from 'aws-cdk-lib/aws-lambda-event-sources';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { LambdaSubscription } from 'aws-cdk-lib/aws-sns-subscriptions';
import { Queue } from 'aws-cdk-lib/aws-sqs';
import { build } from 'esbuild';
import { Random } from '../../../local/kernel/random';
import { headerOfBatch, headerOfInvocation, invocationsSoFar, lineageId } from '../../../local/lambda/trace-header';
import { Deployed } from '../../support/deployed';
import { inlineFunction } from '../../support/inline-function';

/** Sends each number it gets on, less one, until there is nothing left: with AWS's SDK, which carries the trace header. */
const HANDS_ON = `
  import { SQSClient, SendMessageCommand } from '@aws-sdk/client-sqs';
  import { SNSClient, PublishCommand } from '@aws-sdk/client-sns';
  const { QUEUE_URL, TOPIC_ARN } = process.env;
  const sqs = new SQSClient({});
  const sns = new SNSClient({});
  export const handler = async ({ Records }) => {
    for (const { body, Sns } of Records) {
      const left = Number(body ?? Sns.Message) - 1;
      if (left === 0) continue;
      if (QUEUE_URL) await sqs.send(new SendMessageCommand({ QueueUrl: QUEUE_URL, MessageBody: String(left) }));
      else await sns.send(new PublishCommand({ TopicArn: TOPIC_ARN, Message: String(left) }));
    }
  };`;

describe('a function in a recursive loop', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'recursion-'));
  beforeAll(() =>
    build({
      stdin: { contents: HANDS_ON, resolveDir: __dirname },
      bundle: true,
      platform: 'node',
      target: 'node20',
      outfile: path.join(folder, 'index.js'),
      logLevel: 'silent',
    }),
  );
  afterAll(() => rmSync(folder, { recursive: true }));

  const handsOn = (stack: Stack, id: string, target: Queue | Topic): LambdaFunction => {
    const handler = new LambdaFunction(stack, id, {
      runtime: Runtime.NODEJS_22_X,
      handler: 'index.handler',
      code: Code.fromAsset(folder),
      environment: target instanceof Queue ? { QUEUE_URL: target.queueUrl } : { TOPIC_ARN: target.topicArn },
      ...(target instanceof Topic && { deadLetterQueue: new Queue(stack, `${id}DeadLetters`) }),
    });
    if (target instanceof Queue) target.grantSendMessages(handler);
    else target.grantPublish(handler);
    return handler;
  };

  const feed = (handler: LambdaFunction, queue: Queue): void => handler.addEventSource(new SqsEventSource(queue));

  const queueWithDeadLetters = (stack: Stack, id: string): Queue =>
    new Queue(stack, id, {
      visibilityTimeout: Duration.seconds(30),
      deadLetterQueue: { queue: new Queue(stack, `${id}DeadLetters`), maxReceiveCount: 3 },
    });

  /** How often a function was invoked. */
  const invocations = (deployed: Deployed, id: string): number =>
    deployed.happened('lambda.invoked').filter(({ functionArn }) => functionArn === deployed.arn(id)).length;

  test('through another function is counted by itself, and so is the other', async () => {
    const deployed = await Deployed.stack(stack => {
      const [toPing, toPong] = [queueWithDeadLetters(stack, 'ToPing'), queueWithDeadLetters(stack, 'ToPong')];
      feed(handsOn(stack, 'Ping', toPong), toPing);
      feed(handsOn(stack, 'Pong', toPing), toPong);
    });
    await deployed.send('ToPing', '100');
    await deployed.advance({ seconds: 1 });
    expect([invocations(deployed, 'Ping'), invocations(deployed, 'Pong')]).toEqual([16, 16]);
    expect(deployed.happened('lambda.recursion-stopped')).toMatchObject([{ functionArn: deployed.arn('Ping') }]);
  });

  test('is found through its destinations, too: what Lambda sends there belongs to the chain', async () => {
    const deployed = await Deployed.stack(stack => {
      const topic = new Topic(stack, 'Topic');
      const onSuccess = new SqsDestination(new Queue(stack, 'Records'));
      const handler = inlineFunction(stack, 'Happy', 'exports.handler = async () => "again";', { onSuccess });
      topic.addSubscription(new LambdaSubscription(handler));
    });
    await deployed.publish('Topic', 'go');
    await deployed.aws.runUntilIdle();
    const [record] = await deployed.receive('Records');
    expect(record?.Attributes?.['AWSTraceHeader']).toMatch(/;Lineage=1:[0-9a-f]{8}:0$/);
  });

  test('keeps no message out of its batch that is not part of the loop', async () => {
    const deployed = await Deployed.stack(stack => {
      const queue = queueWithDeadLetters(stack, 'Queue');
      feed(handsOn(stack, 'Echo', queue), queue);
    });
    await deployed.send('Queue', '100');
    await deployed.advance({ seconds: 1 });
    await deployed.advance({ seconds: 28 });
    // The looping message and a new one become visible at the same instant.
    const fresh = deployed.happened('sqs.sent').length;
    deployed.aws.timeline.after(1_000, () => deployed.send('Queue', '3').then(() => undefined));
    await deployed.advance({ seconds: 2 });
    expect(deployed.happened('sqs.sent').length - fresh).toBe(3);
    expect(invocations(deployed, 'Echo')).toBe(16 + 3);
    const stopped = { functionArn: deployed.arn('Echo'), trigger: 'EventSourceMapping' };
    expect(deployed.happened('lambda.recursion-stopped')).toMatchObject([
      { ...stopped, messageIds: [expect.any(String)] },
      { ...stopped, messageIds: [expect.any(String)] },
    ]);
  });
});

const ECHO = lineageId('arn:aws:lambda:us-east-1:123456789012:function:echo');
const OTHER = lineageId('arn:aws:lambda:us-east-1:123456789012:function:other');

describe('the trace header', () => {
  const next = (cause: string | undefined, id: string): string => headerOfInvocation(cause, id, new Random(1));

  test('begins a trace in the form functions see on AWS', () => {
    expect(next(undefined, ECHO)).toMatch(
      new RegExp(`^Root=1-[0-9a-f]{8}-[0-9a-f]{24};Parent=[0-9a-f]{16};Sampled=0;Lineage=1:${ECHO}:0$`),
    );
  });

  test('keeps the root and the sampling decision of the request, and counts each function by itself', () => {
    const first = next('Root=1-5759e988-bd862e3fe1be46a994272793;Parent=53995c3f42cd8ad8;Sampled=1', ECHO);
    expect(first).toMatch(/^Root=1-5759e988-bd862e3fe1be46a994272793;Parent=[0-9a-f]{16};Sampled=1;/);
    const third = next(next(first, OTHER), ECHO);
    expect(third).toMatch(new RegExp(`;Lineage=1:${ECHO}:1\\|1:${OTHER}:0$`));
    expect([invocationsSoFar(third, ECHO), invocationsSoFar(third, OTHER)]).toEqual([2, 1]);
  });

  test.each([[undefined], [''], ['Lineage=nonsense'], ['Root=1-2-3;Lineage=1:UPPERCAS:7'], ['Lineage=1:0badcafe:']])(
    'that names no function counts none: %p',
    header => {
      expect(invocationsSoFar(header, ECHO)).toBe(0);
    },
  );

  test('of a batch is the first trace, with the longest chain of each function', () => {
    const lineage = (...entries: string[]) => `Root=1-a-b;Sampled=0;Lineage=${entries.join('|')}`;
    const headers = [undefined, lineage(`1:${ECHO}:3`), `Root=1-c-d;Lineage=1:${ECHO}:5|1:${OTHER}:1`];
    expect(headerOfBatch(headers)).toBe(lineage(`1:${ECHO}:5`, `1:${OTHER}:1`));
    expect(headerOfBatch([undefined, 'Root=1-a-b;Sampled=1'])).toBe('Root=1-a-b;Sampled=1');
    expect(headerOfBatch([undefined])).toBeUndefined();
  });
});
