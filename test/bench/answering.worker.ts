import { once } from 'node:events';
import * as http from 'node:http';
import * as https from 'node:https';
import type { AddressInfo } from 'node:net';
import { parentPort, workerData } from 'node:worker_threads';
import { ownAddress } from './own-address';

/** The options of the server. */
export interface AnsweringServer {
  /** The key and certificate of a TLS server. @default - no TLS */
  readonly tls?: { readonly key: string; readonly cert: string };
}

/** Long enough that the server closes no connection during a benchmark. */
const KEEP_ALIVE_MS = 600_000;

/**
 * Starts an endpoint that does almost nothing, in its own thread, and reports its port. It never sleeps: waking it up
 * would count as cost of the sender, more so for a slow sender.
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
