import { createPrivateKey } from 'node:crypto';
import { once } from 'node:events';
import path from 'node:path';
import { Worker } from 'node:worker_threads';
import { type App, CfnOutput, Stack } from 'aws-cdk-lib';
import { DurableTopic, HttpRelay, OpsTopic, RelayEndpoint } from '../../lib';
import { LocalAws } from '../../local';
import { DEVELOPMENT_KEY, signingCertificate } from '../../local/sns/envelope/signing';
import { relaySpending } from '../support/relay-spending';
import type { AnsweringServer } from './answering.worker';
import { Child, type Figure, type Ratio, type Row } from './measure';
import { hostOf, ownAddress } from './own-address';
import type { RelayLoad } from './relay-deliveries.child';
import { synthesized } from './synthesized';

const DELIVERIES = 5_000;
const ROUNDS = 9;

/** The bundle of the relay, as built. */
const BUNDLE = path.resolve(__dirname, '../lambda/relay');

function tls(): Required<AnsweringServer> {
  const key = createPrivateKey({ key: Buffer.from(DEVELOPMENT_KEY, 'base64'), format: 'der', type: 'pkcs8' });
  return { tls: { key: String(key.export({ format: 'pem', type: 'pkcs8' })), cert: signingCertificate() } };
}

/**
 * Sends from a child process and measures only its time: the endpoint and the reader of its log run elsewhere. The
 * endpoint's certificate is self-signed and both senders accept it. Each connection is opened before the measurement.
 */
async function inChild(load: RelayLoad): Promise<[number, number]> {
  const child = new Child('relay-deliveries.child.js', { NODE_TLS_REJECT_UNAUTHORIZED: '0' });
  try {
    return await child.ask(load);
  } finally {
    child.kill();
  }
}

async function relayDeliveries(scheme: 'http' | 'https'): Promise<Ratio> {
  const server = new Worker(path.join(__dirname, 'answering.worker.js'), {
    workerData: scheme === 'https' ? tls() : {},
  });
  try {
    const [port]: number[] = await once(server, 'message');
    const url = `${scheme}://${hostOf(ownAddress())}:${port}/orders`;
    const [measuredMs, againstMs] = await inChild({ url, bundle: BUNDLE, deliveries: DELIVERIES, rounds: ROUNDS });
    const perSecond = (ms: number): string => Math.round((DELIVERIES / ms) * 1_000).toLocaleString('en');
    return {
      what: `${DELIVERIES.toLocaleString('en')} deliveries of the relay’s bundle over ${scheme}, ${perSecond(measuredMs)} a second of a core,`,
      measuredMs,
      against: `the same requests by node:${scheme} alone, ${perSecond(againstMs)} a second of a core`,
      againstMs,
    };
  } finally {
    await server.terminate();
  }
}

const MESSAGES = 1_000;

/** Adds only a topic with a relay. */
function relayStack(app: App): void {
  const stack = new Stack(app, 'OneRelay');
  const alarmActions = [new OpsTopic(stack, 'Ops', { email: 'ops@example.com' })];
  const endpoint = RelayEndpoint.fromUrl('https://partner.example.com/orders');
  const topic = new DurableTopic(stack, 'Topic', { alarmActions, logDeliveryStatus: false });
  const relay = new HttpRelay(stack, 'Relay', { endpoint, alarmActions });
  topic.deliverToRelay('Partner', relay);
  const { role } = relay.handler;
  if (!role) throw new Error('the relay has no role');
  new CfnOutput(stack, 'TopicArn', { value: topic.topicArn });
  new CfnOutput(stack, 'RoleName', { value: role.roleName });
  new CfnOutput(stack, 'FunctionArn', { value: relay.handler.functionArn });
}

/** Counts the billed SQS and Lambda requests of a message that is delivered at the first attempt. */
function relayCalls(atOnce: number): (assembly: string) => Promise<Figure> {
  return async assembly => {
    const aws = await LocalAws.deploy(assembly);
    const { sns } = aws.services;
    const spent = relaySpending(aws, aws.output('RoleName'), aws.output('FunctionArn'));
    for (let published = 0; published < MESSAGES; published += atOnce) {
      for (let i = 0; i < atOnce; i += 1) {
        sns.call('Publish', sns.owner, { TopicArn: aws.output('TopicArn'), Message: `order ${published + i}` });
      }
      await aws.advance({ seconds: 5 });
    }
    await aws.advance({ minutes: 10 });
    const delivered = aws.endpoint('partner.example.com').requests.length;
    const { received, deleted, hidden, invocations, receivedNothing } = spent();
    await aws.close();
    if (delivered !== MESSAGES) throw new Error(`expected ${MESSAGES} requests, saw ${delivered}`);
    const each = (calls: number): string => (calls / delivered).toPrecision(3);
    return {
      value: (received + deleted + hidden + invocations) / delivered,
      text: `calls of SQS and Lambda for a message the relay delivers, of ${MESSAGES.toLocaleString('en')} that come ${atOnce.toLocaleString('en')} at a time: receives ${each(received)}, deletes ${each(deleted)}, changes of visibility ${each(hidden)}, invocations ${each(invocations)}; and ${receivedNothing} receives of nothing in all`,
    };
  };
}

/** Deliveries over connections that are already open, and what the calls of AWS are. */
export const ROWS: readonly Row[] = [
  () => relayDeliveries('http'),
  () => relayDeliveries('https'),
  ...[1_000, 1].map(atOnce => () => synthesized(relayStack, relayCalls(atOnce))),
];
