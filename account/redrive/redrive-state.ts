import { isDeepStrictEqual } from 'node:util';
import { CloudWatchClient } from '@aws-sdk/client-cloudwatch';
import { CloudWatchLogsClient, FilterLogEventsCommand } from '@aws-sdk/client-cloudwatch-logs';
import { LambdaClient } from '@aws-sdk/client-lambda';
import { SQSClient } from '@aws-sdk/client-sqs';
import { SSMClient } from '@aws-sdk/client-ssm';
import { awsFailureOf } from '../../mover/aws-calls';
import { type FactClients, factReader } from '../../mover/facts/fact-reader';
import { metricReader, oldestAgeSeconds } from '../../mover/facts/metrics';
import { readQueueDepth } from '../../mover/facts/resource-state';
import { DAY_MS } from '../../policy/redrive/budget';
import { planRedrive } from '../../policy/redrive/plan-redrive';
import { canaryOf } from '../../policy/redrive/planned-step';
import { type PreconditionState, preconditionsAt } from '../../policy/redrive/preconditions';
import type { RedrivePlan } from '../../policy/redrive/redrive-decision';
import type { MoveFacts, QueueDepth, RedriveFacts } from '../../policy/redrive/redrive-facts';
import { historyOf, redriveContextOf } from '../../policy/redrive/redrive-runs';
import type { QueueName, RedriveSettings } from '../../policy/redrive/redrive-settings';
import type { Connection } from '../connection/connection';
import { hasSettings, type KnownRedrive, type Redrive } from './find-redrives';

/** What a look at AWS shows of a redrive, and what its function would make of the same. */
export interface RedriveView {
  readonly redrive: KnownRedrive;
  readonly facts: RedriveFacts;
  /** What the function's next tick does. */
  readonly byItself: RedrivePlan;
  /** What it would do if an operator asked for a run now. */
  readonly ifAsked: RedrivePlan;
}

/** A redrive, and what was seen of it. */
export interface RedriveLook {
  readonly redrive: Redrive;
  /** Undefined where its settings cannot be read. */
  readonly seen: RedriveView | undefined;
  /** What there is none of, in AWS's words. */
  readonly warnings: readonly string[];
}

/** Where AWS lets nobody ask, or does not answer, its function makes do with less. What there is none of is an answer. */
function isNoAnswer(error: Error): boolean {
  const refusal = awsFailureOf(error, '');
  return refusal !== undefined && refusal.outcome !== 'refused';
}

/** Who is asked of redrives. They fail where the function would make do with less: then nobody knows what that would do. */
export function factClients(aws: Connection): FactClients {
  const cloudWatch = aws.client(CloudWatchClient, isNoAnswer);
  return {
    sqs: aws.client(SQSClient, isNoAnswer),
    cloudWatch,
    figures: metricReader(cloudWatch),
    lambda: aws.client(LambdaClient, isNoAnswer),
    ssm: aws.client(SSMClient, isNoAnswer),
  };
}

/**
 * Sees a redrive as its function sees it, and decides as it does. It takes the permissions `sqs:GetQueueAttributes`,
 * `sqs:ListMessageMoveTasks`, `cloudwatch:DescribeAlarms`, `cloudwatch:DescribeAlarmHistory`, `cloudwatch:GetMetricData`,
 * `lambda:GetEventSourceMapping` and `ssm:GetParameter`.
 */
export async function lookAt(clients: FactClients, redrive: Redrive, nowMs: () => number): Promise<RedriveLook> {
  if (!hasSettings(redrive)) return { redrive, seen: undefined, warnings: [] };
  const { settings, name } = redrive;
  const looking = factReader(clients, settings, name, nowMs);
  const { facts, unread } = await looking.readAll(await looking.readFirst(), 'tick');
  const seen = {
    redrive,
    facts,
    byItself: planRedrive(settings, facts),
    ifAsked: planRedrive(settings, { ...facts, trigger: 'operator' }),
  };
  return { redrive, seen, warnings: unread.map(it => `${name}: ${it}`) };
}

/** So many moves tell of the last runs. */
const MOVES_SHOWN = 5;

/** Each gate as it is now: of a run that would begin, or where letters move, of going on with it. */
export function gatesOf({ redrive, facts, byItself }: RedriveView): readonly PreconditionState[] {
  if (byItself.state === 'moving') return preconditionsAt('while-moving', redriveContextOf(redrive.settings, facts));
  const view = redriveContextOf(redrive.settings, { ...facts, trigger: 'operator' });
  return preconditionsAt('start', view, canaryOf(view));
}

/** A move, and whether it is the redrive's own. */
export interface ShownMove extends MoveFacts {
  readonly isOwn: boolean;
}

