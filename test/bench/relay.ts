import { createPrivateKey } from 'node:crypto';
import { once } from 'node:events';
import path from 'node:path';
import { Worker } from 'node:worker_threads';
import { signingCertificate } from '../../local/sns/signing/certificate';
import { DEVELOPMENT_KEY } from '../../local/sns/signing/development-key';
import type { AnsweringServer } from './answering.worker';
import { Child } from './child';
import { ownAddress } from './own-address';
import type { Ratio } from './ratio';
import type { RelayLoad } from './relay-deliveries.child';

const DELIVERIES = 5_000;
const ROUNDS = 9;

/** The bundle of the relay, as built. */
const BUNDLE = path.resolve(__dirname, '../lambda/relay');

function tls(): Required<AnsweringServer> {
  const key = createPrivateKey({ key: Buffer.from(DEVELOPMENT_KEY, 'base64'), format: 'der', type: 'pkcs8' });
  return { tls: { key: String(key.export({ format: 'pem', type: 'pkcs8' })), cert: signingCertificate() } };
}

/**
 * Sends in a process of its own, whose time alone is measured: the endpoint and whoever reads its log are elsewhere. The
 * endpoint's certificate is nobody's; both who send are told not to mind, and each connection begins before the measure.
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
    const url = `${scheme}://${ownAddress()}:${port}/orders`;
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

/** Over connections that stand already. */
export const RELAY_ROWS: readonly (() => Promise<Ratio>)[] = [
  () => relayDeliveries('http'),
  () => relayDeliveries('https'),
];
