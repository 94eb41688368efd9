import { randomBytes } from 'node:crypto';
import { KMSClient } from '@aws-sdk/client-kms';
import { Attempts } from '../../fleet/attempts';
import { kmsCalls } from '../../fleet/sdk-calls';
import { Secrets } from '../../fleet/secrets';
import { timer } from '../../mover/aws/clock';
import { addressGuards } from '../../policy/address-guard';
import { TOKEN_LIMITS } from '../shared/access-token';
import { nodeConnections } from '../shared/connections';
import { guardedSend } from '../shared/guarded-lookup';
import { flushingLog } from '../shared/log';
import { delivererHandler } from './deliverer';
import { CLIENT_CONFIG, fleetFunction } from './fleet-function';
import { accessTokens } from './http-endpoint-of';
import type { ReadSecrets } from './ports';
import { Unrecorded } from './unrecorded';

/** The part of an answer that is read. */
const MAX_ANSWER_BYTES = 16 * 1_024;

/** Thousands of endpoints would keep thousands of connections open, and a function has 1,024 file descriptors. */
const IDLE_CONNECTION_MS = 4_000;

const ports = fleetFunction(setImmediate);

const { fleetName, keyArn, allowedPrivateRanges, connectTimeoutMs, totalTimeoutMs, attemptRetentionSeconds } =
  ports.settings;

const guards = addressGuards(allowedPrivateRanges);

const secrets = new Secrets({
  table: ports.items,
  kms: kmsCalls(new KMSClient(CLIENT_CONFIG)),
  fleetName,
  keyArn,
  nowMs: ports.nowMs,
  freshBytes: randomBytes,
});

const attempts = attemptRetentionSeconds === undefined ? undefined : new Attempts(ports.items, attemptRetentionSeconds);

const sendWithin = guardedSend(guards, timer, nodeConnections({ timeout: IDLE_CONNECTION_MS }));

const readSecrets: ReadSecrets = endpoint => secrets.read(endpoint);

const { nowMs } = ports;

const handle = delivererHandler({
  ...ports,
  unrecorded: new Unrecorded(ports.settings.health),
  readSecrets,
  accessTokenOf: accessTokens({ readSecrets, guards, sendForToken: sendWithin(TOKEN_LIMITS), nowMs }),
  guards,
  send: sendWithin({ connectTimeoutMs, totalTimeoutMs, maxBodyBytes: MAX_ANSWER_BYTES }),
  timer,
  logAttempts: attempts && (list => attempts.log(list)),
});

export const handler = flushingLog(ports.lines, handle);
