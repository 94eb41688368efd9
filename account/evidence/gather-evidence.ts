import { createHash } from 'node:crypto';
import { CloudWatchClient, type MetricDataQuery, paginateGetMetricData } from '@aws-sdk/client-cloudwatch';
import { CloudWatchLogsClient } from '@aws-sdk/client-cloudwatch-logs';
import { LambdaClient, paginateListEventSourceMappings } from '@aws-sdk/client-lambda';
import { FAILURE_PHRASES } from '../../diagnosis/causes/consumer';
import type { Evidence, FunctionEvidence, MappingEvidence, SampledMessage } from '../../diagnosis/causes/evidence';
import { sourceQueues, suspectsOf } from '../../diagnosis/causes/suspects';
import type { Inventory } from '../../diagnosis/inventory/inventory';
import { functionOf } from '../../diagnosis/inventory/look-ups';
import { nameInArn } from '../../policy/arn';
import { decodeMessage } from '../../policy/messages/decode-message';
import { HOUR_SECONDS, MINUTE_MS } from '../../policy/time-units';
import { mapAtMost } from '../connection/calls';
import type { Connection } from '../connection/connection';
import type { Question } from '../connection/unread-calls';
import { logGroupNameOf } from '../inventory/functions';
import type { HeldMessage } from '../messages/message-hold';
import { queueNameOf } from '../names';
import { LOG, logLines, PARALLEL_LOG_READS, readEvidence, topicLogs, type Window } from './logs';

/** Evidence of why the messages of a queue were dead-lettered. */
export interface Gathered {
  readonly evidence: Evidence;
  /** What could not be read, in sentences. */
  readonly gaps: readonly string[];
}

export function seenMessage(message: HeldMessage): SampledMessage {
  return { decoded: decodeMessage(message), bodyMd5: createHash('md5').update(message.body).digest('hex') };
}

/** Reads the logs, metrics and event source mappings that may say why messages of a queue were dead-lettered. */
export async function gatherEvidence(
  aws: Connection,
  queueArn: string,
  inventory: Inventory,
  messages: readonly SampledMessage[],
  window: Window,
): Promise<Gathered> {
  const movedFrom = new Set(messages.flatMap(({ decoded }) => decoded.message.movedFromArn ?? []));
  const mappings = await mappingsOf(aws, queueArn, inventory, movedFrom);
  const [logs, functions] = await Promise.all([
    topicLogs(aws, queueArn, inventory, window),
    functionEvidence(aws, queueArn, inventory, mappings, window),
  ]);
  const evidence = {
    queueArn,
    fromMs: window.fromMs,
    messages,
    inventory,
    topicLogs: logs,
    functions,
    mappings,
  };
  return { evidence, gaps: aws.unread.texts };
}

const FAILURE_PATTERN = FAILURE_PHRASES.map(text => `?"${text.replace(/"/g, '\\"')}"`).join(' ');

const NOT_THERE = 'does not exist: the function has not run, or may not write logs';

const MAPPINGS: Question = {
  action: 'lambda:ListEventSourceMappings',
  of: ['source queue', 'source queues'],
  tells: 'the event source mappings',
};

const FIGURES: Question = { action: 'cloudwatch:GetMetricData', tells: 'the errors and throttles of the functions' };

/** How many log lines of a function are read, newest first. */
const MAX_LINES = 2_000;

/** How many queues are looked up at the same time. */
const PARALLEL_CALLS = 4;

/** Reads the event source mappings of the source queues. It needs the permission `lambda:ListEventSourceMappings`. */
async function mappingsOf(
  aws: Connection,
  queueArn: string,
  inventory: Inventory,
  movedFrom: ReadonlySet<string>,
): Promise<readonly MappingEvidence[]> {
  const client = aws.client(LambdaClient);
  const found = await mapAtMost(PARALLEL_CALLS, sourceQueues(queueArn, inventory, movedFrom), async sourceArn => {
    const read = await readEvidence(aws, MAPPINGS, queueNameOf(sourceArn), async () => mappingsFrom(client, sourceArn));
    return read.kind === 'read' ? read.value : [];
  });
  return found.flat();
}

