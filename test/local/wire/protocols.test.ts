import { CloudWatchClient, DescribeAlarmsCommand, PutMetricDataCommand } from '@aws-sdk/client-cloudwatch';
import { cbor, SmithyRpcV2CborProtocol } from '@smithy/core/cbor';
import type { NormalizedSchema } from '@smithy/core/schema';
import fc from 'fast-check';
import { AwsError } from '../../../local/kernel/aws-error';
import { AWS_SERVICES } from '../../../local/kernel/aws-service';
import { FAULTY_SERVICES } from '../../../local/kernel/faults';
import { EXAMPLE_PLACE } from '../../../local/kernel/place';
import { Random } from '../../../local/kernel/random';
import { Simulation } from '../../../local/simulation';
import { CLOUDWATCH_MODEL, faultyActions, MODELS } from '../../../local/wire';
import { SERVICE_MODELS } from '../../../local/wire/models';
import { instantFromText, numberFor } from '../../../local/wire/protocols/scalars';
import { ServiceOnTheWire } from './service-on-the-wire';
import { WireFixture } from './wire-fixture';

const FORM = { 'content-type': 'application/x-www-form-urlencoded' };

describe('the query protocol', () => {
  it('reads flattened lists and maps of structures, and answers XML with the request id', async () => {
    const wire = new WireFixture();
    const url = wire.aws.createQueue('orders');
    const form = new URLSearchParams({
      Action: 'SendMessage',
      QueueUrl: url,
      MessageBody: 'a & b',
      'MessageAttribute.1.Name': 'city',
      'MessageAttribute.1.Value.DataType': 'String',
      'MessageAttribute.1.Value.StringValue': 'Zürich',
      'MessageAttribute.2.Name': 'proof',
      'MessageAttribute.2.Value.DataType': 'Binary',
      'MessageAttribute.2.Value.BinaryValue': 'AAEC',
    });
    const answer = await wire.raw(form.toString(), FORM);
    expect(answer.status).toBe(200);
    expect(answer.headers['content-type']).toBe('text/xml');
    expect(answer.text).toContain('<SendMessageResponse xmlns="http://queue.amazonaws.com/doc/2012-11-05/">');
    expect(answer.text).toContain(`<RequestId>${answer.headers['x-amzn-requestid']}</RequestId>`);
    const [message] = wire.aws.receive(url);
    expect(answer.text).toContain(`<MessageId>${message?.MessageId}</MessageId>`);
    expect(message).toMatchObject({
      Body: 'a & b',
      MessageAttributes: {
        city: { DataType: 'String', StringValue: 'Zürich' },
        proof: { DataType: 'Binary', BinaryValue: new Uint8Array([0, 1, 2]) },
      },
    });
  });

  it('takes lists in the order of their numbers, whatever the order they came in', async () => {
    const wire = new WireFixture();
    const url = wire.aws.createQueue('orders');
    const form = new URLSearchParams({ Action: 'SendMessageBatch', QueueUrl: url });
    for (const i of [10, 9, 2, 1]) {
      form.set(`SendMessageBatchRequestEntry.${i}.Id`, `e${i}`);
      form.set(`SendMessageBatchRequestEntry.${i}.MessageBody`, `body ${i}`);
    }
    expect((await wire.raw(form.toString(), FORM)).status).toBe(200);
    expect(wire.aws.bodies(url)).toEqual(['body 1', 'body 2', 'body 9', 'body 10']);
  });

  it('finds the queue in the path, as older clients send it', async () => {
    const wire = new WireFixture();
    const url = wire.aws.createQueue('orders');
    const answer = await wire.raw('Action=SendMessage&MessageBody=hello', FORM, '/123456789012/orders');
    expect(answer.status).toBe(200);
    expect(wire.aws.bodies(url)).toEqual(['hello']);
  });

  it('writes flattened lists and escapes what XML would misread', async () => {
    const wire = new WireFixture();
    const url = wire.aws.createQueue('orders');
    wire.aws.send(url, '<one>');
    wire.aws.send(url, '&two');
    const form = new URLSearchParams({ Action: 'ReceiveMessage', QueueUrl: url, MaxNumberOfMessages: '10' });
    const { text } = await wire.raw(form.toString(), FORM);
    expect(text.match(/<Message>/g)).toHaveLength(2);
    expect(text).toContain('<Body>&lt;one&gt;</Body>');
    expect(text).toContain('<Body>&amp;two</Body>');
  });

  it('leaves the result out where the action has none', async () => {
    const wire = new WireFixture();
    const url = wire.aws.createQueue('orders');
    const { text } = await wire.raw(new URLSearchParams({ Action: 'PurgeQueue', QueueUrl: url }).toString(), FORM);
    expect(text).not.toContain('PurgeQueueResult');
    expect(text).toMatch(/^<PurgeQueueResponse .*<ResponseMetadata><RequestId>/);
  });

  it.each([
    ['an action nobody knows', 'Action=Fly', 400, 'InvalidAction'],
    ['a queue that does not exist', 'Action=PurgeQueue&QueueUrl=x', 400, 'AWS.SimpleQueueService.NonExistentQueue'],
    ['a number that is none', 'Action=ReceiveMessage&QueueUrl=x&MaxNumberOfMessages=lots', 400, 'MalformedInput'],
    ['a structure for a text', 'Action=SendMessage&QueueUrl.x=1', 400, 'MalformedInput'],
    ['a map entry without a value', 'Action=CreateQueue&QueueName=q&Attribute.1.Name=Policy', 400, 'MalformedInput'],
  ])('answers %s with AWS’s error', async (_, body, status, code) => {
    const answer = await new WireFixture().raw(body, FORM);
    expect(answer.status).toBe(status);
    expect(answer.text).toContain(`<Code>${code}</Code>`);
    expect(answer.text).toContain('<Type>');
  });

  /** Recorded on AWS: the path of a queue takes actions for that queue, and GetQueueUrl. */
  it.each([
    ['CreateQueue&QueueName=other', 400, '<Code>InvalidAction</Code>'],
    ['ListQueues', 400, '<Message>The action ListQueues is not valid for this endpoint.</Message>'],
    ['FooBar', 400, '<Message>The action FooBar is not valid for this endpoint.</Message>'],
    ['GetQueueUrl&QueueName=other', 200, '/123456789012/other</QueueUrl>'],
    ['GetQueueAttributes&AttributeName.1=QueueArn', 200, ':orders</Value>'],
  ])('answers the action %s at the URL of a queue with %i', async (action, status, text) => {
    const wire = new WireFixture();
    for (const name of ['orders', 'other']) wire.aws.createQueue(name);
    const answer = await wire.raw(`Action=${action}`, FORM, '/123456789012/orders');
    expect(answer.status).toBe(status);
    expect(answer.text).toContain(text);
  });

  /** Recorded on AWS, with and without `Accept: application/json`. */
  it.each(['*/*', 'application/json'])('answers no action with UnknownOperationException: %s', async accept => {
    const wire = new WireFixture();
    wire.aws.createQueue('orders');
    const { status, text } = await wire.raw('', { ...FORM, accept }, '/123456789012/orders');
    expect(status).toBe(404);
    expect(text).toBe('<UnknownOperationException/>\n');
  });

  /** Recorded on AWS. The JSON protocol has the text without "for this wsdl version". */
  it('has an empty detail in errors of SQS, and the older text for a missing queue', async () => {
    const { text } = await new WireFixture().raw('Action=PurgeQueue&QueueUrl=x', FORM);
    expect(text).toContain(
      '<Message>The specified queue does not exist for this wsdl version.</Message><Detail/></Error>',
    );
  });

  it('says 501, and which, to an action the embedded AWS has not', async () => {
    const { status, text } = await new WireFixture({ implements: () => false, call: () => ({}) }).raw(
      'Action=ListQueues',
      FORM,
    );
    expect(status).toBe(501);
    expect(text).toContain('<Code>NotImplemented</Code>');
    expect(text).toContain('sqs:ListQueues');
  });

  it('asks for a signature', async () => {
    const answer = await new WireFixture().raw('Action=ListQueues', { authorization: '' });
    expect(answer.status).toBe(403);
    expect(answer.text).toContain('<Code>MissingAuthenticationToken</Code>');
  });

  it('takes a signature in the URL', async () => {
    const wire = new WireFixture();
    const path = '/?Action=ListQueues&X-Amz-Credential=AKIA%2F20260101%2Fus-east-1%2Fsqs%2Faws4_request';
    expect((await wire.raw('', { authorization: '' }, path)).status).toBe(200);
  });
});

