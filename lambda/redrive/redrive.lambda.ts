import { CloudWatchClient } from '@aws-sdk/client-cloudwatch';
import { LambdaClient } from '@aws-sdk/client-lambda';
import { SNSClient } from '@aws-sdk/client-sns';
import { SQSClient } from '@aws-sdk/client-sqs';
import { SSMClient } from '@aws-sdk/client-ssm';
import { INVOKE_CLIENT_CONFIG, MOVE_CLIENT_CONFIG } from '../../mover/aws/aws-calls';
import { nowMs, wait } from '../../mover/aws/clock';
import { metricReader } from '../../mover/aws/metrics';
import { listMoveTasks, taskCanceller, taskStarter } from '../../mover/aws/move-tasks';
import { factReader } from '../../mover/redrive-facts/fact-reader';
import { REDRIVE_METRICS } from '../../policy/metric-names';
import { formatProblem } from '../../policy/problem';
import { planRedrive } from '../../policy/redrive/plan-redrive';
import {
  REDRIVE_SETTINGS_VARIABLE,
  type RedriveSettings,
  readRedriveSettings,
} from '../../policy/redrive/redrive-settings';
import { emfLine, flushingLog, LineBuffer } from '../shared/log';
import { actor } from './act';
import { stepRunners } from './copy-or-replay';
import { redriveHandler } from './handler';
import { passChecker } from './plan';
import { ownMetrics, runReporter } from './reporting';
import type { WriteMetrics } from './step-runner';

const CONNECTION_TIMEOUT_MS = 2_000;

/** No call takes longer than a moment, and a tick has a minute. */
const REQUEST_TIMEOUT_MS = 5_000;

/** More than the SDK's default of 3: a failed read delays a run. */
const MAX_ATTEMPTS = 5;

const { AWS_LAMBDA_FUNCTION_NAME: functionName = '', [REDRIVE_SETTINGS_VARIABLE]: written } = process.env;

const settings = ownSettings(written);
const { name, tickMs, enabled, deadLetters, destination, resultsTopicArn } = settings;

/** Not `console.log`, which would prefix the JSON with a time and a request id: metric filters need plain JSON lines. */
const lines = new LineBuffer(text => process.stdout.write(text), setImmediate);

process.on('exit', () => lines.flush());

const clientConfig = {
  maxAttempts: MAX_ATTEMPTS,
  requestHandler: {
    connectionTimeout: CONNECTION_TIMEOUT_MS,
    requestTimeout: REQUEST_TIMEOUT_MS,
    throwOnRequestTimeout: true,
  },
};

const sqs = new SQSClient(clientConfig);
const cloudWatch = new CloudWatchClient(clientConfig);

const logMetrics: WriteMetrics = (atMs, metrics) => {
  const { namespace, dimension } = REDRIVE_METRICS;
  const values = Object.entries(metrics).map(([metric, value]) => [metric, { values: [value] }]);
  const dimensions = { [dimension]: functionName };
  lines.add(emfLine({ namespace, dimensions, nowMs: atMs, metrics: Object.fromEntries(values) }));
  lines.flush();
};

const { write: writeMetrics, read: readMetrics } = ownMetrics(logMetrics, metricReader(cloudWatch), nowMs);

const facts = factReader(
  { sqs, cloudWatch, figures: readMetrics, lambda: new LambdaClient(clientConfig), ssm: new SSMClient(clientConfig) },
  settings,
  functionName,
  nowMs,
);

const startTask = taskStarter(sqs, { sourceArn: deadLetters.arn, destinationArn: destination.arn });

const handle = redriveHandler({
  name,
  tickMs,
  factReader: facts,
  plan: it => planRedrive(settings, it),
  act: actor({
    enabled,
    runners: {
      task: { start: ({ decision }) => startTask(decision.messagesPerSecond) },
      ...stepRunners(settings, {
        sqs: new SQSClient(MOVE_CLIENT_CONFIG),
        lambda: new LambdaClient(INVOKE_CLIENT_CONFIG),
        nowMs,
        wait,
        writeMetrics,
      }),
    },
    cancel: taskCanceller(sqs),
    tasks: () => listMoveTasks(sqs, deadLetters.arn),
    check: passChecker(facts, settings),
  }),
  ...(resultsTopicArn !== undefined && { sendRunReport: runReporter(new SNSClient(clientConfig), resultsTopicArn) }),
  writeMetrics,
  nowMs,
  log: line => lines.add(JSON.stringify(line)),
});

export const handler = flushingLog(lines, handle);

/** Reads the settings that the construct wrote into the environment. */
function ownSettings(text: string | undefined): RedriveSettings {
  const reading = readRedriveSettings(text);
  if (reading.kind === 'settings') return reading.settings;
  throw new Error(`${REDRIVE_SETTINGS_VARIABLE}: ${reading.problems.map(formatProblem).join('; ')}`);
}
