import type { CloudWatchClient } from '@aws-sdk/client-cloudwatch';
import type { LambdaClient } from '@aws-sdk/client-lambda';
import type { SQSClient } from '@aws-sdk/client-sqs';
import type { SSMClient } from '@aws-sdk/client-ssm';
import { METRIC_POINTS_LATE_MS, MOVE_TASK_LIMITS } from '../../policy/aws-limits';
import { totalOf } from '../../policy/redrive/budget';
import { sentSinceMsOf, settledAtMsOf } from '../../policy/redrive/plan-redrive';
import type { DestinationFacts, MoveFacts, RedriveFacts, RedriveTrigger } from '../../policy/redrive/redrive-facts';
import { quietForMs } from '../../policy/redrive/redrive-runs';
import type { QueueName, RedriveSettings } from '../../policy/redrive/redrive-settings';
import { DAY_MS, MINUTE_MS } from '../../policy/time-units';
import { TolerantReader } from '../aws/aws-calls';
import type { NowMs } from '../aws/clock';
import { deletedSince, messagesHeldAt, oldestAgeSeconds, type ReadMetrics, sentSince } from '../aws/metrics';
import { listMoveTasks } from '../aws/move-tasks';
import { readAlarmFacts, readKillSwitch, readMapping, readQueueDepth, unreadAlarms } from '../aws/resource-state';
import {
  activeMoves,
  activeWithin,
  type FirstFacts,
  isIdleQueue,
  minutesSeenMoving,
  passesMatterFromMs,
  recentlyActiveWithin,
} from './activity';
import { failuresAtStart, passFacts } from './own-metrics';

export interface FactClients {
  readonly sqs: SQSClient;
  readonly cloudWatch: CloudWatchClient;
  readonly figures: ReadMetrics;
  readonly lambda: LambdaClient;
  readonly ssm: SSMClient;
}

/** What was read, and what could not be. */
export interface FactReading {
  /** A value that AWS did not return has the value that makes continuing least likely. */
  readonly facts: RedriveFacts;
  /** The same facts, with healthy values instead of unread ones. */
  readonly ifUnreadWereHealthy: RedriveFacts;
  /** The reasons of failed reads, in AWS's words. */
  readonly unread: readonly string[];
}

export interface FactReader {
  /**
   * Whether the queue is still empty, a short time after `isQuiet` was true. This takes one call, and most ticks need no more. It is
   * false if it cannot be read: `readFirst` then throws the reason.
   */
  readonly isStillQuiet: () => Promise<boolean>;
  /**
   * Reads the queue depth and the move tasks.
   * @throws the error of AWS: without these two the function can do nothing
   */
  readonly readFirst: () => Promise<FirstFacts>;
  /** Whether there is nothing to do, so that nothing more has to be read. */
  readonly isQuiet: (first: FirstFacts) => Promise<boolean>;
  readonly readAll: (first: FirstFacts, trigger: RedriveTrigger) => Promise<FactReading>;
  /** Reads again what may stop a running pass. Earlier passes are taken from `facts`. */
  readonly readAgain: (facts: RedriveFacts, movePass: MoveFacts) => Promise<FactReading>;
}

export function factReader(
  clients: FactClients,
  settings: RedriveSettings,
  functionName: string,
  nowMs: NowMs,
): FactReader {
  return new AwsFactReader(clients, settings, functionName, nowMs);
}

const NO_MESSAGES = { visible: 0, inFlight: 0, delayed: 0 };

/** Returns the facts with healthy values for everything that could not be read. */
export function assumingUnreadIsHealthy(facts: RedriveFacts, reading: TolerantReader): RedriveFacts {
  const { killSwitch, destination, alarms, mappings } = facts;
  const hasNoDepth = destination === undefined && reading.hasFailed('GetQueueAttributes');
  return {
    ...facts,
    killSwitch: reading.hasFailed('GetParameter') ? 'on' : killSwitch,
    destination: hasNoDepth ? { depth: NO_MESSAGES } : destination,
    alarms: alarms.map(alarm => (alarm.state === 'unread' ? { ...alarm, state: 'OK' } : alarm)),
    mappings: mappings.map(mapping => (mapping.state === 'unread' ? { ...mapping, state: 'Enabled' } : mapping)),
  };
}

const isTask = ({ carrier }: MoveFacts): boolean => carrier === 'task';

function newestFirst(moves: readonly MoveFacts[]): readonly MoveFacts[] {
  return moves.toSorted((one, other) => other.startedAtMs - one.startedAtMs);
}

class AwsFactReader implements FactReader {
  private quietUntilMs = 0;

  constructor(
    private readonly clients: FactClients,
    private readonly settings: RedriveSettings,
    private readonly functionName: string,
    private readonly nowMs: NowMs,
  ) {}

  readonly isStillQuiet = async (): Promise<boolean> => {
    if (this.nowMs() >= this.quietUntilMs) return false;
    const { url } = this.settings.deadLetters;
    const readDepth = () => readQueueDepth(this.clients.sqs, url);
    const depth = await new TolerantReader().readOr('GetQueueAttributes', readDepth, undefined);
    return depth !== undefined && totalOf(depth) === 0;
  };

  readonly readFirst = async (): Promise<FirstFacts> => {
    const { sqs } = this.clients;
    const { arn, url } = this.settings.deadLetters;
    const [tasks, deadLetters] = await Promise.all([listMoveTasks(sqs, arn), readQueueDepth(sqs, url)]);
    return { nowMs: this.nowMs(), deadLetters, tasks };
  };

  readonly isQuiet = async (first: FirstFacts): Promise<boolean> => {
    const isQuiet = await this.hasNothingToDo(first);
    if (isQuiet) this.quietUntilMs = first.nowMs + quietForMs(this.settings);
    return isQuiet;
  };