/** Recorded on AWS: clients find the first name as QueryErrorCode, and the code of the query protocol in the header. */
test.each([
  ['ReceiveMessage', { MaxNumberOfMessages: 11 }, 'InvalidParameterValueException', 'InvalidParameterValue'],
  ['SendMessage', {}, 'MissingRequiredParameterException', 'MissingParameter'],
])(
  'errors of SQS in JSON of %s have a name of their own, and the code of the query protocol',
  async (action, input, name, code) => {
    const wire = new WireFixture();
    const QueueUrl = wire.aws.createQueue('orders');
    const headers = { 'x-amz-target': `AmazonSQS.${action}`, 'content-type': 'application/x-amz-json-1.0' };
    const answer = await wire.raw(JSON.stringify({ QueueUrl, ...input }), headers);
    expect(JSON.parse(answer.text).__type).toBe(`com.amazon.coral.service#${name}`);
    expect(answer.headers['x-amzn-query-error']).toBe(`${code};Sender`);
  },
);

describe('a query request that accepts JSON, as those of API Gateway do', () => {
  const FORM = { 'content-type': 'application/x-www-form-urlencoded', accept: 'application/json' };

  // https://docs.aws.amazon.com/apigateway/latest/developerguide/integrating-api-with-aws-services-sns.html
  test('is answered in JSON, in the envelope of the query protocol, with null for what has no value', async () => {
    const fixture = new WireFixture();
    const created = await fixture.raw('Action=CreateQueue&QueueName=orders', FORM);
    const { QueueUrl } = JSON.parse(created.text).CreateQueueResponse.CreateQueueResult;
    const form = new URLSearchParams({ Action: 'SendMessage', QueueUrl, MessageBody: 'a&b "c" é' });
    const { status, headers, text } = await fixture.raw(form.toString(), FORM);
    expect(status).toBe(200);
    expect(headers['content-type']).toBe('application/json');
    const { SendMessageResponse: response } = JSON.parse(text);
    expect(response).toEqual({
      SendMessageResult: {
        MD5OfMessageBody: expect.stringMatching(/^[0-9a-f]{32}$/),
        MD5OfMessageAttributes: null,
        MD5OfMessageSystemAttributes: null,
        MessageId: expect.stringMatching(/^[0-9a-f-]{36}$/),
        SequenceNumber: null,
      },
      ResponseMetadata: { RequestId: headers['x-amzn-requestid'] },
    });
  });

  /** Recorded on AWS: attributes are a list of names and values. */
  test('has the attributes of a queue as a list', async () => {
    const wire = new WireFixture();
    wire.aws.createQueue('orders');
    const path = '/123456789012/orders?Action=GetQueueAttributes&AttributeName.1=DelaySeconds';
    const { GetQueueAttributesResponse: response } = JSON.parse((await wire.raw('', FORM, path)).text);
    expect(response.GetQueueAttributesResult).toEqual({ Attributes: [{ Name: 'DelaySeconds', Value: '0' }] });
  });

  /** @see https://github.com/aws-samples/serverless-patterns, the outputs of apigw-sqs-receive */
  test('has the messages of a queue under another name, and null for none', async () => {
    const wire = new WireFixture();
    const url = wire.aws.createQueue('orders');
    const receive = async () => {
      const { text } = await wire.raw(
        new URLSearchParams({ Action: 'ReceiveMessage', QueueUrl: url }).toString(),
        FORM,
      );
      return JSON.parse(text).ReceiveMessageResponse.ReceiveMessageResult;
    };
    expect(await receive()).toEqual({ messages: null });
    wire.aws.send(url, 'order');
    expect(await receive()).toEqual({
      messages: [
        {
          Attributes: null,
          Body: 'order',
          MD5OfBody: expect.any(String),
          MD5OfMessageAttributes: null,
          MessageAttributes: null,
          MessageId: expect.any(String),
          ReceiptHandle: expect.any(String),
        },
      ],
    });
  });

  test('is refused in JSON too', async () => {
    const { status, headers, text } = await new WireFixture().raw('Action=GetQueueUrl&QueueName=none', FORM);
    expect(status).toBe(400);
    expect(JSON.parse(text)).toEqual({
      Error: {
        Code: 'AWS.SimpleQueueService.NonExistentQueue',
        Message: 'The specified queue does not exist for this wsdl version.',
        Type: 'Sender',
      },
      RequestId: headers['x-amzn-requestid'],
    });
  });

  test.each(['text/xml', '*/*', undefined])('and one that accepts %s is answered in XML', async accept => {
    const headers: Record<string, string> = accept === undefined ? {} : { accept };
    const { text } = await new WireFixture().raw('Action=ListQueues', headers);
    expect(text).toContain('<ListQueuesResponse');
  });
});

