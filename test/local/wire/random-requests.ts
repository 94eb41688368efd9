import { ReceiveMessageCommand, SendMessageCommand } from '@aws-sdk/client-sqs';
import fc from 'fast-check';
import { SQS_MODEL } from '../../../local/wire';
import { type Addressed, knowing, operations, requestFor, unknowing } from './server/arbitrary-requests';
import { RawClient, signedFor } from './server/raw-http';
import { ServedAws } from './server/served-aws';
import { WireFixture } from './wire-fixture';

const target = (action: string): Record<string, string> => ({ 'x-amz-target': `AmazonSQS.${action}` });

interface JsonError {
  readonly __type: string;
  readonly message: string;
}

const errorIn = (text: string): JsonError => JSON.parse(text);

/** @param share how much of the full number of random requests is sent, from 0 to 1 */
export function randomRequests(share: number): void {
  const runs = (most: number) => ({ numRuns: Math.ceil(most * share) });

  describe('whatever a client sends', () => {
    const actions = [...SQS_MODEL.operations.keys()];
    const members = fc.constantFrom(
      ...['QueueUrl', 'QueueName', 'Attributes', 'Entries', 'MessageBody', 'MessageAttributes', 'ReceiptHandle'],
      ...['MaxNumberOfMessages', 'WaitTimeSeconds', 'VisibilityTimeout', 'DelaySeconds', 'AttributeNames', 'NextToken'],
      ...['MessageSystemAttributes', 'MaxResults', 'Id', 'DataType', 'StringValue', 'BinaryValue'],
    );
    const url = fc.constant('https://sqs.us-east-1.amazonaws.com/123456789012/orders');
    const anything = fc.letrec(tie => ({
      value: fc.oneof(
        { maxDepth: 4 },
        url,
        fc.jsonValue({ maxDepth: 1 }),
        fc.array(tie('value'), { maxLength: 11 }),
        fc.dictionary(members, tie('value'), { maxKeys: 6 }),
      ),
    })).value;
    const request = fc.record({ QueueUrl: fc.option(url, { nil: undefined }), rest: fc.dictionary(members, anything) });

    it('an AWS answer comes back over JSON, and a good request works afterwards', async () => {
      const wire = new WireFixture();
      const queueUrl = wire.aws.createQueue('orders');
      await fc.assert(
        fc.asyncProperty(fc.constantFrom(...actions), request, async (action, { QueueUrl, rest }) => {
          const body = JSON.stringify({ ...rest, WaitTimeSeconds: 0, ...(QueueUrl && { QueueUrl }) });
          const { status, text } = await wire.raw(body, target(action));
          expect(status).not.toBe(500);
          if (status !== 200)
            expect(errorIn(text)).toEqual({ __type: expect.any(String), message: expect.any(String) });
        }),
        runs(1_000),
      );
      wire.aws.sqs.call('CreateQueue', wire.aws.sqs.owner, { QueueName: 'good' });
      wire.aws.send(queueUrl.replace('orders', 'good'), 'still here');
      expect(wire.aws.bodies(queueUrl.replace('orders', 'good'))).toEqual(['still here']);
    });

    it('an AWS answer comes back over the query protocol', async () => {
      const wire = new WireFixture();
      wire.aws.createQueue('orders');
      const name = fc.array(
        fc.oneof(members, fc.constantFrom('1', '2', 'member', 'entry', 'key', 'Name', '', '__proto__')),
        {
          minLength: 1,
          maxLength: 5,
        },
      );
      const parameters = fc.array(
        fc.tuple(name, fc.oneof(url, fc.string(), fc.constantFrom('1', 'true', 'All', 'AAEC'))),
      );
      await fc.assert(
        fc.asyncProperty(fc.constantFrom(...actions), parameters, async (action, given) => {
          const form = new URLSearchParams(given.map(([path, value]): [string, string] => [path.join('.'), value]));
          form.set('Action', action);
          form.delete('WaitTimeSeconds');
          const { status, text } = await wire.raw(form.toString());
          expect(status).not.toBe(500);
          expect(text).toMatch(status === 200 ? new RegExp(`^<${action}Response `) : /^<ErrorResponse .*<Code>[^<]+</s);
        }),
        runs(1_000),
      );
    });

    it('an AWS answer comes back to raw bytes', async () => {
      const wire = new WireFixture();
      await fc.assert(
        fc.asyncProperty(fc.uint8Array({ maxLength: 200 }), fc.boolean(), async (bytes, json) => {
          const { status } = await wire.raw(bytes, json ? target('SendMessage') : {});
          // 404 is the answer to a form without an action.
          expect([400, 404]).toContain(status);
        }),
      );
    });
  });

  /** The operations that are not answered 501. */
  async function implemented(client: RawClient): Promise<readonly Addressed[]> {
    const answers = await Promise.all(operations.map(it => client.send(requestFor(it, {}))));
    return operations.filter((_, i) => answers[i]?.status !== 501);
  }

  describe('whatever comes in at the port', () => {
    const served = new ServedAws();
    afterAll(() => served.close());

    it('is answered by AWS, and a good request works afterwards', async () => {
      // Time must pass by itself, because a long poll or an invocation waits for it.
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
        runs(400),
      );
      client.close();
      expect(errors).toEqual([]);
      expect(aws.trace.events.filter(({ type }) => type === 'wire.failed')).toEqual([]);
      // This works whatever the random requests have deleted, and however much work they have started.
      const QueueUrl = await served.createQueue(sqs, 'afterwards');
      await sqs.send(new SendMessageCommand({ QueueUrl, MessageBody: 'still here' }));
      expect((await sqs.send(new ReceiveMessageCommand({ QueueUrl }))).Messages).toMatchObject([
        { Body: 'still here' },
      ]);
    });

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
        runs(250),
      );
      client.close();
      expect(errors).toEqual([]);
      await sqs.send(new SendMessageCommand({ QueueUrl, MessageBody: 'still here' }));
      expect((await sqs.send(new ReceiveMessageCommand({ QueueUrl }))).Messages).toMatchObject([
        { Body: 'still here' },
      ]);
    });
  });
}
