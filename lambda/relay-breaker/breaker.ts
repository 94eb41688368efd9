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
import type { NowMs } from '../../mover/aws/clock';
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

/** The most alarms that one call names, and that one answer has. */
const MAX_ALARMS = 100;

export interface MappingChange {
  readonly enabled: boolean;
  readonly maximumConcurrency: number;
}

export interface BreakerPorts {
  readonly facts: () => Promise<BreakerFacts>;
  readonly mapping: () => Promise<MappingFacts>;
  /** Changes the mapping. Resolves with undefined if Lambda is still making another change. */
  readonly change: (change: MappingChange) => Promise<MappingFacts | undefined>;
  /** Makes the relay try one message. */
  readonly probe: () => Promise<ProbeOutcome>;
  /** Makes the relay dead-letter the messages that are about to expire. */
  readonly drain: Drain;
  readonly nowMs: NowMs;
  /** The retention period of the relay's queue. */
  readonly retentionMs: number;
  readonly writeState: (state: number) => void;
  readonly log: Log;
}

export interface BreakerRun {
  /** When EventBridge scheduled it. @default - an alarm or an operator started it, and the clock counts */
  readonly tickAtMs?: number | undefined;
  /** The time that is left for it. */
  readonly remainingMs: () => number;
}

/**
 * Moves a relay's breaker by one step. The function keeps no state: the state is that of the event source mapping. So it
 * may be invoked at any time, twice at once, or again after it died.
 */
export async function runBreaker(ports: BreakerPorts, { tickAtMs, remainingMs }: BreakerRun): Promise<void> {
  const { facts, change, writeState, log } = ports;
  const read = await facts();
  const seen = { ...read, nowMs: tickAtMs ?? read.nowMs };
  const decision = await decide(seen, ports);
  const { did, reason, change: wanted, found = seen.mapping } = decision;
  const changed = wanted && (await change(wanted));
  const from = breakerState(seen.mapping, seen.configuredConcurrency);
  const to = breakerState(changed ?? found, seen.configuredConcurrency);
  writeState(BREAKER_STATES[to]);
  const busy = wanted && !changed ? { left: 'Lambda is still changing the mapping; the next run tries again' } : {};
  log({ level: 'INFO', message: 'breaker', did, reason, from, to, alarm: seen.alarm.state, ...busy });
  const drained = await drainIfOpen(seen, decision, ports, remainingMs);
  if (drained) reportDrain(drained, log);
}

interface Decision {
  readonly did: string;
  readonly reason: string;
  /** @default - the mapping is not changed */
  readonly change?: MappingChange;
  /** The mapping after the probe. @default - as it was before */
  readonly found?: MappingFacts;
  /** A message that the probe tried and that is still in the queue. */
  readonly left?: Message;
}

function isSame(one: MappingFacts, other: MappingFacts): boolean {
  return (
    one.state === other.state &&
    one.maximumConcurrency === other.maximumConcurrency &&
    one.lastModifiedAtMs === other.lastModifiedAtMs
  );
}

/** A probe takes time. Meanwhile an operator may have stopped the relay, or another run may have started or stopped it. */
async function enableAfterProbe(enabling: Decision, seen: BreakerFacts, { mapping }: BreakerPorts): Promise<Decision> {
  const found = await mapping();
  if (isSame(found, seen.mapping)) return enabling;
  return { did: 'probe', reason: `${enabling.reason}, but the mapping was changed meanwhile`, found };
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

/** If the relay stays stopped, dead-letters the messages that would expire in its queue. */
async function drainIfOpen(
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

function reportDrain({ errors, ...counts }: DrainResult, log: Log): void {
  log({ level: counts.givenUp + counts.failed > 0 ? 'WARN' : 'INFO', message: 'expiring', ...counts });
  const [error] = errors;
  if (errors.length > 1) throw new AggregateError(errors, `${errors.length} errors, first ${String(error)}`);
  if (error !== undefined) throw error;
}

function mappingFactsOf({ State = '', ScalingConfig, LastModified }: EventSourceMappingConfiguration): MappingFacts {
  return {
    state: State,
    maximumConcurrency: ScalingConfig?.MaximumConcurrency,
    lastModifiedAtMs: LastModified?.getTime() ?? 0,
  };
}

/**
 * Reads the event source mapping of the relay.
 * @see https://docs.aws.amazon.com/lambda/latest/api/API_GetEventSourceMapping.html
 */
export async function mappingFacts(client: LambdaClient, mappingId: string): Promise<MappingFacts> {
  return mappingFactsOf(await client.send(new GetEventSourceMappingCommand({ UUID: mappingId })));
}

/**
 * Returns a function that enables, disables or limits the mapping.
 * @see https://docs.aws.amazon.com/lambda/latest/api/API_UpdateEventSourceMapping.html
 */
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
 * Reads the states of alarms in one call. An alarm that does not exist is missing in the result.
 * @param alarmNames at most 100
 * @see https://docs.aws.amazon.com/AmazonCloudWatch/latest/APIReference/API_DescribeAlarms.html
 */
export async function alarmFacts(
  client: CloudWatchClient,
  alarmNames: readonly string[],
): Promise<ReadonlyMap<string, AlarmFacts>> {
  const { MetricAlarms = [] } = await client.send(
    new DescribeAlarmsCommand({ AlarmNames: [...alarmNames], MaxRecords: MAX_ALARMS }),
  );
  return new Map(
    MetricAlarms.flatMap(({ AlarmName = '', StateValue: state, StateTransitionedTimestamp, StateUpdatedTimestamp }) => {
      const since = StateTransitionedTimestamp ?? StateUpdatedTimestamp;
      return state ? [[AlarmName, { state, sinceMs: since?.getTime() ?? 0 }] as const] : [];
    }),
  );
}
