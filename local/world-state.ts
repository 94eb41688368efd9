import { isoInstant } from './kernel/clock';
import type { World } from './world';

/** What there is in a world, and how it is, as plain JSON. */
export interface WorldState {
  /** `2026-01-01T00:00:00.000Z`, in virtual time. */
  readonly now: string;
  /** Milliseconds since the Unix epoch. */
  readonly nowMs: number;
  readonly account: string;
  readonly region: string;
  readonly queues: readonly QueueState[];
  readonly topics: readonly TopicState[];
  readonly functions: readonly { readonly name: string; readonly arn: string }[];
  readonly alarms: readonly AlarmSummary[];
  /** Hosts outside of AWS that were scripted, or reached, so far. */
  readonly endpoints: readonly { readonly host: string; readonly requests: number }[];
}

export interface QueueState {
  readonly name: string;
  readonly arn: string;
  readonly url: string;
  /** Messages that can be received. */
  readonly visible: number;
  readonly inFlight: number;
  readonly delayed: number;
}

export interface TopicState {
  readonly name: string;
  readonly arn: string;
  readonly subscriptions: number;
}

export interface AlarmSummary {
  readonly name: string;
  readonly state: string;
  readonly reason: string;
  /** When it came into this state. */
  readonly since: string;
}

/** Reads the world without calling any service: faults do not hide it, and the trace does not grow by it. */
export function worldState({ place, timeline, sqs, sns, lambda, cloudWatch, outside }: World): WorldState {
  const { account, region } = place;
  return {
    now: isoInstant(timeline.nowMs),
    nowMs: timeline.nowMs,
    account,
    region,
    queues: sqs.depths().map(({ name, arn, url, visible, inFlight, delayed }) => {
      return { name, arn, url, visible, inFlight, delayed };
    }),
    topics: sns.topics().map(({ name, arn, subscriptions }) => ({ name, arn, subscriptions })),
    functions: lambda.functions().map(({ functionName, functionArn }) => ({ name: functionName, arn: functionArn })),
    alarms: cloudWatch.alarms().map(({ name, state }) => {
      return { name, state: state.value, reason: state.reason, since: isoInstant(state.updatedAtMs) };
    }),
    endpoints: outside.all.map(({ hostName, requests }) => ({ host: hostName, requests: requests.length })),
  };
}