describe('numbers that are doubles in the model', () => {
  const answers: Readonly<Record<string, object>> = {
    DescribeAlarms: { MetricAlarms: [{ AlarmName: 'late', Period: 30, Threshold: 30 }] },
    GetMetricData: { MetricDataResults: [{ Id: 'sent', Values: [1, 0.5, 20_000_000] }] },
  };
  const wire = new ServiceOnTheWire(CLOUDWATCH_MODEL, ({ action }) => answers[action]);
  const queries = { MetricDataQueries: [], StartTime: 0, EndTime: 60 };

  // Recorded on AWS: "Period": 30, "Threshold": 30.0.
  it('have a fraction in XML, and integers have none', async () => {
    const headers = { 'content-type': 'application/x-www-form-urlencoded' };
    const ask = (body: string) => wire.raw({ headers, body: Buffer.from(body) });
    const { text } = await ask('Action=DescribeAlarms&Version=2010-08-01');
    expect(text).toContain('<Period>30</Period><Threshold>30.0</Threshold>');
    const data = await ask('Action=GetMetricData&StartTime=0&EndTime=60&MetricDataQueries.member.1.Id=sent');
    expect(data.text).toContain('<Values><member>1.0</member><member>0.5</member><member>2.0E7</member></Values>');
  });

  it('are floats in CBOR, and integers are none', async () => {
    const path = '/service/GraniteServiceVersion20100801/operation/DescribeAlarms';
    const { bytes } = await wire.raw({ path, headers: { 'smithy-protocol': 'rpc-v2-cbor' } });
    const hex = Buffer.from(bytes).toString('hex');
    const member = (name: string) => Buffer.from(name).toString('hex');
    expect(hex).toContain(`${member('Period')}181e`);
    expect(hex).toContain(`${member('Threshold')}fb403e000000000000`);
    expect(cbor.deserialize(bytes)).toEqual(answers.DescribeAlarms);
  });

  it('have a fraction in JSON, and integers have none', async () => {
    const ask = (action: string, input: object) =>
      wire.raw({
        headers: { 'x-amz-target': `GraniteServiceVersion20100801.${action}` },
        body: Buffer.from(JSON.stringify(input)),
      });
    expect((await ask('DescribeAlarms', {})).text).toContain('"Period":30,"Threshold":30.0');
    expect((await ask('GetMetricData', queries)).text).toContain('"Values":[1.0,0.5,2.0E7]');
  });
});

