import { CloudWatchClient } from '@aws-sdk/client-cloudwatch';
import { LambdaClient } from '@aws-sdk/client-lambda';
import { SQSClient } from '@aws-sdk/client-sqs';
import { nowMs } from '../../mover/clock';
import { RELAY_METRICS } from '../../policy/metric-names';
import { BREAKER_SETTINGS_VARIABLE, readBreakerSettings } from '../../policy/relay/breaker';
import { emfLine, flushingLog, LineBuffer } from '../shared/log';
import { alarmFacts, breakerHandler, mappingChanger, mappingFacts } from './breaker';
import { relayDrain } from './drain';
import { relayInvoker, relayProbe, relayQueue } from './relay-client';

const CONNECTION_TIMEOUT_MS = 5_000;

/** Beside a long poll of SQS, which takes up to 20 s. */
const REQUEST_TIMEOUT_MS = 30_000;

const settings = readBreakerSettings(process.env[BREAKER_SETTINGS_VARIABLE]);
const { mappingId, alarmName, functionName, functionTimeoutMs } = settings;
const { configuredConcurrency, settleMs, probeIntervalMs, tickMs, queueArn, retentionMs } = settings;

/** Past the console, which would put a time and an id before the JSON: filters and other tools read the line as it is. */
const lines = new LineBuffer(text => process.stdout.write(text), setImmediate);

process.on('exit', () => lines.flush());

function within(requestTimeout: number) {
  return { connectionTimeout: CONNECTION_TIMEOUT_MS, requestTimeout, throwOnRequestTimeout: true };
}

const sqs = new SQSClient({ requestHandler: within(REQUEST_TIMEOUT_MS) });
const cloudWatch = new CloudWatchClient({ requestHandler: within(REQUEST_TIMEOUT_MS) });
const mappings = new LambdaClient({ requestHandler: within(REQUEST_TIMEOUT_MS) });
// The relay is asked once: a second try would be a second attempt at messages the first one has.
const invoking = new LambdaClient({ requestHandler: within(functionTimeoutMs + REQUEST_TIMEOUT_MS), maxAttempts: 1 });

const queue = relayQueue(sqs, settings.queueUrl);
const ask = relayInvoker(invoking, functionName);

const run = breakerHandler({
  facts: async () => {
    const [mapping, alarm] = await Promise.all([mappingFacts(mappings, mappingId), alarmFacts(cloudWatch, alarmName)]);
    return { nowMs: nowMs(), mapping, alarm, configuredConcurrency, settleMs, probeIntervalMs, tickMs };
  },
  change: mappingChanger(mappings, mappingId),
  probe: relayProbe(queue, ask, queueArn),
  drain: relayDrain({ queue, ask, nowMs, queueArn, retentionMs }),
  nowMs,
  retentionMs,
  tellState: state => {
    const { namespace, dimension } = RELAY_METRICS;
    const dimensions = { [dimension]: functionName };
    lines.add(emfLine({ namespace, dimensions, nowMs: nowMs(), metrics: { BreakerState: { values: [state] } } }));
  },
  log: line => lines.add(JSON.stringify(line)),
});

export const handler = flushingLog(lines, run);
