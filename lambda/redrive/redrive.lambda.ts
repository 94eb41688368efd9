import { CloudWatchClient } from '@aws-sdk/client-cloudwatch';
import { LambdaClient } from '@aws-sdk/client-lambda';
import { SNSClient } from '@aws-sdk/client-sns';
import { SQSClient } from '@aws-sdk/client-sqs';
import { SSMClient } from '@aws-sdk/client-ssm';
import { MOVE_CLIENT_CONFIG } from '../../mover/aws-calls';
import { nowMs, wait } from '../../mover/clock';
import { factReader } from '../../mover/facts/fact-reader';
import { metricReader } from '../../mover/facts/metrics';
import type { WriteMetrics } from '../../mover/move-step';
import { listMoveTasks, taskCanceller, taskRunner } from '../../mover/move-tasks';
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
import { redriveHandler } from './handler';
import { passChecker } from './plan';
import { ownMetrics, runReporter } from './reporting';
import { stepRunners } from './step-runners';

const CONNECTION_TIMEOUT_MS = 2_000;

/** None of them takes longer than a moment, and a look has a minute. */
const REQUEST_TIMEOUT_MS = 5_000;

/** What cannot be read keeps a run from going on, so AWS is asked a few times more than the SDK would. */
const MOST_ATTEMPTS = 5;

const { AWS_LAMBDA_FUNCTION_NAME: functionName = '', [REDRIVE_SETTINGS_VARIABLE]: written } = process.env;

const settings = ownSettings(written);
const { name, tickMs, enabled, deadLetters, destination, resultsTopicArn } = settings;

/** Past the console, which would put a time and an id before the JSON: filters and other tools read the line as it is. */
const lines = new LineBuffer(text => process.stdout.write(text), setImmediate);

process.on('exit', () => lines.flush());

const within = {
  maxAttempts: MOST_ATTEMPTS,
  requestHandler: {
    connectionTimeout: CONNECTION_TIMEOUT_MS,
    requestTimeout: REQUEST_TIMEOUT_MS,
    throwOnRequestTimeout: true,
  },
};

const sqs = new SQSClient(within);
const cloudWatch = new CloudWatchClient(within);

const writeMetrics: WriteMetrics = (atMs, metrics) => {
  const { namespace, dimension } = REDRIVE_METRICS;
  const counted = Object.entries(metrics).map(([metric, value]) => [metric, { values: [value] }]);
  const dimensions = { [dimension]: functionName };
  lines.add(emfLine({ namespace, dimensions, nowMs: atMs, metrics: Object.fromEntries(counted) }));
  lines.flush();
};

const { tell, read: figures } = ownMetrics(writeMetrics, metricReader(cloudWatch), nowMs);

const clients = { sqs, cloudWatch, figures, lambda: new LambdaClient(within), ssm: new SSMClient(within) };

const looking = factReader(clients, settings, functionName, nowMs);

const run = redriveHandler({
  name,
  tickMs,
  sight: looking,
  plan: facts => planRedrive(settings, facts),
  act: actor({
    enabled,
    carriers: {
      task: taskRunner(sqs, { sourceArn: deadLetters.arn, destinationArn: destination.arn }),
      ...stepRunners(settings, {
        sqs: new SQSClient(MOVE_CLIENT_CONFIG),
        lambda: new LambdaClient(MOVE_CLIENT_CONFIG),
        nowMs,
        wait,
        tell,
      }),
    },
    cancel: taskCanceller(sqs),
    tasks: () => listMoveTasks(sqs, deadLetters.arn),
    check: passChecker(looking, settings),
  }),
  ...(resultsTopicArn !== undefined && { tellPeople: runReporter(new SNSClient(within), resultsTopicArn) }),
  tellMetrics: tell,
  nowMs,
  log: line => lines.add(JSON.stringify(line)),
});

export const handler = flushingLog(lines, run);

/**
 * Reads what the function was given.
 * @throws Error with all that is wrong with it
 */
export function ownSettings(text: string | undefined): RedriveSettings {
  const reading = readRedriveSettings(text);
  if (reading.kind === 'settings') return reading.settings;
  throw new Error(`${REDRIVE_SETTINGS_VARIABLE}: ${reading.problems.map(formatProblem).join('; ')}`);
}
