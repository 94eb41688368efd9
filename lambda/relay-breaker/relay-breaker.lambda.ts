import { CloudWatchClient } from '@aws-sdk/client-cloudwatch';
import { LambdaClient } from '@aws-sdk/client-lambda';
import { SQSClient } from '@aws-sdk/client-sqs';
import { nowMs, wait } from '../../mover/aws/clock';
import { MAX_FUNCTION_TIMEOUT_SECONDS } from '../../policy/aws-limits';
import { RELAY_METRICS } from '../../policy/metric-names';
import { emfLine, flushingLog, LineBuffer } from '../shared/log';
import { alarmFacts, mappingChanger, mappingFacts } from './breaker';
import { ALL_LANES, relayDrain, turnstile } from './drain';
import { relayInvoker, relayProbe, relayQueue } from './relay-client';
import { breakersHandler } from './run-breakers';

const CONNECTION_TIMEOUT_MS = 5_000;

/** Longer than a long poll of SQS, which takes up to 20 s. */
const REQUEST_TIMEOUT_MS = 30_000;

/** Not `console.log`, which would prefix the JSON with a time and a request id: metric filters need plain JSON lines. */
const lines = new LineBuffer(text => process.stdout.write(text), setImmediate);

process.on('exit', () => lines.flush());

function requestHandler(requestTimeout: number) {
  return { connectionTimeout: CONNECTION_TIMEOUT_MS, requestTimeout, throwOnRequestTimeout: true };
}

const sqs = new SQSClient({ requestHandler: requestHandler(REQUEST_TIMEOUT_MS) });
const cloudWatch = new CloudWatchClient({ requestHandler: requestHandler(REQUEST_TIMEOUT_MS) });
const mappings = new LambdaClient({ requestHandler: requestHandler(REQUEST_TIMEOUT_MS) });

/** Clients that wait for a relay's function, by its timeout. Most relays have the same. */
const invokers = new Map<number, LambdaClient>();

function invokerFor(functionTimeoutMs: number): LambdaClient {
  const requestTimeout = Math.min(functionTimeoutMs, MAX_FUNCTION_TIMEOUT_SECONDS * 1_000) + REQUEST_TIMEOUT_MS;
  const known = invokers.get(requestTimeout);
  // No retry: the first invocation may still be working on the messages.
  const invoker = known ?? new LambdaClient({ requestHandler: requestHandler(requestTimeout), maxAttempts: 1 });
  invokers.set(requestTimeout, invoker);
  return invoker;
}

const inTurn = turnstile(ALL_LANES);

const handle = breakersHandler({
  alarms: alarmNames => alarmFacts(cloudWatch, alarmNames),
  portsOf: ({ mappingId, queueUrl, functionName, functionTimeoutMs, retentionMs }, queueArn) => {
    const queue = relayQueue(sqs, queueUrl);
    const invokeRelay = relayInvoker(invokerFor(functionTimeoutMs), functionName);
    return {
      mapping: () => mappingFacts(mappings, mappingId),
      change: mappingChanger(mappings, mappingId),
      probe: relayProbe(queue, invokeRelay, queueArn),
      drain: relayDrain({ queue, invokeRelay, nowMs, queueArn, retentionMs, inTurn }),
      writeState: state => {
        const { namespace, dimension } = RELAY_METRICS;
        const dimensions = { [dimension]: functionName };
        lines.add(emfLine({ namespace, dimensions, nowMs: nowMs(), metrics: { BreakerState: { values: [state] } } }));
      },
    };
  },
  nowMs,
  wait,
  chance: Math.random,
  log: line => lines.add(JSON.stringify(line)),
});

export const handler = flushingLog(lines, handle);
