import { DynamoDBClient, GetItemCommand, PutItemCommand } from '@aws-sdk/client-dynamodb';
import { RawClient } from '../server/raw-http';
import { ServedAws } from '../server/served-aws';

describe('services that are not simulated, over HTTP', () => {
  const served = new ServedAws();
  afterAll(() => served.close());

  async function started() {
    const { port, settings } = await served.start();
    const client = new RawClient(port);
    const call = async (method: string, body?: unknown, name = 'dynamodb') => {
      const text = body === undefined ? '' : JSON.stringify(body);
      const answer = await client.send({ method, path: `/_dlo/services/${name}`, body: text });
      return { status: answer.status, json: JSON.parse(answer.text) };
    };
    return { call, dynamo: new DynamoDBClient(settings), client };
  }

  it('answer what a test in any language sets, and tell which calls came', async () => {
    const { call, dynamo, client } = await started();
    const get = new GetItemCommand({ TableName: 'orders', Key: { id: { S: '1' } } });
    const answers = {
      GetItem: { output: { Item: { id: { S: '1' } } } },
      PutItem: { error: { name: 'ConditionalCheckFailedException', message: 'exists' } },
    };
    expect((await call('PUT', { answers })).json).toEqual({ service: 'dynamodb', answers: ['GetItem', 'PutItem'] });
    expect((await dynamo.send(get)).Item).toEqual({ id: { S: '1' } });
    const put = dynamo.send(new PutItemCommand({ TableName: 'orders', Item: {} }));
    await expect(put).rejects.toMatchObject({ name: 'ConditionalCheckFailedException', message: 'exists' });
    const input = { TableName: 'orders', Key: { id: { S: '1' } } };
    expect((await call('GET')).json.calls).toMatchObject([{ operation: 'GetItem', input }, { operation: 'PutItem' }]);

    await call('DELETE');
    await expect(dynamo.send(get)).rejects.toThrow('Requested resource not found');
    expect((await call('GET')).json.calls).toEqual([]);
    client.close();
    dynamo.destroy();
  });

  it.each<[unknown, string, string]>([
    [{ forwardTo: 'x' }, 'dynamodb', 'url must be an http or https URL such as http://127.0.0.1:8000, got "x"'],
    [{ answers: { GetItem: { error: {} } } }, 'dynamodb', 'answers.GetItem.error.name is required'],
    [
      { answers: { GetItem: { outptu: {} } } },
      'dynamodb',
      'answers.GetItem.outptu is not known (is output meant?): there are output',
    ],
    [{ answers: { GetItm: {} } }, 'dynamodb', 'operation must be an operation of dynamodb'],
    [{}, 'sqs', 'the service must be a service that is not simulated'],
  ])('refuse %j for %s', async (body, name, message) => {
    const { call, client } = await started();
    const { status, json } = await call('PUT', body, name);
    expect(status).toBe(400);
    expect(json.message).toContain(message);
    client.close();
  });

  it('emit what services would send', async () => {
    const { aws, port } = await served.start();
    const client = new RawClient(port);
    const emit = async (body: object) => {
      const { status, text } = await client.send({ method: 'POST', path: '/_dlo/emit', body: JSON.stringify(body) });
      return { status, json: JSON.parse(text) };
    };
    const event = { source: 'shop', detailType: 'Sold', detail: {} };
    expect(await emit({ event })).toEqual({ status: 200, json: { emitted: 'event', to: [] } });
    expect(aws.trace.events).toMatchObject([{ type: 'events.received', source: 'shop' }]);
    const refused = [await emit({}), await emit({ s3: { bucket: 'b', key: 'k' } }), await emit({ event: {} })];
    expect(refused.map(({ status, json }) => `${status} ${json.message}`)).toEqual([
      expect.stringContaining('400 the body must have exactly one of s3, kinesis, dynamoDb, event'),
      expect.stringContaining('400 there is no bucket "b"; there are none'),
      expect.stringContaining('400 source is required'),
    ]);
    client.close();
  });
});
