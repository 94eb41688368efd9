import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Duration } from 'aws-cdk-lib';
import { AttributeType, StreamViewType, Table, TableV2 } from 'aws-cdk-lib/aws-dynamodb';
import { Rule, Schedule } from 'aws-cdk-lib/aws-events';
import { KinesisStream, SqsQueue } from 'aws-cdk-lib/aws-events-targets';
import { Stream } from 'aws-cdk-lib/aws-kinesis';
import { Code, Function as LambdaFunction, Runtime } from 'aws-cdk-lib/aws-lambda';
import { Bucket, EventType } from 'aws-cdk-lib/aws-s3';
import { SqsDestination } from 'aws-cdk-lib/aws-s3-notifications';
import { Queue } from 'aws-cdk-lib/aws-sqs';
import { DefinitionBody, Pass, StateMachine } from 'aws-cdk-lib/aws-stepfunctions';
import { unknownsOfSimulation } from '../../../bin/doctor/examine';
import { Deployed } from '../../support/deployed';

test('the doctor of a simulation says what stand-ins on the path of messages leave unknown', async () => {
  const { aws } = await Deployed.stack(
    stack => {
      const queue = new Queue(stack, 'Queue');
      new Bucket(stack, 'Silent');
      new Bucket(stack, 'Uploads').addEventNotification(EventType.OBJECT_CREATED, new SqsDestination(queue));
      for (const id of ['Python', 'Handled']) {
        const code = Code.fromInline('def handler(event, context): pass');
        new LambdaFunction(stack, id, { runtime: Runtime.PYTHON_3_13, handler: 'index.handler', code });
      }
      const partitionKey = { name: 'id', type: AttributeType.STRING };
      new Table(stack, 'Plain', { partitionKey });
      new TableV2(stack, 'Streamed', { partitionKey, dynamoStream: StreamViewType.KEYS_ONLY });
      new StateMachine(stack, 'Flow', { definitionBody: DefinitionBody.fromChainable(new Pass(stack, 'Pass')) });
      const rule = new Rule(stack, 'Rule', { schedule: Schedule.rate(Duration.minutes(5)) });
      rule.addTarget(new SqsQueue(queue));
      rule.addTarget(new KinesisStream(new Stream(stack, 'Stream')));
    },
    { standIns: 'warn' },
  );
  aws.function('Test/Handled').handle(() => {});
  const { url, close } = await aws.listen({ port: 0, speed: 0 });
  const sentences = await unknownsOfSimulation(url);
  await close();
  const about = sentences.map(it =>
    it.replace(/^Test\/(\w+)\S* \((\S+)\) is not simulated, so it is unknown /, '$1: '),
  );
  expect(about.sort()).toEqual([
    'Flow: whether its executions succeed, and which messages they send: it does not run',
    'Python: whether its code succeeds: it never runs. aws.function(…).handle(…) runs in its place',
    'Rule: whether this target gets the events and processes them: it is left out',
    'Stream: which records it has: only those of aws.emit.kinesis arrive',
    'Streamed: which changes its stream has: only those of aws.emit.dynamoDb arrive',
    'Uploads: which notifications it sends: only those of aws.emit.s3 arrive',
  ]);
});

test('AWS and other emulators have no such address', async () => {
  const other = createServer((_, response) => response.writeHead(403).end('<Error/>')).listen(0, '127.0.0.1');
  await new Promise(resolve => other.once('listening', resolve));
  const { port } = other.address() as AddressInfo;
  expect(await unknownsOfSimulation(`http://127.0.0.1:${port}`)).toEqual([]);
  await new Promise(resolve => other.close(resolve));
  expect(await unknownsOfSimulation(`http://127.0.0.1:${port}`)).toEqual([expect.stringContaining('does not answer')]);
  expect(await unknownsOfSimulation('')).toEqual([]);
});
