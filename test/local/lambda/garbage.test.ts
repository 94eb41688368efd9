import fc from 'fast-check';
import { EXAMPLE_PLACE } from '../../../local/kernel/place';
import { Random } from '../../../local/kernel/random';
import { Trace } from '../../../local/kernel/trace';
import { awsHost, LAMBDA_MODEL, type WireTraceEvent } from '../../../local/wire';
import { ADMIN, LambdaFixture } from './lambda-fixture';

/** What a client may say where AWS expects something: mostly what it does not. */
const name = fc.oneof(
  fc.constantFrom('f', 'f:live', 'f:1', 'f:$LATEST', 'arn:aws:lambda:us-east-1:123456789012:function:f', 'live', '1'),
  fc.string({ maxLength: 12 }),
);
const arn = fc.constantFrom(
  'arn:aws:sqs:us-east-1:123456789012:orders',
  'arn:aws:sqs:us-east-1:123456789012:orders.fifo',
  'arn:aws:s3:::bucket',
  'arn:aws:lambda:us-east-1:123456789012:function:f',
  'arn:::::',
);
const scalar = fc.oneof(name, arn, fc.integer(), fc.double(), fc.boolean(), fc.constant(null));
const anything = fc.oneof(scalar, fc.array(scalar, { maxLength: 3 }), fc.dictionary(name, scalar, { maxKeys: 3 }));

/** All but the one that would leave nothing to call. */
const operations = [...LAMBDA_MODEL.operations.values()].filter(
  ({ http, name: operation }) => http !== undefined && operation !== 'DeleteFunction',
);

/** A request to one of Lambda's paths, with members of the operation's own input, each with any value at all. */
const request = fc.constantFrom(...operations).chain(operation => {
  const members = [...operation.input.structIterator()].map(([member]) => member);
  const body = fc.dictionary(
    fc.constantFrom(...members, 'Unknown'),
    fc.oneof(anything, fc.constant({ Filters: [{}] })),
    {
      maxKeys: 6,
    },
  );
  return fc.record({
    method: fc.constant(operation.http?.method ?? 'POST'),
    template: fc.constant(operation.http?.path ?? '/'),
    label: name,
    body: fc.oneof(
      body.map(it => JSON.stringify(it)),
      fc.string({ maxLength: 20 }),
    ),
    query: fc.oneof(
      fc.constant(''),
      name.map(it => `Qualifier=${encodeURIComponent(it)}&MaxItems=2&Marker=x`),
    ),
    invocationType: fc.constantFrom('Event', 'DryRun', 'Whenever'),
  });
});

describe('any request to Lambda', () => {
  let world: LambdaFixture;
  beforeEach(() => {
    world = new LambdaFixture();
    world.createQueue('orders', { VisibilityTimeout: '60' });
    world.deploy('f', { code: 'exports.handler = async event => event;' });
    world.call('PublishVersion', { FunctionName: 'f' });
    world.call('CreateAlias', { FunctionName: 'f', Name: 'live', FunctionVersion: '1' });
  });
  afterEach(() => world.close());

  test('is answered, and the next call works as usual', async () => {
    const trace = new Trace<WireTraceEvent>(world.timeline);
    const host = awsHost({
      model: LAMBDA_MODEL,
      service: world.lambda,
      credentials: { issue: () => ({ accessKeyId: '', secretAccessKey: '', sessionToken: '' }), caller: () => ADMIN },
      random: new Random('garbage'),
      trace,
      timeline: world.timeline,
    });
    const statuses = new Set<number>();
    await fc.assert(
      fc.asyncProperty(request, async ({ method, template, label, body, query, invocationType }) => {
        const path = template.replace(/\{\w+\}/g, encodeURIComponent(label));
        const reply = await host({
          protocol: 'https',
          host: `lambda.${EXAMPLE_PLACE.region}.amazonaws.com`,
          port: 443,
          method,
          path: query === '' ? path : `${path}${path.includes('?') ? '&' : '?'}${query}`,
          headers: {
            authorization: 'AWS4-HMAC-SHA256 Credential=AKIAADMIN/20260101/us-east-1/lambda/aws4_request',
            'x-amz-invocation-type': invocationType,
          },
          body: Buffer.from(body),
        });
        if (reply.kind !== 'response') throw new Error(`no answer but ${reply.kind}`);
        statuses.add(reply.status);
        expect(trace.events).toEqual([]);
        expect(reply.status === 501 || reply.status < 500).toBe(true);
      }),
      { numRuns: 3000, seed: 7 },
    );
    // Some of the random requests were valid.
    for (const status of [200, 202, 204, 400, 404, 501]) expect(statuses).toContain(status);
    await world.timeline.advanceTo(world.timeline.nowMs + 3_600_000);
    expect(world.call('GetFunction', { FunctionName: 'f' }).Configuration?.FunctionName).toBe('f');
  });
});
