import type { CloudWatchClient } from '@aws-sdk/client-cloudwatch';
import type { LambdaClient } from '@aws-sdk/client-lambda';
import type { SQSClient } from '@aws-sdk/client-sqs';
import type { SSMClient } from '@aws-sdk/client-ssm';
import { assumingUnreadIsHealthy } from '../../lambda/redrive/plan';
import { DAY_MS } from '../../policy/redrive/budget';
import { sentSinceMsOf, settledAtMsOf } from '../../policy/redrive/plan-redrive';
import type {
  DestinationFacts,
  MoveFacts,
  QueueDepth,
  RedriveFacts,
  RedriveTrigger,
} from '../../policy/redrive/redrive-facts';
import type { QueueName, RedriveSettings } from '../../policy/redrive/redrive-settings';
import { TolerantReader } from '../aws-calls';
import type { NowMs } from '../clock';
import { listMoveTasks, MAX_LISTED_TASKS } from '../move-tasks';
import {
  activeMoves,
  activeWithin,
  isIdleQueue,
  minutesSeenMoving,
  passesMatterFromMs,
  recentlyActiveWithin,
} from './activity';
import {
  deletedSince,
  failuresAtStart,
  METRICS_LATE_MS,
  MINUTE_MS,
  messagesHeldAt,
  oldestAgeSeconds,
  passFacts,
  type ReadMetrics,
  sentSince,
} from './metrics';
import { readAlarmFacts, readKillSwitch, readMapping, readQueueDepth, unreadAlarms } from './resource-state';

/** Who is asked for the facts. */
export interface FactClients {
  readonly sqs: SQSClient;
  readonly cloudWatch: CloudWatchClient;
  /** CloudWatch's figures. */
  readonly figures: ReadMetrics;
  readonly lambda: LambdaClient;
  readonly ssm: SSMClient;
}

/** What every run of the function looks at, and most runs look no further. */
export interface FirstFacts {
  readonly nowMs: number;
  readonly deadLetters: QueueDepth | undefined;
  /** The newest first. */
  readonly tasks: readonly MoveFacts[];
}

/** All that was seen, and what could not be. */
export interface FactReading {
  /** What AWS does not tell is taken as it speaks least for going on. */
  readonly facts: RedriveFacts;
  /** The same, where that is taken for well. */
  readonly ifUnreadWereHealthy: RedriveFacts;
  /** In AWS's words. */
  readonly unread: readonly string[];
}

/** How the function sees AWS. */
export interface FactReader {
  /** @throws what AWS answers: who cannot see the queue and its tasks can do nothing */
  readonly readFirst: () => Promise<FirstFacts>;
  /** Whether nothing is there to be seen to, and nothing more need be asked. */
  readonly isQuiet: (look: FirstFacts) => Promise<boolean>;
  readonly readAll: (look: FirstFacts, trigger: RedriveTrigger) => Promise<FactReading>;
  /** What the stint may have to stop for that goes on, looked at anew; earlier stints are as they were. */
  readonly readAgain: (facts: RedriveFacts, movePass: MoveFacts) => Promise<FactReading>;
}

const isTask = ({ carrier }: MoveFacts): boolean => carrier === 'task';

function newestFirst(moves: readonly MoveFacts[]): readonly MoveFacts[] {
  return moves.toSorted((one, other) => other.startedAtMs - one.startedAtMs);
}

/** Asks AWS for the facts of one redrive. */
class AwsFactReader implements FactReader {
  constructor(
    private readonly clients: FactClients,
    private readonly settings: RedriveSettings,
    /** The function's own, by which its metrics go. */
    private readonly functionName: string,
    private readonly nowMs: NowMs,
  ) {}

  readonly readFirst = async (): Promise<FirstFacts> => {
    const { sqs } = this.clients;
    const { arn, url } = this.settings.deadLetters;
    const [tasks, deadLetters] = await Promise.all([listMoveTasks(sqs, arn), readQueueDepth(sqs, url)]);
    return { nowMs: this.nowMs(), deadLetters, tasks };
  };

