import { Readable } from 'node:stream';
import { HttpRequest } from '@smithy/core/protocols';
import { EXAMPLE_PLACE } from '../../../local/kernel/place';
import { InMemoryNetwork, type OutgoingRequest, type Reply } from '../../../local/network/network';
import { InMemoryHttpHandler } from '../../../local/wire';

function handlerFor(reply: Reply | Promise<Reply>) {
  const requests: OutgoingRequest[] = [];
  const network = new InMemoryNetwork(request => {
    requests.push(request);
    return reply;
  });
  return { handler: new InMemoryHttpHandler(network, EXAMPLE_PLACE), requests };
}

const OK: Reply = { kind: 'response', status: 200, headers: { a: 'b' }, body: Buffer.from('hello') };
const request = (more: ConstructorParameters<typeof HttpRequest>[0] = {}) =>
  new HttpRequest({ hostname: 'example.com', method: 'POST', path: '/x', headers: { 'X-A': '1' }, ...more });

describe('the HTTP handler in memory', () => {
  it('carries method, path, query, headers in lower case, and the body', async () => {
    const { handler, requests } = handlerFor(OK);
    const query = { one: '1', many: ['a b', 'c'], none: null };
    const { response } = await handler.handle(request({ query, body: 'grüezi' }));
    expect(requests).toEqual([
      {
        protocol: 'https',
        host: 'example.com',
        port: 443,
        method: 'POST',
        path: '/x?one=1&many=a+b&many=c&none=',
        headers: { 'x-a': '1' },
        body: Buffer.from('grüezi'),
        onGone: expect.any(Function),
      },
    ]);
    expect(response).toMatchObject({ statusCode: 200, headers: { a: 'b' }, body: Buffer.from('hello') });
  });

  const SCOPE = 'AKIAIOSFODNN7EXAMPLE/20260101/us-east-1/monitoring/aws4_request';
  const authorization = `AWS4-HMAC-SHA256 Credential=${SCOPE}, SignedHeaders=host, Signature=0`;

  it.each([
    ['signed in its header', { headers: { Authorization: authorization } }],
    ['signed in its URL', { query: { 'X-Amz-Credential': SCOPE } }],
  ])('takes a request that is %s to the service of the signature, whatever host it names', async (_, signed) => {
    const { handler, requests } = handlerFor(OK);
    await handler.handle(request({ hostname: 'localhost', protocol: 'http:', port: 4566, ...signed }));
    expect(requests).toMatchObject([
      { protocol: 'https', host: 'monitoring.us-east-1.amazonaws.com', port: 443, path: expect.stringMatching('^/x') },
    ]);
  });

  it.each([
    ['is not signed', 'localhost', {}],
    ['is signed by no whole scope', 'localhost', { Authorization: 'AWS4-HMAC-SHA256 Credential=AKIAIOSFODNN7EXAMPLE' }],
    ['names a host of AWS', 'photos.s3.eu-west-1.amazonaws.com', { Authorization: authorization }],
  ])('leaves a request where it goes when it %s', async (_, hostname, headers) => {
    const { handler, requests } = handlerFor(OK);
    await handler.handle(request({ hostname, headers }));
    expect(requests).toMatchObject([{ host: hostname, port: 443 }]);
  });

  it.each([
    ['bytes', Uint8Array.of(1, 2, 3), [1, 2, 3]],
    ['a stream', Readable.from([Buffer.of(1), Buffer.of(2, 3)]), [1, 2, 3]],
    ['nothing', undefined, []],
  ])('takes %s for a body', async (_, body, bytes) => {
    const { handler, requests } = handlerFor(OK);
    await handler.handle(request({ body, protocol: 'http:', port: 4566 }));
    expect([...(requests[0]?.body ?? [])]).toEqual(bytes);
    expect(requests[0]).toMatchObject({ protocol: 'http', port: 4566 });
  });

  it('refuses a body it cannot send', async () => {
    const { handler } = handlerFor(OK);
    await expect(handler.handle(request({ body: 5 }))).rejects.toThrow('must be text, bytes or a stream, got number');
  });

  it.each([
    [{ kind: 'no-answer', code: 'ECONNREFUSED' } as const, 'ECONNREFUSED'],
    [{ kind: 'silence' } as const, 'ETIMEDOUT'],
  ])('fails as node’s client does when there is %j', async (reply, code) => {
    await expect(handlerFor(reply).handler.handle(request())).rejects.toMatchObject({ code, hostname: 'example.com' });
  });

  it('gives up when its caller does, before or while it waits', async () => {
    const never = new Promise<Reply>(() => {});
    const { handler } = handlerFor(never);
    const before = new AbortController();
    before.abort();
    await expect(handler.handle(request(), { abortSignal: before.signal })).rejects.toMatchObject({
      name: 'AbortError',
    });
    const during = new AbortController();
    const waiting = handler.handle(request(), { abortSignal: during.signal });
    const rejected = expect(waiting).rejects.toMatchObject({ name: 'AbortError' });
    process.nextTick(() => during.abort());
    await rejected;
  });

  it('answers a caller who might have given up and did not', async () => {
    const { handler } = handlerFor(Promise.resolve(OK));
    const { response } = await handler.handle(request(), { abortSignal: new AbortController().signal });
    expect(response.statusCode).toBe(200);
  });
});
