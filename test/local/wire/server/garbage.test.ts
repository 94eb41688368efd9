import { ReceiveMessageCommand, SendMessageCommand } from '@aws-sdk/client-sqs';
import fc from 'fast-check';
import { type Addressed, knowing, operations, requestFor, unknowing } from './arbitrary-requests';
import { RawClient, signedFor } from './raw-http';
import { ServedAws } from './served-aws';

/** The operations that are not answered 501. */
async function implemented(client: RawClient): Promise<readonly Addressed[]> {
  const answers = await Promise.all(operations.map(it => client.send(requestFor(it, {}))));
  return operations.filter((_, i) => answers[i]?.status !== 501);
}

describe('whatever comes in at the port', () => {
  const served = new ServedAws();
  afterAll(() => served.close());

  it('is answered by AWS, and a good request works afterwards', async () => {
    // Time goes on by itself: a long poll or an invocation would wait for it.
    const { sqs, port, errors, aws } = await served.start({ speed: 'max' });
    await served.createQueue(sqs, 'good');
    const client = new RawClient(port);
    const known = await implemented(client);
    expect(known.length).toBeGreaterThan(100);
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.oneof(unknowing, knowing(known)), { minLength: 1, maxLength: 16 }),
        async requests => {
          const answers = await Promise.all(requests.map(request => client.send(request)));
          for (const { status } of answers) {
            expect(status).toBeGreaterThanOrEqual(200);
            expect(status).not.toBe(500);
          }
        },
      ),
      { numRuns: 400 },
    );
    client.close();
    expect(errors).toEqual([]);
    expect(aws.trace.events.filter(({ type }) => type === 'wire.failed')).toEqual([]);
    // Whatever was deleted by chance, and however busy the world has become.
    const QueueUrl = await served.createQueue(sqs, 'afterwards');
    await sqs.send(new SendMessageCommand({ QueueUrl, MessageBody: 'still here' }));
    expect((await sqs.send(new ReceiveMessageCommand({ QueueUrl }))).Messages).toMatchObject([{ Body: 'still here' }]);
  }, 60_000);

  it('may be no HTTP at all, and cut off anywhere', async () => {
    const { sqs, port, errors } = await served.start();
    const QueueUrl = await served.createQueue(sqs, 'good');
    const client = new RawClient(port);
    const wellFormed = [
      'POST / HTTP/1.1',
      'host: localhost',
      'x-amz-target: AmazonSQS.ListQueues',
      `authorization: ${signedFor('sqs')['authorization']}`,
      'transfer-encoding: chunked',
      '',
      '2\r\n{}\r\n0\r\n\r\n',
    ].join('\r\n');
    const broken = fc.oneof(
      fc.uint8Array({ maxLength: 200 }),
      fc.nat(wellFormed.length).map(end => wellFormed.slice(0, end)),
      fc
        .tuple(fc.nat(wellFormed.length - 1), fc.string({ minLength: 1, maxLength: 3 }))
        .map(([at, text]) => wellFormed.slice(0, at) + text + wellFormed.slice(at + 1)),
      fc.constantFrom(
        'GET / HTTP/9.9\r\n\r\n',
        'POST / HTTP/1.1\r\ncontent-length: -1\r\n\r\n',
        'POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 5\r\ntransfer-encoding: chunked\r\n\r\n',
        `GET / HTTP/1.1\r\nhost: x\r\nx: ${'y'.repeat(100_000)}\r\n\r\n`,
        `GET /${'y'.repeat(100_000)} HTTP/1.1\r\nhost: x\r\n\r\n`,
        'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
      ),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(broken, { minLength: 1, maxLength: 8 }), async all => {
        const answers = await Promise.all(all.map(bytes => client.bytes(bytes)));
        for (const answer of answers) if (answer !== '') expect(answer).toMatch(/^HTTP\/1\.1 [2-5]\d\d /);
      }),
      { numRuns: 250 },
    );
    client.close();
    expect(errors).toEqual([]);
    await sqs.send(new SendMessageCommand({ QueueUrl, MessageBody: 'still here' }));
    expect((await sqs.send(new ReceiveMessageCommand({ QueueUrl }))).Messages).toMatchObject([{ Body: 'still here' }]);
  }, 60_000);
});
