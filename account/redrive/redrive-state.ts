import { isDeepStrictEqual } from 'node:util';
import { CloudWatchClient } from '@aws-sdk/client-cloudwatch';
import { CloudWatchLogsClient, FilterLogEventsCommand } from '@aws-sdk/client-cloudwatch-logs';
import { LambdaClient } from '@aws-sdk/client-lambda';
import { SQSClient } from '@aws-sdk/client-sqs';
import { SSMClient } from '@aws-sdk/client-ssm';
import { awsFailureOf } from '../../mover/aws/aws-calls';
import { metricReader, oldestAgeSeconds } from '../../mover/aws/metrics';
import { readQueueDepth } from '../../mover/aws/resource-state';
import { type FactClients, factReader } from '../../mover/redrive-facts/fact-reader';
import { planRedrive } from '../../policy/redrive/plan-redrive';
import { canaryOf } from '../../policy/redrive/planned-step';
import { type PreconditionState, preconditionsAt } from '../../policy/redrive/preconditions';
import type { RedrivePlan } from '../../policy/redrive/redrive-decision';
import type { MoveFacts, QueueDepth, RedriveFacts } from '../../policy/redrive/redrive-facts';
import { historyOf, redriveContextOf } from '../../policy/redrive/redrive-runs';
import type { QueueName, RedriveSettings } from '../../policy/redrive/redrive-settings';
import { DAY_MS } from '../../policy/time-units';
import { isKnown, knownValue, type MaybeKnown } from '../../template/maybe-known';
import type { Connection } from '../connection/connection';
import type { Question, UnreadCalls } from '../connection/unread-calls';
import { LOG } from '../evidence/logs';
import { queueNameOf } from '../names';
import { type FoundRedrive, hasSettings, type KnownRedrive } from './find-redrives';

/** The state of a redrive, and what its function would decide now. */
export interface RedriveView {
  readonly redrive: KnownRedrive;
  readonly facts: RedriveFacts;
  /** The decision at the next scheduled invocation. */
  readonly byItself: RedrivePlan;
  /** The decision if an operator requested a run now. */
  readonly ifAsked: RedrivePlan;
}

/** A redrive, and its state if its settings can be read. */
export interface RedriveLook {
  readonly redrive: FoundRedrive;
  /** Undefined when its settings or its state cannot be read. */
  readonly seen: RedriveView | undefined;
  /** Resources that do not exist, in AWS's words. */
  readonly warnings: readonly string[];
}

/** Whether AWS denied the call or did not respond. That a resource does not exist is a response. */
function isNoAnswer(error: Error): boolean {
  const refusal = awsFailureOf(error, '');
  return refusal !== undefined && refusal.outcome !== 'refused';
}

/**
 * The clients that read the state of redrives. A denied call is an error here. The function would continue without the answer, and
 * then its decision could not be predicted.
 */
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

const STATE: Question = { action: 'sqs:GetQueueAttributes', of: ['redrive', 'redrives'], tells: 'the state' };

/**
 * Reads the state of a redrive as its function does, and makes the same decision. It needs the permissions `sqs:GetQueueAttributes`,
 * `sqs:ListMessageMoveTasks`, `cloudwatch:DescribeAlarms`, `cloudwatch:DescribeAlarmHistory`, `cloudwatch:GetMetricData`,
 * `lambda:GetEventSourceMapping` and `ssm:GetParameter`.
 * @param unreadCalls makes the state unknown if a call fails. @default - the failure is an error
 */
export async function lookAt(
  clients: FactClients,
  redrive: FoundRedrive,
  nowMs: () => number,
  unreadCalls?: UnreadCalls,
): Promise<RedriveLook> {
  if (!hasSettings(redrive)) return { redrive, seen: undefined, warnings: [] };
  const { settings, name } = redrive;
  const looking = factReader(clients, settings, name, nowMs);
  const reading = async () => looking.readAll(await looking.readFirst(), 'tick');
  const read = unreadCalls ? await unreadCalls.read(STATE, name, reading) : await reading();
  if (!isKnown(read)) return { redrive, seen: undefined, warnings: [] };
  const { facts, unread } = read;
  const seen = {
    redrive,
    facts,
    byItself: planRedrive(settings, facts),
    ifAsked: planRedrive(settings, { ...facts, trigger: 'operator' }),
  };
  return { redrive, seen, warnings: unread.map(it => `${name}: ${it}`) };
}

const MOVES_SHOWN = 5;

/** The current preconditions: of the current run while messages move, else of a new run. */
export function gatesOf({ redrive, facts, byItself }: RedriveView): readonly PreconditionState[] {
  if (byItself.state === 'moving') return preconditionsAt('while-moving', redriveContextOf(redrive.settings, facts));
  const view = redriveContextOf(redrive.settings, { ...facts, trigger: 'operator' });
  return preconditionsAt('start', view, canaryOf(view));
}

