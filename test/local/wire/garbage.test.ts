import { gzipSync } from 'node:zlib';
import { randomRequests } from './random-requests';
import { WireFixture } from './wire-fixture';

const JSON_TYPE = 'application/x-amz-json-1.0';
const target = (action: string): Record<string, string> => ({ 'x-amz-target': `AmazonSQS.${action}` });

interface JsonError {
  readonly __type: string;
  readonly message: string;
}

/** A queue's URL as deep as that. */
const deep = (levels: number): string => `{"QueueUrl":${'['.repeat(levels)}${']'.repeat(levels)}}`;

const errorIn = (text: string): JsonError => JSON.parse(text);

describe('a broken request', () => {
  it.each([
    ['no JSON', '{"QueueUrl":', 'SerializationException', 'must be a JSON document'],
    ['no object', '[]', 'SerializationException', 'must be an object'],
    ['bytes that are no UTF-8', Uint8Array.of(0x7b, 0xff, 0x7d), 'SerializationException', 'must be a JSON document'],
    ['a number for a text', '{"QueueUrl":5}', 'SerializationException', 'QueueUrl must be a string, got 5'],
    ['a text for a number', '{"QueueUrl":"x","DelaySeconds":"5"}', 'SerializationException', 'DelaySeconds must be'],
    ['a fraction', '{"QueueUrl":"x","DelaySeconds":1.5}', 'SerializationException', 'DelaySeconds must be an integer'],
    ['what no long holds', '{"QueueUrl":"x","DelaySeconds":1e300}', 'SerializationException', 'must be an integer'],
    ['100,000 lists in lists', deep(100_000), 'SerializationException', 'Document nesting depth (1001) exceeds'],
    ['1,000 lists in lists', deep(999), 'SerializationException', `QueueUrl must be a string, got ${'['.repeat(60)}…`],
    ['no base64', '{"MessageAttributes":{"a":{"BinaryValue":"*"}}}', 'SerializationException', 'must be base64'],
    ['nothing at all', '', 'MissingParameter', 'QueueUrl', 'MissingRequiredParameterException'],
  ])('with %s is answered with AWS’s error', async (_, body, code, text, name = code) => {
    const answer = await new WireFixture().raw(body, target('SendMessage'));
    expect(answer.status).toBe(400);
    expect(answer.headers['content-type']).toBe(JSON_TYPE);
    expect(answer.headers['x-amzn-query-error']).toBe(`${code};Sender`);
    expect(errorIn(answer.text).__type).toContain(name);
    expect(errorIn(answer.text).message).toContain(text);
  });

  it('for an operation nobody knows is answered 400, without a text', async () => {
    for (const headers of [target('Fly'), target(''), { 'x-amz-target': 'DynamoDB.GetItem' }, target('__proto__')]) {
      const answer = await new WireFixture().raw('{}', headers);
      expect([answer.status, answer.text]).toEqual([
        400,
        '{"__type":"com.amazon.coral.service#UnknownOperationException"}',
      ]);
    }
  });

  it('may be zipped, and is refused when the zip is broken', async () => {
    const wire = new WireFixture();
    const zipped = { ...target('ListQueues'), 'content-encoding': 'gzip' };
    expect((await wire.raw(gzipSync('{}'), zipped)).status).toBe(200);
    expect((await wire.raw('{}', zipped)).status).toBe(400);
  });

  it('may hold null for what it leaves out, and members nobody knows', async () => {
    const wire = new WireFixture();
    const url = wire.aws.createQueue('orders');
    const body = {
      QueueUrl: url,
      MessageBody: 'x',
      DelaySeconds: null,
      MessageAttributes: { a: null },
      Colour: 'red',
    };
    expect((await wire.raw(JSON.stringify(body), target('SendMessage'))).status).toBe(200);
    expect(wire.aws.bodies(url)).toEqual(['x']);
  });

  it('keeps names like __proto__ as what they are', async () => {
    const wire = new WireFixture();
    const body = '{"QueueName":"q","Attributes":{"__proto__":"1"}}';
    const answer = await wire.raw(body, target('CreateQueue'));
    expect(errorIn(answer.text).message).toBe('Unknown Attribute __proto__.');
  });
});

randomRequests(0.1);