/** The last moves of its letters, the newest first. */
export function movesOf({ redrive, facts }: RedriveView): readonly ShownMove[] {
  const { runs } = historyOf(facts.moves, redrive.settings);
  const own = new Set(runs.flatMap(({ steps }) => steps.flatMap(({ moves }) => moves)));
  return facts.moves.slice(0, MOVES_SHOWN).map(move => ({ ...move, isOwn: own.has(move) }));
}

/** A queue in which ends what a redrive sent home and failed again. */
export interface FailurePlace {
  readonly queue: QueueName;
  /** Whether the redrive put it there itself, so that SQS knows no queue to move it back to. */
  readonly isByRedrive: boolean;
  /** Undefined where there is no such queue. */
  readonly depth: QueueDepth | undefined;
  /** @default - CloudWatch has no figure: nothing is there, or not for long */
  readonly oldestAgeSeconds?: number;
  /** The redrive that empties it. @default - none: it is a quarantine, whatever it is called */
  readonly emptiedBy?: string;
}

type Place = Pick<FailurePlace, 'queue' | 'isByRedrive'>;

/** What comes back into the dead-letter queue itself is no place of its own. */
function placesOf({ deadLetters, failures, quarantine }: RedriveSettings): readonly Place[] {
  const places = [
    ...(quarantine ? [{ queue: quarantine, isByRedrive: true }] : []),
    ...(failures && failures.arn !== quarantine?.arn ? [{ queue: failures, isByRedrive: false }] : []),
  ];
  return places.filter(({ queue }) => queue.arn !== deadLetters.arn);
}

/**
 * Where what a redrive sent home ends when it fails again, and what is there. It takes the permissions
 * `sqs:GetQueueAttributes` and `cloudwatch:GetMetricData`.
 */
export function failurePlaces(
  { sqs, figures }: FactClients,
  settings: RedriveSettings,
  all: readonly Redrive[],
  nowMs: number,
): Promise<readonly FailurePlace[]> {
  return Promise.all(
    placesOf(settings).map(async place => {
      const { arn, url } = place.queue;
      const [depth, age] = await Promise.all([readQueueDepth(sqs, url), oldestAgeSeconds(figures, place.queue, nowMs)]);
      const emptiedBy = all.find(other => other.settings?.deadLetters.arn === arn)?.name;
      return {
        ...place,
        depth,
        ...(age !== undefined && { oldestAgeSeconds: age }),
        ...(emptiedBy !== undefined && { emptiedBy }),
      };
    }),
  );
}

/** So many tell what led to how it stands, each told once for as often as it was written in a row. */
const MOST_REPORTED = 5;

/** Of one request. Our choice: a redrive that waits for somebody writes one a minute. */
const PAGE_RECORDS = 300;

/** What the function wrote of a look. */
interface RedriveRecord {
  readonly trigger: string;
  readonly did: string;
  readonly cause?: string;
  readonly reason: string;
  readonly outcome: string;
  /** What went wrong. @default - nothing */
  readonly failure?: string;
}

/** A record, and how often it was written in a row. */
export interface RepeatedRecord {
  readonly record: RedriveRecord;
  /** Of the last of them. */
  readonly atMs: number;
  /** Of the first of them, within the day. */
  readonly sinceMs: number;
  readonly times: number;
}

function recordOf(message: string): RedriveRecord {
  const { trigger, did, cause, reason, outcome, failure } = JSON.parse(message) as RedriveRecord;
  return {
    trigger,
    did,
    ...(cause !== undefined && { cause }),
    reason,
    outcome,
    ...(failure !== undefined && { failure }),
  };
}

/** Adds a record that is older than those told. */
function tell(reported: RepeatedRecord[], record: RedriveRecord, atMs: number): void {
  const last = reported.at(-1);
  if (last && isDeepStrictEqual(record, last.record))
    reported[reported.length - 1] = { ...last, sinceMs: atMs, times: last.times + 1 };
  else reported.push({ record, atMs, sinceMs: atMs, times: 1 });
}

/** The last records of a day, the newest first. It takes the permission `logs:FilterLogEvents`. */
export async function lastRecords(
  aws: Connection,
  { logGroupName }: Redrive,
  nowMs: number,
): Promise<readonly RepeatedRecord[]> {
  const logs = aws.client(CloudWatchLogsClient);
  const reported: RepeatedRecord[] = [];
  let nextToken: string | undefined;
  do {
    const page = await logs.send(
      new FilterLogEventsCommand({
        logGroupName,
        filterPattern: '{ $.message = "redrive" }',
        startTime: nowMs - DAY_MS,
        startFromHead: false,
        limit: PAGE_RECORDS,
        nextToken,
      }),
    );
    for (const { message = '{}', timestamp = nowMs } of page.events ?? []) tell(reported, recordOf(message), timestamp);
    nextToken = page.nextToken;
    // The last of them may have been written before, too.
  } while (nextToken !== undefined && reported.length <= MOST_REPORTED);
  return reported.slice(0, MOST_REPORTED);
}
