import type { Server } from 'node:http';
import { CreateTableCommand, DynamoDBClient, GetItemCommand } from '@aws-sdk/client-dynamodb';
import { App, RemovalPolicy, Stack } from 'aws-cdk-lib';
import { AttributeType, Table } from 'aws-cdk-lib/aws-dynamodb';
import { Code, Function as LambdaFunction, Runtime } from 'aws-cdk-lib/aws-lambda';
import { SqsEventSource } from 'aws-cdk-lib/aws-lambda-event-sources';
import { Queue } from 'aws-cdk-lib/aws-sqs';
import { DefinitionBody, Pass, StateMachine } from 'aws-cdk-lib/aws-stepfunctions';
import { awsError, LocalAws } from 'dead-letter-office/local';
import { type LocalAwsMatchers, matchers } from 'dead-letter-office/matchers';
import dynalite from 'dynalite';

declare global {
  namespace jest {
    interface Matchers<R> extends LocalAwsMatchers<R> {}
  }
}

expect.extend(matchers);

/** Stores each order and starts its fulfilment. Usually it is an asset of your app. */
const CODE = `
  const { DynamoDBClient, PutItemCommand } = require('@aws-sdk/client-dynamodb');
  const { SFNClient, StartExecutionCommand } = require('@aws-sdk/client-sfn');
  const dynamo = new DynamoDBClient({});
  const states = new SFNClient({});
  exports.handler = async ({ Records }) => {
    for (const { body } of Records) {
      const { id } = JSON.parse(body);
      await dynamo.send(new PutItemCommand({ TableName: process.env.TABLE, Item: { id: { S: id } } }));
      await states.send(new StartExecutionCommand({ stateMachineArn: process.env.MACHINE, name: id, input: body }));
    }
  };`;

/** The stack under test: neither its table nor its state machine is simulated. */
function orders(app: App): void {
  const stack = new Stack(app, 'Orders');
  const partitionKey = { name: 'id', type: AttributeType.STRING };
  const table = new Table(stack, 'Table', { tableName: 'orders', partitionKey, removalPolicy: RemovalPolicy.DESTROY });
  const definitionBody = DefinitionBody.fromChainable(new Pass(stack, 'Ship'));
  const machine = new StateMachine(stack, 'Fulfilment', { definitionBody });
  const deadLetterQueue = { queue: new Queue(stack, 'Dead', { queueName: 'dead' }), maxReceiveCount: 2 };
  const queue = new Queue(stack, 'Queue', { queueName: 'orders', deadLetterQueue });
  const worker = new LambdaFunction(stack, 'Worker', {
    runtime: Runtime.NODEJS_22_X,
    handler: 'index.handler',
    code: Code.fromInline(CODE),
    environment: { TABLE: table.tableName, MACHINE: machine.stateMachineArn },
  });
  worker.addEventSource(new SqsEventSource(queue));
  table.grantWriteData(worker);
  machine.grantStartExecution(worker);
}

let emulator: Server;
let url: string;
let aws: LocalAws;
let dynamo: DynamoDBClient;

beforeAll(async () => {
  emulator = dynalite({ createTableMs: 0 });
  await new Promise<void>(resolve => emulator.listen(0, '127.0.0.1', resolve));
  const address = emulator.address();
  url = `http://127.0.0.1:${typeof address === 'object' && address ? address.port : ''}`;
});
afterAll(() => emulator.close());

beforeEach(async () => {
  const app = new App();
  orders(app);
  aws = await LocalAws.deploy(app.synth(), { standIns: 'warn' });
  aws.service('dynamodb').forwardTo(url);
  aws.service('sfn').answer('StartExecution', ({ name }) => {
    return {
      executionArn: `arn:aws:states:us-east-1:123456789012:execution:Fulfilment:${name}`,
      startDate: new Date(aws.nowMs),
    };
  });
  // A client of the test reaches the same emulator.
  dynamo = new DynamoDBClient(aws.clientConfig());
});
afterEach(() => aws.close());

const createTable = new CreateTableCommand({
  TableName: 'orders',
  AttributeDefinitions: [{ AttributeName: 'id', AttributeType: 'S' }],
  KeySchema: [{ AttributeName: 'id', KeyType: 'HASH' }],
  BillingMode: 'PAY_PER_REQUEST',
});

test('an order is stored by dynalite and starts its fulfilment', async () => {
  await dynamo.send(createTable);
  aws.send('orders', { id: '7' });
  await aws.advance({ seconds: 10 });

  const { Item } = await dynamo.send(new GetItemCommand({ TableName: 'orders', Key: { id: { S: '7' } } }));
  expect(Item).toEqual({ id: { S: '7' } });
  expect(aws.service('sfn').calls).toMatchObject([{ operation: 'StartExecution', input: { name: '7' } }]);
  expect(aws).toHaveLost(0);
});

test('an order whose fulfilment cannot start goes to the dead-letter queue', async () => {
  aws.service('sfn').answer('StartExecution', () => {
    throw awsError('StateMachineDeleting', 'It is being deleted.');
  });
  aws.send('orders', { id: '8' });
  await aws.advance({ minutes: 5 });

  expect(aws).toHaveDeadLettered(1, 'dead');
  expect(aws.drain('dead').map(({ body }) => body)).toEqual(['{"id":"8"}']);
});
