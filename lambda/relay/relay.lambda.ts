import { SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { SQSClient } from '@aws-sdk/client-sqs';
import { nowMs, timer, wait } from '../../mover/clock';
import { type AddressGuard, addressGuards } from '../../policy/address-guard';
import { formatProblem } from '../../policy/problem';
import { RELAY_SETTINGS_VARIABLE, type RelaySettings, readRelaySettings } from '../../policy/relay/relay-settings';
import { httpSend, type Send } from '../shared/http-send';
import { flushingLog, LineBuffer } from '../shared/log';
import { guardedLookup } from './destination';
import { relayEndpoint } from './endpoint';
import { relayHandler } from './handler';
import { SQS_CLIENT_CONFIG } from './invocation';
import type { Print } from './ports';
import { relayQueues } from './queues';
import { secretReader } from './secrets';

/** As much of an answer as is read. What is longer is as good as whole, and nobody is kept waiting by it. */
const MAX_ANSWER_BYTES = 16 * 1_024;

/** Long before an attempt, which is not made if too little time is left. */
const SECRETS_CLIENT_CONFIG = {
  maxAttempts: 2,
  requestHandler: { connectionTimeout: 1_500, requestTimeout: 3_000, throwOnRequestTimeout: true },
};

const { AWS_LAMBDA_FUNCTION_NAME: functionName = '', [RELAY_SETTINGS_VARIABLE]: written } = process.env;

const settings = ownSettings(written);

/** Past the console, which would put a time and an id before the JSON: filters and other tools read the line as it is. */
const lines = new LineBuffer(text => process.stdout.write(text), setImmediate);

process.on('exit', () => lines.flush());

const print: Print = line => lines.add(typeof line === 'string' ? line : JSON.stringify(line));

const guards = addressGuards(settings.allowedPrivateRanges);

const readSecret = secretReader(new SecretsManagerClient(SECRETS_CLIENT_CONFIG), {
  nowMs,
  onStale: (secretArn, reason) => print({ level: 'WARN', message: 'an old secret is used', secretArn, reason }),
});

const LIMITS = {
  connectTimeoutMs: settings.connectTimeoutMs,
  totalTimeoutMs: settings.totalTimeoutMs,
  maxBodyBytes: MAX_ANSWER_BYTES,
};

const sendPast = (guard: AddressGuard): Send => httpSend(LIMITS, timer, { lookup: guardedLookup(guard) });

const [sendClear, sendSecure] = [sendPast(guards['http:']), sendPast(guards['https:'])];

const send: Send = (method, url, ...others) =>
  (url.protocol === 'http:' ? sendClear : sendSecure)(method, url, ...others);

const handle = relayHandler({
  settings,
  functionName,
  endpoint: relayEndpoint({ settings, readSecret, guards, send, nowMs }),
  queues: relayQueues(new SQSClient(SQS_CLIENT_CONFIG), settings),
  nowMs,
  wait,
  chance: Math.random,
  print,
});

export const handler = flushingLog(lines, handle);

/**
 * Reads what the function was given.
 * @throws Error with all that is wrong with it
 */
export function ownSettings(text: string | undefined): RelaySettings {
  const reading = readRelaySettings(text);
  if (reading.kind === 'settings') return reading.settings;
  throw new Error(`${RELAY_SETTINGS_VARIABLE}: ${reading.problems.map(formatProblem).join('; ')}`);
}