async function mappingsFrom(client: LambdaClient, sourceArn: string): Promise<readonly MappingEvidence[]> {
  const reported: MappingEvidence[] = [];
  for await (const { EventSourceMappings = [] } of paginateListEventSourceMappings(
    { client },
    { EventSourceArn: sourceArn },
  )) {
    reported.push(
      ...EventSourceMappings.map(({ UUID = '', FunctionArn = '', State = '', LastProcessingResult: result }) => ({
        uuid: UUID,
        sourceArn,
        functionArn: FunctionArn,
        state: State,
        ...(result !== undefined && { lastProcessingResult: result }),
      })),
    );
  }
  return reported;
}

type Figures = ReadonlyMap<string, number>;

const METRICS = ['Errors', 'Throttles'] as const;

const PERIOD_SECONDS = HOUR_SECONDS;

/** Reads metric sums over the window, by function and metric. It needs the permission `cloudwatch:GetMetricData`. */
async function figuresOf(aws: Connection, names: readonly string[], window: Window): Promise<Figures> {
  const asked = names.flatMap(name => METRICS.map(metric => ({ name, metric })));
  const queries = asked.map(
    ({ name, metric }, at): MetricDataQuery => ({
      Id: `m${at}`,
      MetricStat: {
        Metric: {
          Namespace: 'AWS/Lambda',
          MetricName: metric,
          Dimensions: [{ Name: 'FunctionName', Value: name }],
        },
        Period: PERIOD_SECONDS,
        Stat: 'Sum',
      },
    }),
  );
  const figures = new Map<string, number>();
  if (queries.length === 0) return figures;
  const range = { StartTime: new Date(window.fromMs), EndTime: new Date(window.toMs + MINUTE_MS) };
  const pages = paginateGetMetricData(
    { client: aws.client(CloudWatchClient) },
    { MetricDataQueries: queries, ...range },
  );
  for await (const { MetricDataResults = [] } of pages) {
    for (const { Id = '', Values = [] } of MetricDataResults) {
      const { name, metric } = asked[Number(Id.slice(1))] ?? {};
      const key = `${name} ${metric}`;
      figures.set(
        key,
        Values.reduce((sum, value) => sum + value, figures.get(key) ?? 0),
      );
    }
  }
  return figures;
}

/**
 * Reads the logs and metrics of functions that may have failed. It needs the permissions `logs:FilterLogEvents`
 * and `cloudwatch:GetMetricData`.
 */
async function functionEvidence(
  aws: Connection,
  queueArn: string,
  inventory: Inventory,
  mappings: readonly MappingEvidence[],
  window: Window,
): Promise<readonly FunctionEvidence[]> {
  const arns = suspectsOf(queueArn, inventory, mappings);
  if (arns.length === 0) return [];
  const logs = aws.client(CloudWatchLogsClient);
  const read = await readEvidence(aws, FIGURES, undefined, () => figuresOf(aws, arns.map(nameInArn), window));
  const figures: Figures = read.kind === 'read' ? read.value : new Map();
  return mapAtMost(PARALLEL_LOG_READS, arns, async functionArn => {
    const name = nameInArn(functionArn);
    const { logGroupName = logGroupNameOf({ FunctionName: name }) } = functionOf(functionArn, inventory) ?? {};
    const query = { group: logGroupName, pattern: FAILURE_PATTERN, window, max: MAX_LINES };
    const lines = await readEvidence(aws, LOG, logGroupName, () => logLines(logs, query, aws.unread));
    const [errors, throttles] = METRICS.map(metric => figures.get(`${name} ${metric}`));
    return {
      functionArn,
      logGroupName,
      lines: lines.kind === 'read' ? lines.value : [],
      ...(lines.kind !== 'read' && { unread: lines.kind === 'unread' ? lines.why : NOT_THERE }),
      ...(errors !== undefined && { errors }),
      ...(throttles !== undefined && { throttles }),
    };
  });
}
