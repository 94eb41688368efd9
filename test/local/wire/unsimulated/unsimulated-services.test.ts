import { CreateQueueCommand, SQSClient } from '@aws-sdk/client-sqs';
import { EXAMPLE_PLACE } from '../../../../local/kernel/place';
import { Random } from '../../../../local/kernel/random';
import { awsHostName } from '../../../../local/network/addresses';
import { response } from '../../../../local/network/outside-endpoint';
import { Simulation } from '../../../../local/simulation';
import { InMemoryHttpHandler } from '../../../../local/wire';

const CREDENTIALS = { accessKeyId: 'AKIAADMIN', secretAccessKey: 'secret' };

const world = (place = EXAMPLE_PLACE) =>
  new Simulation({ place, random: new Random(1), startAtMs: Date.UTC(2026, 0, 1) });

async function ask({ network }: Simulation, host: string, headers: Record<string, string> = {}) {
  const protocol = 'https' as const;
  const reply = await network.send({
    protocol,
    host,
    port: 443,
    method: 'POST',
    path: '/',
    headers,
    body: Buffer.of(),
  });
  if (reply.kind !== 'response') throw new Error(`no response but ${reply.kind}`);
  return { status: reply.status, headers: reply.headers, text: Buffer.from(reply.body).toString() };
}

/** @see https://docs.aws.amazon.com/general/latest/gr/rande.html */
describe('a host name of AWS', () => {
  test.each([
    ['dynamodb.us-east-1.amazonaws.com', 'dynamodb', 'us-east-1'],
    ['DynamoDB.US-East-1.amazonaws.com.', 'dynamodb', 'us-east-1'],
    ['iam.amazonaws.com', 'iam', undefined],
    ['photos.s3.us-gov-west-1.amazonaws.com', 's3', 'us-gov-west-1'],
    ['s3.dualstack.eu-central-1.amazonaws.com', 's3', 'eu-central-1'],
    ['a1b2.execute-api.ap-southeast-2.amazonaws.com', 'execute-api', 'ap-southeast-2'],
    ['balancer-1.us-west-2.elb.amazonaws.com', 'elb', 'us-west-2'],
    ['sqs.cn-north-1.amazonaws.com.cn', 'sqs', 'cn-north-1'],
    ['lambda.us-east-1.api.aws', 'lambda', 'us-east-1'],
    ['kms.us-iso-east-1.c2s.example', 'kms', 'us-iso-east-1'],
    ['amazonaws.com', 'amazonaws.com', undefined],
  ])('%s names %s and %s', (host, service, region) => {
    expect(awsHostName(host, 'c2s.example')).toEqual({ service, region });
  });

  test.each(['billing.example.com', 'notamazonaws.com', 'amazonaws.com.example.org'])('%s is none', host => {
    expect(awsHostName(host, 'amazonaws.com')).toBeUndefined();
  });
});

describe('an AWS endpoint that is not here', () => {
  test('answers a client 501, naming service and Region, and the trace says so', async () => {
    const { network, trace } = world();
    const requestHandler = new InMemoryHttpHandler(network, EXAMPLE_PLACE);
    const client = new SQSClient({ region: 'eu-west-1', credentials: CREDENTIALS, requestHandler });
    await expect(client.send(new CreateQueueCommand({ QueueName: 'q' }))).rejects.toMatchObject({
      name: 'NotImplemented',
      message: expect.stringContaining(
        'The embedded AWS simulates us-east-1 and does not implement sqs:CreateQueue in eu-west-1 (sqs.eu-west-1.amazonaws.com). ' +
          'To simulate that Region, name it in the env of a stack, or in the option places. ' +
          "A scenario can define the answer: aws.endpoint('sqs.eu-west-1.amazonaws.com').behave(…), " +
          'or PUT /_dlo/endpoints/sqs.eu-west-1.amazonaws.com',
      ),
      $metadata: { httpStatusCode: 501, attempts: 1 },
    });
    expect(trace.events).toMatchObject([
      {
        type: 'wire.not-implemented',
        host: 'sqs.eu-west-1.amazonaws.com',
        service: 'sqs',
        region: 'eu-west-1',
        method: 'POST',
        action: 'CreateQueue',
      },
    ]);
  });

  test.each([
    ['glue.us-east-1.amazonaws.com', { 'x-amz-target': 'AWSGlue.GetTable' }, /"__type":"[^"]*NotImplemented"/],
    ['states.us-east-1.amazonaws.com', { 'content-type': 'application/json' }, /"__type":"[^"]*NotImplemented"/],
    [
      'autoscaling.amazonaws.com',
      { 'content-type': 'application/x-www-form-urlencoded' },
      /<Code>NotImplemented<\/Code>/,
    ],
    ['photos.s3.us-east-1.amazonaws.com', {}, /<Code>NotImplemented<\/Code>/],
    ['elasticbeanstalk.us-east-1.amazonaws.com', { accept: 'application/json' }, /"Code":"NotImplemented"/],
  ])('%s answers in a form its clients understand', async (host, headers, text) => {
    const answer = await ask(world(), host, headers);
    expect(answer).toMatchObject({ status: 501, text: expect.stringMatching(text) });
  });

  test.each([
    [
      'a form',
      'autoscaling',
      { 'content-type': 'application/x-www-form-urlencoded' },
      '/',
      'Action=DescribeTags&Version=1',
    ],
    ['a target', 'glue', { 'x-amz-target': 'AWSGlue.DescribeTags' }, '/', ''],
    ['CBOR', 'logs', { 'smithy-protocol': 'rpc-v2-cbor' }, '/service/Logs/operation/DescribeTags', ''],
  ])('names the action that %s names', async (_, service, headers, path, body) => {
    const { network, trace } = world();
    const host = `${service}.eu-west-1.amazonaws.com`;
    const request = {
      protocol: 'https',
      host,
      port: 443,
      method: 'POST',
      path,
      headers,
      body: Buffer.from(body),
    } as const;
    const reply = await network.send(request);
    expect(reply.kind === 'response' && Buffer.from(reply.body).toString('latin1')).toContain(
      `${service}:DescribeTags`,
    );
    expect(trace.events).toMatchObject([{ type: 'wire.not-implemented', service, action: 'DescribeTags' }]);
  });

  test.each(['amazonaws.com', 'amazonaws.com.cn', 'api.aws'])('may end in %s, whatever the partition', async suffix => {
    const inChina = world({
      ...EXAMPLE_PLACE,
      region: 'cn-north-1',
      partition: 'aws-cn',
      urlSuffix: 'amazonaws.com.cn',
    });
    expect((await ask(inChina, `glue.us-east-1.${suffix}`)).status).toBe(501);
    expect((await ask(inChina, 'sqs.cn-north-1.amazonaws.com.cn')).text).toContain('UnknownOperationException');
  });

  test('can be spoken for by a scenario', async () => {
    const aws = world();
    const { outside } = aws;
    const table = outside.endpoint('glue.us-east-1.amazonaws.com');
    table.behave({ reply: response(200, '{"Item":{}}') });
    expect(await ask(aws, 'glue.us-east-1.amazonaws.com')).toMatchObject({ status: 200, text: '{"Item":{}}' });
    expect(table.requests).toHaveLength(1);
  });

  test('is no host of the outside world: that exists, and answers 200', async () => {
    const aws = world();
    expect((await ask(aws, 'billing.example.com')).status).toBe(200);
    expect(aws.trace.events).toEqual([]);
  });
});
