import { type CloudWatchClient, DescribeAlarmsCommand } from '@aws-sdk/client-cloudwatch';
import {
  type EventSourceMappingConfiguration,
  GetEventSourceMappingCommand,
  type LambdaClient,
  ResourceConflictException,
  ResourceInUseException,
  UpdateEventSourceMappingCommand,
} from '@aws-sdk/client-lambda';
import type { Message } from '@aws-sdk/client-sqs';
import type { Context } from 'aws-lambda';
import type { NowMs } from '../../mover/clock';
import {
  type AlarmFacts,
  afterProbe,
  BREAKER_STATES,
  type BreakerFacts,
  breakerState,
  breakerStep,
  type MappingFacts,
  OPEN_CONCURRENCY,
} from '../../policy/relay/breaker';
import { isExpiring, isSweepDue } from '../../policy/relay/relay-schedule';
import type { Log } from '../shared/log';
import type { Drain, DrainResult } from './drain';
import type { ProbeOutcome } from './relay-client';

/** A change of the mapping, made in one call. */
export interface MappingChange {
  readonly enabled: boolean;
  readonly maximumConcurrency: number;
}

/** What the breaker needs of the world. */
export interface BreakerPorts {
  readonly facts: () => Promise<BreakerFacts>;
  /** Changes the mapping; undefined where Lambda is still at another change of it. */
  readonly change: (change: MappingChange) => Promise<MappingFacts | undefined>;
  /** Lets the relay try one message. */
  readonly probe: () => Promise<ProbeOutcome>;
  /** Lets the relay give up what is expiring. */
  readonly drain: Drain;
  readonly nowMs: NowMs;
  /** How long the relay's queue keeps a message. */
  readonly retentionMs: number;
  /** Tells CloudWatch the number of the breaker's state. */
  readonly tellState: (state: number) => void;
  readonly log: Log;
}

/** What the breaker did, and why. */
interface Decision {
  readonly did: string;
  readonly reason: string;
  /** @default - the mapping stays as it is */
  readonly change?: MappingChange;
  /** How the mapping was found to be in the end. @default - as it was at first */
  readonly found?: MappingFacts;
  /** A message that was tried, and that the queue still has. */
  readonly left?: Message;
}

function isSame(one: MappingFacts, other: MappingFacts): boolean {
  return (
    one.state === other.state &&
    one.maximumConcurrency === other.maximumConcurrency &&
    one.lastModifiedAtMs === other.lastModifiedAtMs
  );
}

/** A probe takes its time, in which somebody may have stopped the relay by hand, or another run started or stopped it. */
async function enableAfterProbe(enabling: Decision, seen: BreakerFacts, { facts }: BreakerPorts): Promise<Decision> {
  const { mapping } = await facts();
  if (isSame(mapping, seen.mapping)) return enabling;
  return { did: 'probe', reason: `${enabling.reason}, but the mapping was changed meanwhile`, found: mapping };
}

async function probe(seen: BreakerFacts, ports: BreakerPorts): Promise<Decision> {
  const { result, left } = await ports.probe();
  const after = afterProbe(result, seen);
  if (after.kind === 'leave') return { did: 'probe', reason: after.reason, ...(left && { left }) };
  const { maximumConcurrency, reason } = after;
  const did = seen.mapping.state === 'Enabled' ? 'widen' : 'half-open';
  return enableAfterProbe({ did, reason, change: { enabled: true, maximumConcurrency } }, seen, ports);
}

async function decide(seen: BreakerFacts, ports: BreakerPorts): Promise<Decision> {
  const step = breakerStep(seen);
  switch (step.kind) {
    case 'leave':
      return { did: 'leave', reason: step.reason };
    case 'open':
      return { did: 'open', reason: step.reason, change: { enabled: false, maximumConcurrency: OPEN_CONCURRENCY } };
    case 'probe':
      return probe(seen, ports);
  }
}

/** Where the relay stays stopped: what its queue would drop meanwhile is given up. */
async function drainOpen(
  seen: BreakerFacts,
  { change, left }: Decision,
  { drain, nowMs, retentionMs }: BreakerPorts,
  remainingMs: () => number,
): Promise<DrainResult | undefined> {
  if (change || breakerState(seen.mapping, seen.configuredConcurrency) !== 'open') return undefined;
  const isSweep = isSweepDue(seen.nowMs, retentionMs, seen.tickMs);
  const held = left && isExpiring(Number(left.Attributes?.SentTimestamp), nowMs(), retentionMs) ? [left] : [];
  return isSweep || held.length > 0 ? drain({ held, isSweep, remainingMs }) : undefined;
}

