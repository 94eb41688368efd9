import { readFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { InvokeCommand, LambdaClient } from '@aws-sdk/client-lambda';
import { Duration, type Stack } from 'aws-cdk-lib';
import { Deployed } from '../../../support/deployed';
import { inlineFunction } from '../../../support/inline-function';

const CODE = `
  const { DynamoDBClient, GetItemCommand } = require('@aws-sdk/client-dynamodb');
  const dynamo = new DynamoDBClient({ maxAttempts: 1 });
  const get = id => dynamo.send(new GetItemCommand({ TableName: 't', Key: { id: { S: id } } }));
  exports.handler = async () => {
    const before = Date.now();
    const found = await Promise.all(['a', 'b', 'c'].map(get));
    return { items: found.map(({ Item }) => Item.id.S), waitedMs: Date.now() - before };
  };`;

function oneFunction(stack: Stack): void {
  inlineFunction(stack, 'Reader', CODE, { functionName: 'reader', timeout: Duration.seconds(10) });
}

describe('a function whose calls are forwarded', () => {
  let emulator: Server;
  let url: string;
  const seen: (string | undefined)[] = [];

  beforeAll(async () => {
    // The first answer of three is the slowest.
    emulator = createServer(async (request, response) => {
      let body = '';
      for await (const chunk of request) body += chunk;
      const { Key } = JSON.parse(body);
      seen.push(`${String(request.headers['x-dlo-function'])} ${Key.id.S}`);
      if (seen.length % 3 === 1) await readFile(__filename);
      response.end(JSON.stringify({ Item: { n: { N: String(seen.length % 3) }, ...Key } }));
    });
    await new Promise<void>(resolve => emulator.listen(0, '127.0.0.1', resolve));
    url = `http://127.0.0.1:${(emulator.address() as AddressInfo).port}`;
  });
  afterAll(() => emulator.close());

  async function run(forwardTo: string) {
    const deployed = await Deployed.stack(oneFunction);
    deployed.aws.service('dynamodb').forwardTo(forwardTo);
    const lambda = new LambdaClient(deployed.aws.clientConfig());
    const answer = lambda.send(new InvokeCommand({ FunctionName: 'reader' }));
    await deployed.advance({ minutes: 1 });
    const { Payload = [] } = await answer;
    return { payload: JSON.parse(Buffer.from(Payload).toString()), trace: deployed.aws.trace.toJsonLines(), deployed };
  }

  test('names itself, waits no virtual time, and gets the same answers in every run', async () => {
    const [first, second] = [await run(url), await run(url)];
    expect(first.payload).toEqual({ items: ['a', 'b', 'c'], waitedMs: 0 });
    expect([...seen.slice(0, 3)].sort()).toEqual(['reader a', 'reader b', 'reader c']);
    expect(seen.slice(3)).toEqual(seen.slice(0, 3));
    expect(first.deployed.aws.service('dynamodb').calls).toMatchObject(
      Array.from({ length: 3 }, () => ({ operation: 'GetItem', functionName: 'reader', input: { TableName: 't' } })),
    );
    expect(second.trace).toBe(first.trace);
  });

  test('meets a connection error that names service, URL and function, if nothing listens there', async () => {
    const { payload, deployed } = await run('http://127.0.0.1:1');
    expect(payload.errorMessage).toContain(
      'dynamodb:GetItem called by function reader is forwarded to http://127.0.0.1:1/, which failed: connect ECONNREFUSED',
    );
    expect(deployed.happened('wire.forward-failed')[0]).toMatchObject({
      functionArn: 'arn:aws:lambda:us-east-1:123456789012:function:reader',
      code: 'ECONNREFUSED',
    });
  });
});
