import { CloudWatchClient } from '@aws-sdk/client-cloudwatch';
import { LambdaClient } from '@aws-sdk/client-lambda';
import { SQSClient } from '@aws-sdk/client-sqs';
import { nowMs } from '../../mover/aws/clock';
import { RELAY_METRICS } from '../../policy/metric-names';
import { BREAKER_SETTINGS_VARIABLE, readBreakerSettings } from '../../policy/relay/breaker';
import { emfLine, flushingLog, LineBuffer } from '../shared/log';
import { alarmFacts, breakerHandler, mappingChanger, mappingFacts } from './breaker';
import { relayDrain } from './drain';
import { relayInvoker, relayProbe, relayQueue } from './relay-client';

const CONNECTION_TIMEOUT_MS = 5_000;

/** Longer than a long poll of SQS, which takes up to 20 s. */
const REQUEST_TIMEOUT_MS = 30_000;

const settings = readBreakerSettings(process.env[BREAKER_SETTINGS_VARIABLE]);
const { mappingId, alarmName, functionName, functionTimeoutMs } = settings;
const { configuredConcurrency, settleMs, probeIntervalMs, tickMs, queueArn, retentionMs } = settings;

/** Not `console.log`, which would prefix the JSON with a time and a request id: metric filters need plain JSON lines. */
const lines = new LineBuffer(text => process.stdout.write(text), setImmediate);

process.on('exit', () => lines.flush());

function requestHandler(requestTimeout: number) {
  return { connectionTimeout: CONNECTION_TIMEOUT_MS, requestTimeout, throwOnRequestTimeout: true };
}

const sqs = new SQSClient({ requestHandler: requestHandler(REQUEST_TIMEOUT_MS) });
const cloudWatch = new CloudWatchClient({ requestHandler: requestHandler(REQUEST_TIMEOUT_MS) });
const mappings = new LambdaClient({ requestHandler: requestHandler(REQUEST_TIMEOUT_MS) });
// No retry: the first invocation may still be working on the messages.
const invoker = new LambdaClient({
  requestHandler: requestHandler(functionTimeoutMs + REQUEST_TIMEOUT_MS),
  maxAttempts: 1,
});

const queue = relayQueue(sqs, settings.queueUrl);
const invokeRelay = relayInvoker(invoker, functionName);

const handle = breakerHandler({
  facts: async () => {
    const [mapping, alarm] = await Promise.all([mappingFacts(mappings, mappingId), alarmFacts(cloudWatch, alarmName)]);
    return { nowMs: nowMs(), mapping, alarm, configuredConcurrency, settleMs, probeIntervalMs, tickMs };
  },
  change: mappingChanger(mappings, mappingId),
  probe: relayProbe(queue, invokeRelay, queueArn),
  drain: relayDrain({ queue, invokeRelay, nowMs, queueArn, retentionMs }),
  nowMs,
  retentionMs,
  writeState: state => {
    const { namespace, dimension } = RELAY_METRICS;
    const dimensions = { [dimension]: functionName };
    lines.add(emfLine({ namespace, dimensions, nowMs: nowMs(), metrics: { BreakerState: { values: [state] } } }));
  },
  log: line => lines.add(JSON.stringify(line)),
});

export const handler = flushingLog(lines, handle);