describe('errors without a message', () => {
  const wire = new ServiceOnTheWire(CLOUDWATCH_MODEL, () => {
    throw new AwsError('ResourceNotFound', '', 404);
  });

  // Recorded on AWS: SetAlarmState on an alarm that does not exist.
  it.each([
    ['XML', { 'content-type': 'application/x-www-form-urlencoded' }, 'Action=DescribeAlarms'],
    ['JSON', { 'x-amz-target': 'GraniteServiceVersion20100801.DescribeAlarms' }, '{}'],
  ])('have a code in %s, and no empty text', async (_, headers, body) => {
    const { status, text } = await wire.raw({ headers, body: Buffer.from(body) });
    expect(status).toBe(404);
    expect(text).toContain('ResourceNotFound');
    expect(text).not.toMatch(/message/i);
  });
});

const HEADERS = { 'smithy-protocol': 'rpc-v2-cbor', 'content-type': 'application/cbor' };
const PUT = '/service/GraniteServiceVersion20100801/operation/PutMetricData';

/** A client that speaks CBOR, as those of other languages do. */
function cborClient(wire: ServiceOnTheWire): CloudWatchClient {
  const protocol = new SmithyRpcV2CborProtocol({ defaultNamespace: 'com.amazonaws.cloudwatch' });
  return new CloudWatchClient({ ...wire.clientConfig, protocol });
}

