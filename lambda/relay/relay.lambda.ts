import { SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { SQSClient } from '@aws-sdk/client-sqs';
import { nowMs, timer, wait } from '../../mover/aws/clock';
import { addressGuards } from '../../policy/address-guard';
import { formatProblem } from '../../policy/problem';
import { RELAY_SETTINGS_VARIABLE, type RelaySettings, readRelaySettings } from '../../policy/relay/relay-settings';
import { TOKEN_LIMITS } from '../shared/access-token';
import { guardedSend } from '../shared/guarded-lookup';
import { flushingLog, LineBuffer } from '../shared/log';
import { SQS_CLIENT_CONFIG } from '../shared/queue-calls';
import { relayEndpoint } from './endpoint';
import { relayHandler } from './handler';
import type { Print } from './ports';
import { relayQueues } from './queues';
import { secretReader } from './secrets';

/** The part of an answer that is read. The rest does not matter, and reading it would only take time. */
const MAX_ANSWER_BYTES = 16 * 1_024;

/** A secret is read before an attempt. The attempt is not made if too little time is left after it. */
const SECRETS_CLIENT_CONFIG = {
  maxAttempts: 2,
  requestHandler: { connectionTimeout: 1_500, requestTimeout: 3_000, throwOnRequestTimeout: true },
};

const { AWS_LAMBDA_FUNCTION_NAME: functionName = '', [RELAY_SETTINGS_VARIABLE]: written } = process.env;

const settings = ownSettings(written);

/** Not `console.log`, which would prefix the JSON with a time and a request id: metric filters need plain JSON lines. */
const lines = new LineBuffer(text => process.stdout.write(text), setImmediate);

process.on('exit', () => lines.flush());

const print: Print = line => lines.add(typeof line === 'string' ? line : JSON.stringify(line));

const guards = addressGuards(settings.allowedPrivateRanges);

const readSecret = secretReader(new SecretsManagerClient(SECRETS_CLIENT_CONFIG), {
  nowMs,
  onStale: (secretArn, reason) => print({ level: 'WARN', message: 'an old secret is used', secretArn, reason }),
});

const sendWithin = guardedSend(guards, timer);

const LIMITS = {
  connectTimeoutMs: settings.connectTimeoutMs,
  totalTimeoutMs: settings.totalTimeoutMs,
  maxBodyBytes: MAX_ANSWER_BYTES,
};

const handle = relayHandler({
  settings,
  functionName,
  endpoint: relayEndpoint({
    settings,
    readSecret,
    guards,
    send: sendWithin(LIMITS),
    sendForToken: sendWithin(TOKEN_LIMITS),
    nowMs,
  }),
  queues: relayQueues(new SQSClient(SQS_CLIENT_CONFIG), settings),
  nowMs,
  wait,
  chance: Math.random,
  print,
});

export const handler = flushingLog(lines, handle);

/** Reads the settings that the construct wrote into the environment. */
function ownSettings(text: string | undefined): RelaySettings {
  const reading = readRelaySettings(text);
  if (reading.kind === 'settings') return reading.settings;
  throw new Error(`${RELAY_SETTINGS_VARIABLE}: ${reading.problems.map(formatProblem).join('; ')}`);
}
