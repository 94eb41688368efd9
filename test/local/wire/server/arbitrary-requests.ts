import { gzipSync } from 'node:zlib';
import { cbor } from '@smithy/core/cbor';
import fc from 'fast-check';
import { SERVICE_MODELS, type ServiceModel } from '../../../../local/wire';
import type { Operation } from '../../../../local/wire/service-model';
import { type RawRequest, signedFor } from './raw-http';

const FORM = 'application/x-www-form-urlencoded';

const services = SERVICE_MODELS.map(({ name }) => name);

const target = fc.oneof(
  fc.constantFrom(
    ...SERVICE_MODELS.flatMap(({ targetPrefix, operations }) =>
      [...operations.keys()].slice(0, 40).map(name => `${targetPrefix}.${name}`),
    ),
  ),
  fc.stringMatching(/^[ -~]{0,20}$/),
);

const path = fc.oneof(
  fc.constantFrom(
    ...[
      '/',
      '/123456789012/orders',
      '/2015-03-31/functions',
      '/2015-03-31/functions/x/invocations',
      '/schedules/x',
      '*',
    ],
    ...[
      '/service/GraniteServiceVersion20100801/operation/PutMetricData',
      '/_aws/execute-api/abc/prod/orders',
      '//',
      '/%',
    ],
    ...[
      '/?Action=ConfirmSubscription&Token=x',
      '/?Action=Publish&Version=2010-03-31',
      '/SimpleNotificationService-0.pem',
    ],
    ...['/_dlo/advance', '/_dlo/trace?since=x', '/_dlo/endpoints/a..b', '/_dlo/faults', '/_dlo/', '/_dlo/__proto__'],
  ),
  fc.stringMatching(/^\/[!-~]{0,30}$/),
);

const headers = fc
  .record(
    {
      'x-amz-target': target,
      authorization: fc.oneof(
        fc.constantFrom(...services.map(name => signedFor(name)['authorization'] ?? '')),
        fc.constantFrom('AWS4-HMAC-SHA256 Credential=', 'AWS4-HMAC-SHA256 Credential=////', 'Bearer x', 'Basic eDp4'),
        fc.stringMatching(/^[ -~]{0,40}$/),
      ),
      host: fc.constantFrom('localhost', 'sqs.us-east-1.amazonaws.com', 'x.execute-api.localhost', '..', 'a b', ''),
      'content-type': fc.constantFrom(FORM, 'application/x-amz-json-1.0', 'text/plain', ''),
      'content-encoding': fc.constantFrom('gzip', 'br', 'identity', 'aws-chunked'),
      'smithy-protocol': fc.constantFrom('rpc-v2-cbor', 'rpc-v2-json'),
      accept: fc.constantFrom('application/json', '*/*'),
      'x-amz-invocation-type': fc.constantFrom('Event', 'DryRun', 'Nothing'),
    },
    { requiredKeys: [] },
  )
  .map(given => Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)));

const document = fc.oneof(
  fc.json({ maxDepth: 3 }),
  fc.constantFrom(
    '{"QueueUrl":"x"}',
    '{"QueueName":"orders"}',
    '{"__proto__":{}}',
    '['.repeat(20_000),
    '['.repeat(20_000) + ']'.repeat(20_000),
    `${'{"a":'.repeat(20_000)}1${'}'.repeat(20_000)}`,
    '{"seconds":-1}',
  ),
  fc.constantFrom(
    'Action=SendMessage&QueueUrl=x',
    'Action=Publish',
    'Action=CreateTopic&Name=%',
    `Action=${'a.'.repeat(5_000)}b`,
  ),
);

const body = fc.oneof(
  document,
  document.map(text => gzipSync(text)),
  fc.uint8Array({ maxLength: 300 }),
  fc.jsonValue({ maxDepth: 2 }).map(value => cbor.serialize(value)),
);

/** Values that have crept into some request somewhere. */
const scalar = fc.oneof(
  fc.constantFrom(
    ...[
      '',
      ' ',
      'good',
      'good.fifo',
      'http://127.0.0.1/123456789012/good',
      '{}',
      '{"a":[{"exists":1}]}',
      '\u0000',
      'NaN',
    ],
    ...[
      'arn:aws:sqs:us-east-1:123456789012:good',
      'arn:aws:',
      'rate(1 minute)',
      'cron(* * * * ? *)',
      '2026-01-01T00:00:00Z',
    ],
  ),
  fc.constantFrom(0, -1, 1, 0.5, 1e300, 2 ** 31, -(2 ** 53), null, true),
  fc.string({ maxLength: 5 }),
);

/** Of any depth, with members that somewhere mean something. */
function anyValue(names: readonly string[]): fc.Arbitrary<unknown> {
  const name = fc.constantFrom(...names, 'Key', 'Value', 'Id', 'Name', '__proto__', 'constructor');
  return fc.letrec(tie => ({
    value: fc.oneof(
      { maxDepth: 3, depthIdentifier: 'value' },
      scalar,
      fc.array(tie('value'), { maxLength: 3, depthIdentifier: 'value' }),
      fc.dictionary(name, tie('value'), { maxKeys: 4, depthIdentifier: 'value' }),
    ),
  })).value;
}

/** One operation of one service. */
export interface Addressed {
  readonly model: ServiceModel;
  readonly operation: Operation;
}

export const operations: readonly Addressed[] = SERVICE_MODELS.flatMap(model =>
  [...model.operations.values()].map(operation => ({ model, operation })),
);

/** A signed request for one operation, in its service's protocol. */
export function requestFor({ model, operation }: Addressed, input: object): RawRequest {
  const signed = signedFor(model.name);
  if (operation.http) {
    const { method, path: template } = operation.http;
    return { method, path: template.replace(/\{[^}]+\}/g, 'good'), headers: signed, body: JSON.stringify(input) };
  }
  if (model.targetPrefix !== '') {
    const target = { 'x-amz-target': `${model.targetPrefix}.${operation.name}` };
    return { headers: { ...signed, ...target }, body: JSON.stringify(input) };
  }
  const form = new URLSearchParams({ Action: operation.name });
  for (const [name, value] of Object.entries(input))
    form.append(name, typeof value === 'string' ? value : JSON.stringify(value));
  return { headers: { ...signed, 'content-type': FORM }, body: form.toString() };
}

/** A signed request for one of the operations, with members it knows and values it may not. */
export function knowing(known: readonly Addressed[]): fc.Arbitrary<RawRequest> {
  return fc.oneof(
    ...known.map(addressed => {
      const { input } = addressed.operation;
      const names = input.isUnitSchema() ? [] : [...input.structIterator()].map(([name]) => name);
      const dotted = names.flatMap(name => [name, `${name}.member.1`, `${name}.entry.1.key`]);
      const members = addressed.model.targetPrefix === '' && !addressed.operation.http ? dotted : names;
      return fc
        .dictionary(fc.constantFrom(...members, 'Unknown'), anyValue(names), { maxKeys: 6 })
        .map(given => requestFor(addressed, given));
    }),
  );
}

/** Everything a request can be addressed by, mixed up at random. */
export const unknowing: fc.Arbitrary<RawRequest> = fc.record({
  method: fc.constantFrom('POST', 'GET', 'PUT', 'DELETE', 'PATCH'),
  path,
  headers,
  body,
});