describe('RPC v2 CBOR', () => {
  it('carries numbers, instants and texts both ways', async () => {
    const Timestamp = new Date(Date.UTC(2026, 0, 1, 12));
    const alarms = {
      MetricAlarms: [{ AlarmName: 'late', Threshold: 0.5, AlarmConfigurationUpdatedTimestamp: Timestamp }],
    };
    const wire = new ServiceOnTheWire(CLOUDWATCH_MODEL, ({ action }) =>
      action === 'DescribeAlarms' ? alarms : undefined,
    );
    const client = cborClient(wire);
    const input = {
      Namespace: 'Rental',
      MetricData: [{ MetricName: 'Orders', Value: 0.25, Timestamp, Dimensions: [{ Name: 'Shop', Value: 'Zürich' }] }],
    };
    await client.send(new PutMetricDataCommand(input));
    expect(wire.requests[0]?.path).toBe('/service/GraniteServiceVersion20100801/operation/PutMetricData');
    expect(wire.calls).toMatchObject([{ action: 'PutMetricData', input }]);
    expect(await client.send(new DescribeAlarmsCommand({}))).toMatchObject(alarms);
  });

  it('names an error in its body, and its old code in a header', async () => {
    const wire = new ServiceOnTheWire(CLOUDWATCH_MODEL, () => {
      throw new AwsError('ResourceNotFound', 'No such alarm', 404);
    });
    await expect(cborClient(wire).send(new DescribeAlarmsCommand({}))).rejects.toMatchObject({
      name: 'ResourceNotFound',
      message: 'No such alarm',
      $metadata: { httpStatusCode: 404 },
    });
    const { headers } = await wire.raw({ path: PUT, headers: HEADERS });
    expect(headers.get('x-amzn-query-error')).toBe('ResourceNotFound;Sender');
  });

  it.each([
    ['a list that ends too early', [0x9a, 0xff, 0xff, 0xff, 0xff]],
    ['a text longer than the body', [0x7b, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff]],
    ['a number of a thousand bytes', [0xa1, 0x61, 0x61, 0xc2, 0x59, 0x03, 0xe8, ...new Array(1_000).fill(1)]],
    ['a thousand lists in each other', new Array(1_000).fill(0x9f)],
    ['a break of nothing', [0xff]],
    ['a reserved length', [0xbc]],
    ['a second document', [0xa0, 0xa0]],
    ['a text for a structure', [0x61, 0x61]],
    [
      'what is no number for a number',
      [...cbor.serialize({ Namespace: 'n', MetricData: [{ MetricName: 'm', Value: Number.NaN }] })],
    ],
  ])('refuses %s', async (_, bytes) => {
    const wire = new ServiceOnTheWire(CLOUDWATCH_MODEL, () => undefined);
    const { status, headers } = await wire.raw({ path: PUT, headers: HEADERS, body: Uint8Array.from(bytes) });
    expect([status, headers.get('x-amzn-query-error')]).toEqual([400, 'SerializationException;Sender']);
    expect(wire.calls).toEqual([]);
  });

  it('knows no operation of another service', async () => {
    const wire = new ServiceOnTheWire(CLOUDWATCH_MODEL, () => undefined);
    const { status } = await wire.raw({ path: '/service/Other/operation/PutMetricData', headers: HEADERS });
    expect(status).toBe(404);
  });

  it('answers whatever bytes come', async () => {
    const wire = new ServiceOnTheWire(CLOUDWATCH_MODEL, () => undefined);
    const whole = cbor.serialize({
      Namespace: 'n',
      MetricData: [{ MetricName: 'm', Values: [1, 2.5], Counts: [1, 1] }],
    });
    const flipped = fc.array(fc.tuple(fc.nat(whole.length - 1), fc.nat(255)), { maxLength: 4 }).map(changes => {
      const bytes = Uint8Array.from(whole);
      for (const [at, byte] of changes) bytes[at] = byte;
      return bytes;
    });
    await fc.assert(
      fc.asyncProperty(fc.oneof(flipped, fc.uint8Array({ maxLength: 100 })), async body => {
        const { status } = await wire.raw({ path: PUT, headers: HEADERS, body });
        expect([200, 400]).toContain(status);
      }),
      { numRuns: 2_000 },
    );
  });
});

