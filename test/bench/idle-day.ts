import { Duration, Stack } from 'aws-cdk-lib';
import { Rule, Schedule } from 'aws-cdk-lib/aws-events';
import { LambdaFunction as FunctionTarget } from 'aws-cdk-lib/aws-events-targets';
import { Code, Function as LambdaFunction, Runtime } from 'aws-cdk-lib/aws-lambda';
import { Queue } from 'aws-cdk-lib/aws-sqs';
import { OpsTopic, ProcessingQueue, Redrive, RedriveDestination, RelayFleet } from '../../lib';
import { LocalAws } from '../../local';
import { cpuTimed, type Ratio, type Row, sideBySide } from './measure';
import { synthesized } from './synthesized';

const ROUNDS = 3;

/** What is idle for a day. */
const IDLE = {
  'a RelayFleet': (stack: Stack, ops: OpsTopic) => {
    new RelayFleet(stack, 'Fleet', { alarmActions: [ops] });
  },
  'a Redrive': (stack: Stack, ops: OpsTopic) => {
    const queue = new ProcessingQueue(stack, 'Queue', { alarmActions: [ops] });
    const destination = RedriveDestination.queue(queue);
    new Redrive(stack, 'Redrive', {
      deadLetterQueue: queue.deadLetters,
      destination,
      enabled: true,
      alarmActions: [ops],
    });
  },
};

const CODE = `
  const { GetQueueAttributesCommand, SQSClient } = require('@aws-sdk/client-sqs');
  const sqs = new SQSClient({});
  exports.handler = async () => {
    const command = { QueueUrl: process.env.QUEUE_URL, AttributeNames: ['ApproximateNumberOfMessages'] };
    for (let call = 0; call < 2; call += 1) await sqs.send(new GetQueueAttributesCommand(command));
  };`;

/** A function that makes two calls of the SDK every minute. */
function twoCalls(stack: Stack): void {
  const queue = new Queue(stack, 'Queue');
  const handler = new LambdaFunction(stack, 'TwoCalls', {
    runtime: Runtime.NODEJS_22_X,
    handler: 'index.handler',
    code: Code.fromInline(CODE),
    environment: { QUEUE_URL: queue.queueUrl },
  });
  queue.grant(handler, 'sqs:GetQueueAttributes');
  const schedule = Schedule.rate(Duration.minutes(1));
  new Rule(stack, 'EveryMinute', { schedule, targets: [new FunctionTarget(handler)] });
}

/** Each round continues the day before, so that nothing is deployed or loaded meanwhile. */
async function deployed(assembly: string): Promise<LocalAws> {
  const aws = await LocalAws.deploy(assembly, { trace: { keep: 1_000 } });
  await aws.advance({ hours: 1 });
  const failed = aws.trace.events.find(event => event.type === 'lambda.finished' && event.outcome !== 'success');
  if (failed) throw new Error(`a function failed: ${JSON.stringify(failed)}`);
  return aws;
}

async function compared(what: string, idleAssembly: string, bareAssembly: string): Promise<Ratio> {
  const [idle, bare] = [await deployed(idleAssembly), await deployed(bareAssembly)];
  const day = (aws: LocalAws) => () => aws.advance({ days: 1 });
  const [measuredMs, againstMs] = await sideBySide(ROUNDS, day(idle), day(bare), cpuTimed);
  await idle.close();
  await bare.close();
  const against = 'that of a function that makes two SDK calls a minute';
  return { what: `CPU of an idle virtual day with ${what}`, measuredMs, against, againstMs };
}

export const ROWS: readonly Row[] = Object.entries(IDLE).map(
  ([what, fill]) =>
    () =>
      synthesized(
        app => {
          const stack = new Stack(app, 'Idle');
          fill(stack, new OpsTopic(stack, 'Ops', { email: 'ops@example.com' }));
        },
        idle =>
          synthesized(
            app => twoCalls(new Stack(app, 'Bare')),
            bare => compared(what, idle, bare),
          ),
      ),
);