  readonly isQuiet = async (look: FirstFacts): Promise<boolean> => {
    if (!isIdleQueue(look, this.settings)) return false;
    const ofLate = recentlyActiveWithin(look.tasks, look.nowMs, this.settings);
    const seen = ofLate ? await this.seenMoving(ofLate, new TolerantReader()) : [];
    if (seen?.length !== 0) return false;
    // Each figure has its price, and a function that moves nothing itself has none to ask for.
    if (!this.settings.mayCarry) return true;
    const movePasses = await this.movePasses(
      passesMatterFromMs(look.nowMs, this.settings),
      look.nowMs,
      new TolerantReader(),
    );
    return movePasses?.length === 0;
  };

  readonly readAll = async (look: FirstFacts, trigger: RedriveTrigger): Promise<FactReading> => {
    const reading = new TolerantReader();
    const { deadLetters, tasks, nowMs } = look;
    const active = activeWithin(tasks, nowMs);
    const [movePasses, seen] = await Promise.all([
      this.movePasses(nowMs - DAY_MS, nowMs, reading),
      active ? this.seenMoving(active, reading) : [],
    ]);
    const moves = activeMoves(newestFirst([...tasks, ...(movePasses ?? [])]), seen, nowMs, this.settings);
    const [oldestTask] = tasks.slice(MAX_LISTED_TASKS - 1);
    const isMovesComplete = movePasses !== undefined && (oldestTask?.startedAtMs ?? 0) <= nowMs - DAY_MS;
    const settledAtMs = settledAtMsOf(this.settings, moves);
    const hasFigures = settledAtMs !== undefined && nowMs > settledAtMs + METRICS_LATE_MS;
    const settled = hasFigures ? settledAtMs : undefined;
    const [surroundings, deadLettersWhenSettled] = await Promise.all([
      this.surroundings(moves, settled, reading),
      this.heldWhen(settled, this.settings.deadLetters, reading),
    ]);
    const facts: RedriveFacts = {
      ...surroundings,
      trigger,
      deadLetters,
      moves,
      isMovesComplete,
      ...(deadLettersWhenSettled !== undefined && { deadLettersWhenSettled }),
      // The latest instant: whatever runs has run for no longer than until now.
      nowMs: this.nowMs(),
    };
    return { facts, ifUnreadWereHealthy: assumingUnreadIsHealthy(facts, reading), unread: reading.unread };
  };

  readonly readAgain = async (before: RedriveFacts, movePass: MoveFacts): Promise<FactReading> => {
    const reading = new TolerantReader();
    const { sqs } = this.clients;
    const { arn, url } = this.settings.deadLetters;
    const [earlierTasks, movePasses] = [before.moves.filter(isTask), before.moves.filter(move => !isTask(move))];
    const [tasks, deadLetters] = await Promise.all([
      reading.readOr('ListMessageMoveTasks', () => listMoveTasks(sqs, arn), earlierTasks),
      reading.readOr('GetQueueAttributes', () => readQueueDepth(sqs, url), before.deadLetters),
    ]);
    const moves = newestFirst([movePass, ...tasks, ...movePasses]);
    const surroundings = await this.surroundings(moves, undefined, reading);
    const facts: RedriveFacts = { ...before, ...surroundings, moves, deadLetters, nowMs: this.nowMs() };
    return { facts, ifUnreadWereHealthy: assumingUnreadIsHealthy(facts, reading), unread: reading.unread };
  };

  /** How everything is that a move has to do with, the newest in particular. */
  private async surroundings(moves: readonly MoveFacts[], settledAtMs: number | undefined, reading: TolerantReader) {
    const [health, destination, failures] = await Promise.all([
      this.health(reading),
      this.destination(moves, this.nowMs(), reading),
      this.failures(moves, settledAtMs, reading),
    ]);
    return { ...health, destination, ...(failures && { failures }) };
  }

  /** Undefined where nobody can tell. */
  private seenMoving(
    within: Parameters<typeof minutesSeenMoving>[2],
    reading: TolerantReader,
  ): Promise<readonly number[] | undefined> {
    const { clients, functionName } = this;
    return reading.readOr('GetMetricData', () => minutesSeenMoving(clients.figures, functionName, within), undefined);
  }

  /** Undefined where nobody can tell. */
  private movePasses(
    fromMs: number,
    nowMs: number,
    reading: TolerantReader,
  ): Promise<readonly MoveFacts[] | undefined> {
    const { carrier, destination, functionTimeoutMs } = this.settings;
    const of = {
      functionName: this.functionName,
      functionTimeoutMs,
      carrier: carrier === 'replay' ? carrier : ('copy' as const),
      destinationArn: destination.arn,
    };
    return reading.readOr('GetMetricData', () => passFacts(this.clients.figures, of, fromMs, nowMs), undefined);
  }

