import { once } from 'node:events';
import * as http from 'node:http';
import * as https from 'node:https';
import type { AddressInfo } from 'node:net';
import type { SQSEvent, SQSRecord } from 'aws-lambda';
import type { RelayAnswer } from '../../lambda/relay/handler';
import { MINUTE_MS } from '../../policy/time-units';
import { cpuTimed, sideBySide } from './measure';
import { hostOf, ownAddress } from './own-address';
import { relayEnvironment } from './relay-environment';

/** What this process should do. It answers with the milliseconds of both measurements. */
export interface RelayLoad {
  /** Of the endpoint, which answers 200 to all. */
  readonly url: string;
  /** The bundle of the relay. */
  readonly bundle: string;
  readonly deliveries: number;
  readonly rounds: number;
}

type RelayHandler = (event: SQSEvent, context: { getRemainingTimeInMillis(): number }) => Promise<RelayAnswer>;

const BATCH = 10;

const NOW = new Date();

/** A notification as SNS writes it, with a message as long as a typical order. */
const ENVELOPE = JSON.stringify({
  Type: 'Notification',
  MessageId: '7b1b9a3e-4a5e-4d0c-9d2b-6a5f2d9a3c1e',
  TopicArn: 'arn:aws:sns:us-east-1:123456789012:orders',
  Message: JSON.stringify({
    orderId: 'order-0001',
    customer: 'somebody',
    car: 'compact',
    days: 3,
    note: '-'.repeat(400),
  }),
  Timestamp: NOW.toISOString(),
  SignatureVersion: '1',
  Signature: `${'A'.repeat(342)}==`,
  SigningCertURL: 'https://sns.us-east-1.amazonaws.com/SimpleNotificationService-0123456789abcdef.pem',
  UnsubscribeURL:
    'https://sns.us-east-1.amazonaws.com/?Action=Unsubscribe&SubscriptionArn=arn:aws:sns:us-east-1:123456789012:orders:' +
    '8a21d249-4329-4871-acc6-7be709c6ea7f',
});

function recordOf(index: number): SQSRecord {
  return {
    messageId: `059f36b4-87a3-44ab-83d2-66197588000${index}`,
    receiptHandle: 'A'.repeat(200),
    body: ENVELOPE,
    attributes: {
      ApproximateReceiveCount: '1',
      SentTimestamp: String(NOW.getTime()),
      SenderId: 'AIDAIT2UOQQY3AUEKVGXU',
      ApproximateFirstReceiveTimestamp: String(NOW.getTime()),
    },
    messageAttributes: {},
    md5OfBody: '0'.repeat(32),
    eventSource: 'aws:sqs',
    eventSourceARN: 'arn:aws:sqs:us-east-1:123456789012:relay',
    awsRegion: 'us-east-1',
  };
}

const EVENT: SQSEvent = { Records: Array.from({ length: BATCH }, (_, index) => recordOf(index)) };

function loadedRelay({ url, bundle }: RelayLoad): RelayHandler {
  Object.assign(process.env, relayEnvironment(url));
  const { handler }: { handler: RelayHandler } = require(bundle);
  return handler;
}

const CONTEXT = { getRemainingTimeInMillis: () => MINUTE_MS };

/** Delivers batch after batch, like one execution environment. A successful delivery needs no AWS call of the handler. */
async function relayed(handler: RelayHandler, deliveries: number): Promise<void> {
  let delivered = 0;
  while (delivered < deliveries) {
    const answer = await handler(EVENT, CONTEXT);
    if (answer.delivered !== BATCH) throw new Error(`expected ${BATCH} deliveries, saw ${JSON.stringify(answer)}`);
    delivered += answer.delivered;
  }
}

/** Returns the headers of a request of the relay, as the endpoint receives them. */
async function headersSent(bundle: string): Promise<Record<string, string>> {
  const server = http.createServer((incoming, response) => {
    incoming.resume();
    incoming.on('end', () => response.end('ok'));
  });
  const host = ownAddress();
  await once(server.listen(0, host), 'listening');
  const { port } = server.address() as AddressInfo;
  const arrived = once(server, 'request');
  await relayed(
    loadedRelay({ url: `http://${hostOf(host)}:${port}/orders`, bundle, deliveries: BATCH, rounds: 1 }),
    BATCH,
  );
  const [incoming]: http.IncomingMessage[] = await arrived;
  server.close();
  server.closeAllConnections();
  delete require.cache[require.resolve(bundle)];
  const { host: _host, connection: _connection, ...headers } = incoming?.headers ?? {};
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]));
}

function bareRequest(url: URL, options: http.RequestOptions): Promise<void> {
  return new Promise((resolve, reject) => {
    const request = (url.protocol === 'http:' ? http : https).request(url, options, response => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('end', () => {
        if (Buffer.concat(chunks).toString('utf8') === 'ok') resolve();
        else reject(new Error(`answered ${response.statusCode}`));
      });
    });
    request.on('error', reject);
    request.end(ENVELOPE);
  });
}

/** Sends with plain Node.js, ten requests at a time. */
async function bare(url: URL, options: http.RequestOptions, deliveries: number): Promise<void> {
  for (let sent = 0; sent < deliveries; sent += BATCH) {
    await Promise.all(Array.from({ length: BATCH }, () => bareRequest(url, options)));
  }
}

async function run(load: RelayLoad): Promise<[number, number]> {
  const { url, bundle, deliveries, rounds } = load;
  const headers = await headersSent(bundle);
  const handler = loadedRelay(load);
  const to = new URL(url);
  const agent = new (to.protocol === 'http:' ? http : https).Agent({ keepAlive: true });
  const options = { method: 'POST', agent, headers };
  const first = () => relayed(handler, deliveries);
  const second = () => bare(to, options, deliveries);
  await first();
  await second();
  return sideBySide(rounds, first, second, cpuTimed);
}

process.on('message', (load: RelayLoad) => {
  run(load).then(
    times => process.send?.(times),
    (error: Error) => {
      console.error(error);
      process.exit(1);
    },
  );
});
