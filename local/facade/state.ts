import type { DeployedResource, DeployedStack } from '../cloudformation';
import { isoInstant } from '../kernel/clock';
import type { Simulation } from '../simulation';
import { urlAt } from '../wire';

/** What there is in a world, and how it is, as plain JSON. */
export interface LocalAwsState {
  /** `2026-01-01T00:00:00.000Z`, in virtual time. */
  readonly now: string;
  /** Milliseconds since the Unix epoch. */
  readonly nowMs: number;
  readonly account: string;
  readonly region: string;
  readonly queues: readonly QueueState[];
  readonly topics: readonly TopicState[];
  readonly apis: readonly ApiState[];
  readonly functions: readonly { readonly name: string; readonly arn: string }[];
  readonly alarms: readonly AlarmSummary[];
  /** Subscriptions whose endpoints have not confirmed them, and receive nothing before they do. */
  readonly pendingSubscriptions: readonly PendingSubscription[];
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
  /** Receivers that wait for a message. */
  readonly longPolls: number;
}

export interface TopicState {
  readonly name: string;
  readonly arn: string;
  readonly subscriptions: number;
}

export interface PendingSubscription {
  readonly topicArn: string;
  readonly protocol: string;
  /** What `LocalAws.confirmSubscription` and `POST /_dlo/confirm` take. */
  readonly endpoint: string;
}

/** A deployed stage of a REST API. */
export interface ApiState {
  /** The API's and the stage's. */
  readonly name: string;
  readonly url: string;
}

export interface AlarmSummary {
  readonly name: string;
  readonly state: string;
  readonly reason: string;
  /** When it came into this state. */
  readonly since: string;
}

/**
 * Reads the world without calling any service: faults do not hide it, and the trace does not grow by it.
 *
 * @param reachedAt where the reader reaches AWS, for example `http://127.0.0.1:4566`: URLs name it. @default AWS's own hosts
 */
export function localAwsState(world: Simulation, reachedAt?: string): LocalAwsState {
  const { place, timeline, sqs, sns, lambda, apiGateway, cloudWatch, outside } = world;
  const { account, region } = place;
  const at = (url: string): string => (reachedAt === undefined ? url : urlAt(url, reachedAt));
  return {
    now: isoInstant(timeline.nowMs),
    nowMs: timeline.nowMs,
    account,
    region,
    queues: sqs.depths().map(({ name, arn, url, visible, inFlight, delayed, longPolls }) => {
      return { name, arn, url: at(url), visible, inFlight, delayed, longPolls };
    }),
    topics: sns.topics().map(({ name, arn, subscriptions }) => ({ name, arn, subscriptions })),
    pendingSubscriptions: sns.pendingConfirmations.map(({ topicArn, protocol, endpoint }) => {
      return { topicArn, protocol, endpoint };
    }),
    apis: apiGateway.stages().map(({ name, url }) => ({ name, url: at(url) })),
    functions: lambda.functions().map(({ functionName, functionArn }) => ({ name: functionName, arn: functionArn })),
    alarms: cloudWatch.alarms().map(({ name, state }) => {
      return { name, state: state.value, reason: state.reason, since: isoInstant(state.updatedAtMs) };
    }),
    endpoints: outside.all.map(({ hostName, requests }) => ({ host: hostName, requests: requests.length })),
  };
}

/** Something that was found, by the name that is its own in all stacks. */
interface Found<Value> {
  readonly name: string;
  readonly value: Value;
}

/**
 * The resource with a logical id, or the path of its construct without `/Resource`. In several stacks, a logical id is
 * told apart by its stack: `StackName/LogicalId`.
 *
 * @throws Error when there is none, or more than one
 */
export function resourceNamed(stacks: readonly DeployedStack[], id: string): DeployedResource {
  const found = stacks.flatMap(({ name, resources }) =>
    [...resources]
      .filter(([logicalId, { path }]) =>
        [logicalId, `${name}/${logicalId}`, path?.replace(/\/Resource$/, '')].includes(id),
      )
      .map(([logicalId, value]) => ({ value, name: `${name}/${logicalId}` })),
  );
  return theOne(found, 'a resource', id);
}

/**
 * The value of an output. In several stacks, it is told apart by its stack: `StackName.Output`.
 *
 * @throws Error when there is none, or more than one
 */
export function outputNamed(stacks: readonly DeployedStack[], id: string): string {
  const found = stacks.flatMap(({ name, outputs }) =>
    Object.entries(outputs)
      .filter(([output]) => [output, `${name}.${output}`].includes(id))
      .map(([output, value]) => ({ value, name: `${name}.${output}` })),
  );
  return theOne(found, 'an output', id);
}

function theOne<Value>(found: readonly Found<Value>[], what: string, id: string): Value {
  const [only, ...others] = found;
  if (!only) throw new Error(`no deployed stack has ${what} "${id}"`);
  if (others.length === 0) return only.value;
  throw new Error(`"${id}" is ambiguous, name one of ${found.map(({ name }) => name).join(', ')}`);
}