  private async health(reading: TolerantReader): Promise<Pick<RedriveFacts, 'killSwitch' | 'alarms' | 'mappings'>> {
    const { cloudWatch, lambda, ssm } = this.clients;
    const { mappingIds } = this.settings;
    const readAlarms = () => readAlarmFacts(cloudWatch, this.settings, this.nowMs() - DAY_MS);
    const [killSwitchIs, alarms, mappings] = await Promise.all([
      reading.readOr('GetParameter', () => readKillSwitch(ssm, this.settings), 'unknown'),
      reading.readOr('DescribeAlarms', readAlarms, unreadAlarms(this.settings)),
      Promise.all(
        mappingIds.map(id =>
          reading.readOr('GetEventSourceMapping', () => readMapping(lambda, id), { id, state: 'unread' }),
        ),
      ),
    ]);
    return { killSwitch: killSwitchIs, alarms, mappings };
  }

  private async destination(
    moves: readonly MoveFacts[],
    nowMs: number,
    reading: TolerantReader,
  ): Promise<DestinationFacts | undefined> {
    const [newest] = moves;
    const sentFromMs = sentSinceMsOf(this.settings, moves, nowMs);
    const { destination, maxAgeSeconds, proofOfHealth } = this.settings;
    if (destination.kind === 'function') return undefined;
    const readDepth = () => readQueueDepth(this.clients.sqs, destination.url);
    const readAge = () => oldestAgeSeconds(this.clients.figures, destination, nowMs);
    const readDeleted = (sinceMs: number) => () => deletedSince(this.clients.figures, destination, sinceMs, nowMs);
    const readSent = (sinceMs: number) => () => sentSince(this.clients.figures, destination, sinceMs, nowMs);
    const figure = (read: () => Promise<number | undefined>) => reading.readOr('GetMetricData', read, undefined);
    const [depth, age, deleted, sent] = await Promise.all([
      reading.readOr('GetQueueAttributes', readDepth, undefined),
      maxAgeSeconds === undefined ? undefined : figure(readAge),
      newest && proofOfHealth ? figure(readDeleted(newest.startedAtMs)) : undefined,
      sentFromMs !== undefined && proofOfHealth ? figure(readSent(sentFromMs)) : undefined,
    ]);
    return (
      depth && {
        depth,
        ...(age !== undefined && { oldestAgeSeconds: age }),
        ...(deleted !== undefined && { deleted }),
        ...(sent !== undefined && { sentSince: sent }),
      }
    );
  }

  private async failures(
    [newest]: readonly MoveFacts[],
    settledAtMs: number | undefined,
    reading: TolerantReader,
  ): Promise<RedriveFacts['failures']> {
    const { failures, deadLetters } = this.settings;
    if (!failures || failures.arn === deadLetters.arn) return undefined;
    const readAtStart = (startedAtMs: number) => () =>
      failuresAtStart(this.clients.figures, this.functionName, failures, startedAtMs);
    const [depth, atStart, whenSettled] = await Promise.all([
      reading.readOr('GetQueueAttributes', () => readQueueDepth(this.clients.sqs, failures.url), undefined),
      newest && reading.readOr('GetMetricData', readAtStart(newest.startedAtMs), undefined),
      this.heldWhen(settledAtMs, failures, reading),
    ]);
    if (!depth) return undefined;
    // Nothing that failed is ever delayed, and CloudWatch was not asked for what is.
    const now = depth.visible + depth.inFlight;
    return { now, ...(atStart !== undefined && { atStart }), ...(whenSettled !== undefined && { whenSettled }) };
  }

  /** What a queue held in the minute of an instant. */
  private heldWhen(atMs: number | undefined, queue: QueueName, reading: TolerantReader): Promise<number | undefined> {
    if (atMs === undefined) return Promise.resolve(undefined);
    return reading.readOr(
      'GetMetricData',
      () => messagesHeldAt(this.clients.figures, queue, atMs + MINUTE_MS),
      undefined,
    );
  }
}

export function factReader(
  clients: FactClients,
  settings: RedriveSettings,
  functionName: string,
  nowMs: NowMs,
): FactReader {
  return new AwsFactReader(clients, settings, functionName, nowMs);
}
