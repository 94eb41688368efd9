import { once } from 'node:events';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { Worker } from 'node:worker_threads';
import { LocalAws } from '../../local';
import type { HttpLoad } from './http-load.worker';
import { type Ratio, type Row, sideBySide, threadTimed } from './measure';

const REQUESTS = 20_000;
const CONNECTIONS = 64;
const ROUNDS = 5;

/** A request to SQS that goes through the wire, permissions and the trace. */
interface Asked {
  readonly action: string;
  readonly body: string;
}

/** The service does almost nothing, so this measures the wire. */
const LIGHT: Asked = { action: 'GetQueueUrl', body: JSON.stringify({ QueueName: 'orders' }) };

/** The service stores a message, computes its digest, and counts it. */
const SEND: Asked = {
  action: 'SendMessage',
  body: JSON.stringify({
    QueueUrl: 'http://127.0.0.1/123456789012/orders',
    MessageBody: JSON.stringify({ orderId: 'order-0001', customer: 'somebody', car: 'compact', days: 3 }),
  }),
};

/** As the SDK's client sends them, without those that depend on the request. */
const HEADERS: Readonly<Record<string, string>> = {
  host: '127.0.0.1',
  'content-type': 'application/x-amz-json-1.0',
  'user-agent': 'aws-sdk-js/3.1169.0 ua/2.1 os/linux lang/js md/nodejs#20.20.2 api/sqs#3.1169.0 m/E,n',
  'amz-sdk-invocation-id': '7b1b9a3e-4a5e-4d0c-9d2b-6a5f2d9a3c1e',
  'amz-sdk-request': 'attempt=1; max=3',
  'x-amz-date': '20260101T000000Z',
  'x-amz-content-sha256': '44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a',
  authorization:
    'AWS4-HMAC-SHA256 Credential=AKIAIOSFODNN7EXAMPLE/20260101/us-east-1/sqs/aws4_request, SignedHeaders=amz-sdk-' +
    `invocation-id;amz-sdk-request;content-type;host;x-amz-content-sha256;x-amz-date;x-amz-target, Signature=${'0'.repeat(64)}`,
};

function headersOf({ action, body }: Asked): Readonly<Record<string, string>> {
  return { ...HEADERS, 'x-amz-target': `AmazonSQS.${action}`, 'content-length': String(Buffer.byteLength(body)) };
}

function requestOf(asked: Asked): string {
  const lines = Object.entries(headersOf(asked)).map(([name, value]) => `${name}: ${value}\r\n`);
  return `POST / HTTP/1.1\r\n${lines.join('')}\r\n${asked.body}`;
}

/** The answer to one request: its headers, as Node.js reports them, and its body. */
interface Answer {
  readonly headers: readonly string[];
  readonly body: Buffer;
  /** Of all of it, on the wire. */
  readonly bytes: number;
}

function answerOf(port: number, asked: Asked): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const outgoing = request(
      { port, method: 'POST', path: '/', headers: { ...headersOf(asked), connection: 'keep-alive' } },
      incoming => {
        const chunks: Buffer[] = [];
        const { socket, rawHeaders: headers } = incoming;
        incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
        incoming.on('end', () => {
          if (incoming.statusCode !== 200) reject(new Error(`${incoming.statusCode}: ${Buffer.concat(chunks)}`));
          resolve({ headers, body: Buffer.concat(chunks), bytes: socket.bytesRead });
        });
      },
    );
    outgoing.on('error', reject);
    outgoing.end(asked.body);
  });
}

/** Starts a plain Node.js server that reads each request and answers the same bytes. */
async function bareServer({ headers, body }: Answer) {
  const head = [...headers];
  const server = createServer({ noDelay: true, keepAliveTimeout: 65_000 }, (incoming, response) => {
    incoming.on('data', () => {});
    incoming.on('end', () => {
      response.sendDate = false;
      response.writeHead(200, head);
      response.end(body);
    });
  });
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  return { port: (server.address() as AddressInfo).port, close: () => server.close() };
}

/** Compares the requests per second at the port with a server that does nothing: the same load in sequence, on one thread. */
async function requests(asked: Asked): Promise<Ratio> {
  const aws = LocalAws.start({ trace: { keep: 1_000 } });
  aws.services.sqs.call('CreateQueue', aws.services.sqs.owner, { QueueName: 'orders' });
  const wire = await aws.listen({ speed: 1 });
  const answer = await answerOf(wire.port, asked);
  const bare = await bareServer(answer);
  const worker = new Worker(path.join(__dirname, 'http-load.worker.js'));
  const load = async (port: number): Promise<void> => {
    const given: HttpLoad = {
      port,
      request: requestOf(asked),
      answerBytes: answer.bytes,
      connections: CONNECTIONS,
      total: REQUESTS,
    };
    worker.postMessage(given);
    await once(worker, 'message');
  };
  const [measuredMs, againstMs] = await sideBySide(
    ROUNDS,
    () => load(wire.port),
    () => load(bare.port),
    threadTimed,
  );
  await worker.terminate();
  bare.close();
  await aws.close();
  return {
    what: `${REQUESTS.toLocaleString('en')} × ${asked.action} over the wire`,
    measuredMs,
    against: 'a bare node:http server that answers the same bytes',
    againstMs,
  };
}

export const ROWS: readonly Row[] = [LIGHT, SEND].map(asked => () => requests(asked));