  private async hasNothingToDo(first: FirstFacts): Promise<boolean> {
    const { nowMs, tasks } = first;
    if (!isIdleQueue(first, this.settings)) return false;
    const recently = recentlyActiveWithin(tasks, nowMs, this.settings);
    const seen = recently ? await this.minutesMoving(recently, new TolerantReader()) : [];
    if (seen?.length !== 0) return false;
    // Each metric that is read costs money. A function that moves nothing itself has no passes to read.
    if (!this.settings.mayMoveMessages) return true;
    const passes = await this.passes(passesMatterFromMs(nowMs, this.settings), nowMs, new TolerantReader());
    return passes?.length === 0;
  }

  readonly readAll = async (first: FirstFacts, trigger: RedriveTrigger): Promise<FactReading> => {
    this.quietUntilMs = 0;
    const reading = new TolerantReader();
    const { deadLetters, tasks, nowMs } = first;
    const active = activeWithin(tasks, nowMs);
    const [passes, seen] = await Promise.all([
      this.passes(nowMs - DAY_MS, nowMs, reading),
      active ? this.minutesMoving(active, reading) : [],
    ]);
    const moves = activeMoves(newestFirst([...tasks, ...(passes ?? [])]), seen, nowMs, this.settings);
    const [oldestTask] = tasks.slice(MOVE_TASK_LIMITS.listedTasks - 1);
    const isMovesComplete = passes !== undefined && (oldestTask?.startedAtMs ?? 0) <= nowMs - DAY_MS;
    const settledAtMs = settledAtMsOf(this.settings, moves);
    const hasMetrics = settledAtMs !== undefined && nowMs > settledAtMs + METRIC_POINTS_LATE_MS;
    const settled = hasMetrics ? settledAtMs : undefined;
    const [state, deadLettersWhenSettled] = await Promise.all([
      this.changingState(moves, settled, reading),
      this.heldWhen(settled, this.settings.deadLetters, reading),
    ]);
    const facts: RedriveFacts = {
      ...state,
      trigger,
      deadLetters,
      moves,
      isMovesComplete,
      ...(deadLettersWhenSettled !== undefined && { deadLettersWhenSettled }),
      // The latest time: a task that runs has run at most until now.
      nowMs: this.nowMs(),
    };
    return { facts, ifUnreadWereHealthy: assumingUnreadIsHealthy(facts, reading), unread: reading.unread };
  };

  readonly readAgain = async (before: RedriveFacts, movePass: MoveFacts): Promise<FactReading> => {
    const reading = new TolerantReader();
    const { sqs } = this.clients;
    const { arn, url } = this.settings.deadLetters;
    const [earlierTasks, passes] = [before.moves.filter(isTask), before.moves.filter(move => !isTask(move))];
    const [tasks, deadLetters] = await Promise.all([
      reading.readOr('ListMessageMoveTasks', () => listMoveTasks(sqs, arn), earlierTasks),
      reading.readOr('GetQueueAttributes', () => readQueueDepth(sqs, url), before.deadLetters),
    ]);
    const moves = newestFirst([movePass, ...tasks, ...passes]);
    const state = await this.changingState(moves, undefined, reading);
    const facts: RedriveFacts = { ...before, ...state, moves, deadLetters, nowMs: this.nowMs() };
    return { facts, ifUnreadWereHealthy: assumingUnreadIsHealthy(facts, reading), unread: reading.unread };
  };

  /** Everything that may change while messages move. */
  private async changingState(moves: readonly MoveFacts[], settledAtMs: number | undefined, reading: TolerantReader) {
    const [health, destination, failures] = await Promise.all([
      this.health(reading),
      this.destination(moves, this.nowMs(), reading),
      this.failures(moves, settledAtMs, reading),
    ]);
    return { ...health, destination, ...(failures && { failures }) };
  }

  /** Undefined if the metrics cannot be read. */
  private minutesMoving(
    within: Parameters<typeof minutesSeenMoving>[2],
    reading: TolerantReader,
  ): Promise<readonly number[] | undefined> {
    const { clients, functionName } = this;
    return reading.readOr('GetMetricData', () => minutesSeenMoving(clients.figures, functionName, within), undefined);
  }

  /** Undefined if the metrics cannot be read. */
  private passes(fromMs: number, nowMs: number, reading: TolerantReader): Promise<readonly MoveFacts[] | undefined> {
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
    const metric = (read: () => Promise<number | undefined>) => reading.readOr('GetMetricData', read, undefined);
    const [depth, age, deleted, sent] = await Promise.all([
      reading.readOr('GetQueueAttributes', readDepth, undefined),
      maxAgeSeconds === undefined ? undefined : metric(readAge),
      newest && proofOfHealth ? metric(readDeleted(newest.startedAtMs)) : undefined,
      sentFromMs !== undefined && proofOfHealth ? metric(readSent(sentFromMs)) : undefined,
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
    // A failed message is never delayed, and the metrics it is compared with do not contain delayed messages either.
    const now = depth.visible + depth.inFlight;
    return { now, ...(atStart !== undefined && { atStart }), ...(whenSettled !== undefined && { whenSettled }) };
  }

  /** The messages a queue held in the minute of `atMs`. */
  private heldWhen(atMs: number | undefined, queue: QueueName, reading: TolerantReader): Promise<number | undefined> {
    if (atMs === undefined) return Promise.resolve(undefined);
    return reading.readOr(
      'GetMetricData',
      () => messagesHeldAt(this.clients.figures, queue, atMs + MINUTE_MS),
      undefined,
    );
  }
}