describe('instants', () => {
  const MIDNIGHT = '2026-01-02T00:00:00.000Z';

  it.each(['2026-01-02', '2026-01-02T00:00:00', '2026-01-02T00:00:00Z', '2026-01-02T09:00:00+09:00', '1767312000'])(
    '%s is the same instant on every machine',
    text => {
      const parse = jest.spyOn(Date, 'parse');
      expect(instantFromText(text).toISOString()).toBe(MIDNIGHT);
      // `Date.parse` would read a time without a zone in the zone of the machine.
      for (const [asked] of parse.mock.calls) expect(asked).toMatch(/(^\d{4}-\d\d-\d\d|Z|[+-]\d\d:\d\d)$/);
      parse.mockRestore();
    },
  );

  it('seconds since the Unix epoch may have a fraction', () => {
    expect(instantFromText('1.7673120005e9').toISOString()).toBe('2026-01-02T00:00:00.500Z');
  });

  it.each(['Jan 2 2026', '2026-02-30', '1/2/2026', 'now', '', '1e300'])('%p is none', text => {
    expect(() => instantFromText(text)).toThrow('must be an instant');
  });
});

describe('integers', () => {
  /** Every name by which a shape's numbers go, and whether it is a member of the shape. */
  function numbersIn(schema: NormalizedSchema, name: string, seen: Set<unknown>): string[] {
    const key = schema.getSchema();
    if (seen.has(key)) return [];
    if (typeof key === 'object') seen.add(key);
    if (schema.isUnitSchema()) return [];
    if (schema.isStructSchema()) {
      return [...schema.structIterator()].flatMap(([member, shape]) => numbersIn(shape, member, seen));
    }
    if (schema.isListSchema() || schema.isMapSchema()) return numbersIn(schema.getValueSchema(), name, seen);
    return schema.isNumericSchema() ? [name] : [];
  }

  const INPUTS = new Set(
    SERVICE_MODELS.flatMap(({ operations }) =>
      [...operations.values()].flatMap(({ input }) => numbersIn(input, '', new Set())),
    ),
  );

  /** Doubles and floats in the API references of CloudWatch, CloudWatch Logs and Lambda. */
  const WITH_FRACTIONS = [
    ...['Counts', 'Maximum', 'Minimum', 'SampleCount', 'Sum', 'Threshold', 'Value', 'Values', 'defaultValue'],
    ...['AdditionalVersionWeights', 'ExecutionEnvironmentMemoryGiBPerVCpu', 'TargetValue'],
  ];

  it.each(WITH_FRACTIONS)('%s may have a fraction, and is an input of some action', member => {
    expect(INPUTS).toContain(member);
    expect(numberFor(member, 0.5)).toBe(0.5);
  });

  it('no other number may', () => {
    const others = [...INPUTS].filter(member => !WITH_FRACTIONS.includes(member));
    expect(others.length).toBeGreaterThan(80);
    for (const member of others) {
      expect(numberFor(member, -3)).toBe(-3);
      expect(() => numberFor(member, 0.5)).toThrow('must be an integer, got 0.5');
    }
  });
});

const world = new Simulation({ place: EXAMPLE_PLACE, random: new Random(1), startAtMs: 0 }).home;

describe('every service on the wire', () => {
  test.each(AWS_SERVICES)('%s answers at its own host, under its own name', name => {
    expect(world.network.has(`${name}.us-east-1.amazonaws.com`)).toBe(true);
    expect(MODELS[name].name).toBe(name);
  });

  test.each(FAULTY_SERVICES)('%s, which can be made to fail, has actions', service => {
    expect([...faultyActions(service)]).not.toEqual([]);
  });
});