/**
 * When EventBridge meant a tick to be; undefined of anything else that runs the function. A tick comes late by seconds, and
 * not always by as many: two of them may be further apart than `tickMs`, and what is due at one tick of several would now and
 * then be due at none. AWS promises nothing of that time; where it is late as well, it is as good as the clock.
 * @see https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-create-rule-schedule.html
 */
function tickedAtMs(event: unknown): number | undefined {
  const { source, time } = Object(event) as Readonly<Record<string, unknown>>;
  const isTick = source === 'aws.events' && typeof time === 'string' && time.endsWith('Z');
  const atMs = isTick ? new Date(time).getTime() : Number.NaN;
  return Number.isNaN(atMs) ? undefined : atMs;
}

/** @throws what went wrong on the way: it is to count as an error of the function, for which there is an alarm */
function tellOfDrain({ errors, ...reported }: DrainResult, log: Log): void {
  log({ level: reported.givenUp + reported.failed > 0 ? 'WARN' : 'INFO', message: 'expiring', ...reported });
  const [error] = errors;
  if (errors.length > 1) throw new AggregateError(errors, `${errors.length} errors, first ${String(error)}`);
  if (error !== undefined) throw error;
}

/**
 * Moves a relay's breaker by one step. It keeps no state of its own, so that it may run at any time, twice at once, or again
 * after it broke off: whatever it left half done is a state of the mapping from which the next run goes on.
 */
export function breakerHandler(
  ports: BreakerPorts,
): (event: unknown, context: Pick<Context, 'getRemainingTimeInMillis'>) => Promise<void> {
  const { facts, change, tellState, log } = ports;
  return async (event, context) => {
    const seen = await facts();
    const decision = await decide(seen, ports);
    const { did, reason, change: wanted, found = seen.mapping } = decision;
    const changed = wanted && (await change(wanted));
    const from = breakerState(seen.mapping, seen.configuredConcurrency);
    const to = breakerState(changed ?? found, seen.configuredConcurrency);
    tellState(BREAKER_STATES[to]);
    const busy = wanted && !changed ? { left: 'the mapping is being changed: the next run goes on' } : {};
    log({ level: 'INFO', message: 'breaker', did, reason, from, to, alarm: seen.alarm.state, ...busy });
    const ticked = { ...seen, nowMs: tickedAtMs(event) ?? seen.nowMs };
    const drained = await drainOpen(ticked, decision, ports, () => context.getRemainingTimeInMillis());
    if (drained) tellOfDrain(drained, log);
  };
}

function mappingFactsOf({ State = '', ScalingConfig, LastModified }: EventSourceMappingConfiguration): MappingFacts {
  return {
    state: State,
    maximumConcurrency: ScalingConfig?.MaximumConcurrency,
    lastModifiedAtMs: LastModified?.getTime() ?? 0,
  };
}

/** @see https://docs.aws.amazon.com/lambda/latest/api/API_GetEventSourceMapping.html */
export async function mappingFacts(client: LambdaClient, mappingId: string): Promise<MappingFacts> {
  return mappingFactsOf(await client.send(new GetEventSourceMappingCommand({ UUID: mappingId })));
}

/** @see https://docs.aws.amazon.com/lambda/latest/api/API_UpdateEventSourceMapping.html */
export function mappingChanger(client: LambdaClient, mappingId: string): BreakerPorts['change'] {
  return async ({ enabled, maximumConcurrency }) => {
    const ScalingConfig = { MaximumConcurrency: maximumConcurrency };
    try {
      const command = new UpdateEventSourceMappingCommand({ UUID: mappingId, Enabled: enabled, ScalingConfig });
      return mappingFactsOf(await client.send(command));
    } catch (error) {
      if (error instanceof ResourceInUseException || error instanceof ResourceConflictException) return undefined;
      throw error;
    }
  };
}

/**
 * @throws Error where there is no such alarm
 * @see https://docs.aws.amazon.com/AmazonCloudWatch/latest/APIReference/API_DescribeAlarms.html
 */
export async function alarmFacts(client: CloudWatchClient, alarmName: string): Promise<AlarmFacts> {
  const { MetricAlarms = [] } = await client.send(new DescribeAlarmsCommand({ AlarmNames: [alarmName] }));
  const [alarm] = MetricAlarms;
  if (!alarm?.StateValue) throw new Error(`there is no alarm ${alarmName}`);
  const since = alarm.StateTransitionedTimestamp ?? alarm.StateUpdatedTimestamp;
  return { state: alarm.StateValue, sinceMs: since?.getTime() ?? 0 };
}