/** A move, and whether the redrive started it. */
export interface ShownMove extends MoveFacts {
  readonly isOwn: boolean;
}

/** The last moves out of its dead-letter queue, newest first. */
export function movesOf({ redrive, facts }: RedriveView): readonly ShownMove[] {
  const { runs } = historyOf(facts.moves, redrive.settings);
  const own = new Set(runs.flatMap(({ steps }) => steps.flatMap(({ moves }) => moves)));
  return facts.moves.slice(0, MOVES_SHOWN).map(move => ({ ...move, isOwn: own.has(move) }));
}

/** A queue that receives messages that failed again after a redrive. */
export interface FailurePlace {
  readonly queue: QueueName;
  /** Whether the redrive itself sends messages there. Then SQS knows no source queue to move them back to. */
  readonly isByRedrive: boolean;
  /** Undefined when the queue does not exist. */
  readonly depth: QueueDepth | undefined;
  /** @default - CloudWatch has no data: the queue is empty, or the messages are new */
  readonly oldestAgeSeconds?: number;
  /** The redrive that moves messages out of it. @default - none: it is a quarantine */
  readonly emptiedBy?: string;
}

const OF = ['queue', 'queues'] as const;
const DEPTH: Question = { action: 'sqs:GetQueueAttributes', of: OF, tells: 'the number of messages' };
const AGE: Question = { action: 'cloudwatch:GetMetricData', of: OF, tells: 'the age of the messages' };

type Place = Pick<FailurePlace, 'queue' | 'isByRedrive'>;

/** Messages that return to the dead-letter queue itself need no queue of their own. */
function placesOf({ deadLetters, failures, quarantine }: RedriveSettings): readonly Place[] {
  const places = [
    ...(quarantine ? [{ queue: quarantine, isByRedrive: true }] : []),
    ...(failures && failures.arn !== quarantine?.arn ? [{ queue: failures, isByRedrive: false }] : []),
  ];
  return places.filter(({ queue }) => queue.arn !== deadLetters.arn);
}

/**
 * Reads the queues that receive messages that failed again after a redrive, as far as they can be read. It needs the permissions
 * `sqs:GetQueueAttributes` and `cloudwatch:GetMetricData`.
 */
export async function failurePlaces(
  { sqs, figures }: FactClients,
  settings: RedriveSettings,
  all: readonly FoundRedrive[],
  nowMs: number,
  unread: UnreadCalls,
): Promise<readonly FailurePlace[]> {
  const places = await Promise.all(
    placesOf(settings).map(async (place): Promise<readonly FailurePlace[]> => {
      const { arn, url } = place.queue;
      const name = queueNameOf(arn);
      const [depth, oldest] = await Promise.all([
        unread.read(DEPTH, name, () => readQueueDepth(sqs, url)),
        unread.read(AGE, name, () => oldestAgeSeconds(figures, place.queue, nowMs)),
      ]);
      if (!isKnown(depth)) return [];
      const age = knownValue(oldest);
      const emptiedBy = all.find(other => other.settings?.deadLetters.arn === arn)?.name;
      const more = {
        ...(age !== undefined && { oldestAgeSeconds: age }),
        ...(emptiedBy !== undefined && { emptiedBy }),
      };
      return [{ ...place, depth, ...more }];
    }),
  );
  return places.flat();
}

/** How many different records are shown. Equal records in a row count as one. */
const MOST_REPORTED = 5;

/** The page size. A waiting redrive writes one record a minute. */
const PAGE_RECORDS = 300;

/** A log record of one invocation of the function. */
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
  /** When the last of them occurred. */
  readonly atMs: number;
  /** When the first of them within the day occurred. */
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

/** Adds a record that is older than the others. */
function tell(reported: RepeatedRecord[], record: RedriveRecord, atMs: number): void {
  const last = reported.at(-1);
  if (last && isDeepStrictEqual(record, last.record))
    reported[reported.length - 1] = { ...last, sinceMs: atMs, times: last.times + 1 };
  else reported.push({ record, atMs, sinceMs: atMs, times: 1 });
}

/** The last records of a day, the newest first. It needs the permission `logs:FilterLogEvents`. */
export function lastRecords(
  aws: Connection,
  { logGroupName }: FoundRedrive,
  nowMs: number,
): Promise<MaybeKnown<readonly RepeatedRecord[]>> {
  return aws.unread.read(LOG, logGroupName, () => recordsIn(aws, logGroupName, nowMs));
}

async function recordsIn(aws: Connection, logGroupName: string, nowMs: number): Promise<readonly RepeatedRecord[]> {
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
