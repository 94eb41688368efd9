import { CloudWatchClient } from '@aws-sdk/client-cloudwatch';
import { LambdaClient } from '@aws-sdk/client-lambda';
import { SQSClient } from '@aws-sdk/client-sqs';
import { BREAKER_SETTINGS_VARIABLE, readBreakerSettings } from '../../lib/policy/relay/breaker-settings';
import { RELAY_METRICS } from '../../lib/policy/relay/relay-metrics';
import { nowMs } from '../shared/clock';
import { emfLine } from '../shared/emf';
import { alarmFacts } from './alarm';
import { breakerHandler } from './breaker';
import { changing, mappingFacts } from './mapping';
import { probing } from './probe';

const CONNECTION_TIMEOUT_MS = 5_000;

/** Beside a long poll of SQS, which takes up to 20 s. */
const REQUEST_TIMEOUT_MS = 30_000;

const settings = readBreakerSettings(process.env[BREAKER_SETTINGS_VARIABLE]);
const { mappingId, alarmName, functionName, functionTimeoutMs } = settings;
const { configuredConcurrency, settleMs, probeIntervalMs, tickMs } = settings;

/** Past the console, which would put a time and an id before the JSON: filters read the line as it is. */
function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

function within(requestTimeout: number) {
  return { connectionTimeout: CONNECTION_TIMEOUT_MS, requestTimeout, throwOnRequestTimeout: true };
}

const sqs = new SQSClient({ requestHandler: within(REQUEST_TIMEOUT_MS) });
const cloudWatch = new CloudWatchClient({ requestHandler: within(REQUEST_TIMEOUT_MS) });
const mappings = new LambdaClient({ requestHandler: within(REQUEST_TIMEOUT_MS) });
// A probe is invoked once: a second try would be a second probe, of a message the first one has.
const invoking = new LambdaClient({ requestHandler: within(functionTimeoutMs + REQUEST_TIMEOUT_MS), maxAttempts: 1 });

export const handler = breakerHandler({
  facts: async () => {
    const [mapping, alarm] = await Promise.all([mappingFacts(mappings, mappingId), alarmFacts(cloudWatch, alarmName)]);
    return { nowMs: nowMs(), mapping, alarm, configuredConcurrency, settleMs, probeIntervalMs, tickMs };
  },
  change: changing(mappings, mappingId),
  probe: probing(sqs, invoking, settings),
  tellState: state => {
    const { namespace, dimension } = RELAY_METRICS;
    const dimensions = { [dimension]: functionName };
    print(emfLine({ namespace, dimensions, nowMs: nowMs(), metrics: { BreakerState: { values: [state] } } }));
  },
  log: line => print(JSON.stringify(line)),
});
