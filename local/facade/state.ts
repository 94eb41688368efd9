import type { StandIn } from '../cloudformation';
import { alarmArn } from '../cloudwatch/alarms/alarm-configuration';
import { isoInstant } from '../kernel/clock';
import type { Simulation } from '../simulation';
import { urlAt } from '../wire';
import { type Unknown, unknownsOf } from './unknowns';

/** The state of a simulation, as plain JSON. */
export interface LocalAwsState {
  /** Virtual time, for example `2026-01-01T00:00:00.000Z`. */
  readonly now: string;
  /** Virtual time, in milliseconds since the Unix epoch. */
  readonly nowMs: number;
  /** The default account. */
  readonly account: string;
  /** The default Region. */
  readonly region: string;
  /** Every account and Region that has been used; the lists below hold the resources of all of them, in this order. */
  readonly places: readonly { readonly account: string; readonly region: string }[];
  readonly queues: readonly QueueState[];
  readonly topics: readonly TopicState[];
  readonly apis: readonly ApiState[];
  readonly functions: readonly { readonly name: string; readonly arn: string }[];
  readonly alarms: readonly AlarmSummary[];
  /** Subscriptions whose endpoints have not confirmed them yet. They receive nothing before that. */
  readonly pendingSubscriptions: readonly PendingSubscription[];
  /** Hosts outside AWS that were scripted or received a request. */
  readonly endpoints: readonly EndpointState[];
  /** What the deployed stacks have that is not simulated. */
  readonly standIns: readonly StandIn[];
  /** What therefore cannot be known about messages. */
  readonly unknowns: readonly Unknown[];
}

export interface QueueState {
  readonly name: string;
  readonly arn: string;
  readonly url: string;
  /** Messages that can be received. */
  readonly visible: number;
  readonly inFlight: number;
  readonly delayed: number;
  /** Receive calls that wait for a message. */
  readonly longPolls: number;
}

export interface TopicState {
  readonly name: string;
  readonly arn: string;
  readonly subscriptions: number;
}

export interface EndpointState {
  readonly host: string;
  readonly requests: number;
  /** Whether it behaves in another way than it does by default: `endpoint().behave`, or `PUT /_dlo/endpoints/HOST`. */
  readonly isScripted: boolean;
}

export interface PendingSubscription {
  readonly topicArn: string;
  readonly protocol: string;
  /** The endpoint, as `LocalAws.confirmSubscription` and `POST /_dlo/confirm` take it. */
  readonly endpoint: string;
}

/** A deployed stage of a REST API. */
export interface ApiState {
  /** The names of the API and of the stage. */
  readonly name: string;
  readonly url: string;
}

export interface AlarmSummary {
  readonly name: string;
  readonly arn: string;
  readonly state: string;
  readonly reason: string;
  /** When it entered this state. */
  readonly since: string;
}

/**
 * Reads the state without calling any service's API, so that faults do not hide it and the trace does not grow.
 *
 * @param reachedAt the base URL at which the reader reaches AWS, for example `http://127.0.0.1:4566`; URLs in the state
 *   use it. @default AWS's own hosts
 */
export function localAwsState(simulation: Simulation, reachedAt?: string): LocalAwsState {
  const { place, timeline, outside, all } = simulation;
  const { account, region } = place;
  const at = (url: string): string => (reachedAt === undefined ? url : urlAt(url, reachedAt));
  return {
    now: isoInstant(timeline.nowMs),
    nowMs: timeline.nowMs,
    account,
    region,
    places: all.map(services => ({ account: services.place.account, region: services.place.region })),
    queues: all.flatMap(({ sqs }) =>
      sqs.depths().map(({ name, arn, url, visible, inFlight, delayed, longPolls }) => {
        return { name, arn, url: at(url), visible, inFlight, delayed, longPolls };
      }),
    ),
    topics: all.flatMap(({ sns }) => sns.topics()),
    pendingSubscriptions: all.flatMap(({ sns }) =>
      sns.pendingConfirmations.map(({ topicArn, protocol, endpoint }) => ({ topicArn, protocol, endpoint })),
    ),
    apis: all.flatMap(({ apiGateway }) => apiGateway.stages().map(({ name, url }) => ({ name, url: at(url) }))),
    functions: all.flatMap(({ lambda }) =>
      lambda.functions().map(({ functionName, functionArn }) => ({ name: functionName, arn: functionArn })),
    ),
    alarms: all.flatMap(({ cloudWatch, place: of }) =>
      cloudWatch.alarms().map(({ name, state }) => {
        const { value, reason, updatedAtMs } = state;
        return { name, arn: alarmArn(of, name), state: value, reason, since: isoInstant(updatedAtMs) };
      }),
    ),
    endpoints: outside.all.map(({ hostName, requests, isScripted }) => {
      return { host: hostName, requests: requests.length, isScripted };
    }),
    standIns: simulation.standIns,
    unknowns: unknownsOf(simulation),
  };
}
