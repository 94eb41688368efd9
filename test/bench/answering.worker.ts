import { once } from 'node:events';
import * as http from 'node:http';
import * as https from 'node:https';
import type { AddressInfo } from 'node:net';
import { parentPort, workerData } from 'node:worker_threads';
import { ownAddress } from './own-address';

/** What the server is to be. */
export interface AnsweringServer {
  /** Of a server that speaks TLS. @default - it speaks none */
  readonly tls?: { readonly key: string; readonly cert: string };
}

/** As long as no connection is ever dropped in between. */
const KEEP_ALIVE_MS = 600_000;

/**
 * An endpoint with next to nothing to do, in a thread of its own. It says at which port it listens. It never sleeps: waking
 * it would be a part of what a request costs whoever sends it, and the more so the slower they send.
 */
async function listen({ tls }: AnsweringServer): Promise<void> {
  const answer: http.RequestListener = (incoming, response) => {
    incoming.resume();
    incoming.on('end', () => response.end('ok'));
  };
  const options = { keepAliveTimeout: KEEP_ALIVE_MS, requestTimeout: 0 };
  const server = tls ? https.createServer({ ...options, ...tls }, answer) : http.createServer(options, answer);
  await once(server.listen(0, ownAddress()), 'listening');
  const stayAwake = (): void => void setImmediate(stayAwake);
  stayAwake();
  parentPort?.postMessage((server.address() as AddressInfo).port);
}

listen(workerData as AnsweringServer).catch((error: Error) => {
  throw error;
});
