import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { KMSClient } from '@aws-sdk/client-kms';
import { SQS } from '@aws-sdk/client-sqs';
import type { Attempt, EndpointDescription, ParkedMessage } from '../../fleet';
import { FleetClient, FleetError } from '../../fleet';
import { dynamoDbCalls, kmsCalls } from '../../fleet/sdk-calls';
import type { EndpointName } from '../../policy/fleet/endpoint';
import type { Connection } from '../connection/connection';
import { BadInput } from '../errors';
import { type MessageCounts, messagesIn } from '../relay/relay-state';
import type { Fleet } from './find-fleets';

export interface FleetClientPorts {
  readonly nowMs: () => number;
  /** How long a receive waits for messages. @default 1 */
  readonly pollSeconds?: number;
}

/** The client of a fleet, on a connection. */
export function fleetClient(aws: Connection, { settings }: Fleet, ports: FleetClientPorts): FleetClient {
  const sqs = aws.client(SQS);
  const { nowMs, pollSeconds = 1 } = ports;
  return new FleetClient({
    dynamoDb: dynamoDbCalls(aws.client(DynamoDBClient)),
    kms: kmsCalls(aws.client(KMSClient)),
    sqs: {
      sendMessage: input => sqs.sendMessage(input),
      receiveMessage: input => sqs.receiveMessage(input),
      deleteMessage: input => sqs.deleteMessage(input),
      changeMessageVisibility: input => sqs.changeMessageVisibility(input),
    },
    settings: JSON.stringify(settings),
    machine: { nowMs, pollSeconds },
  });
}

/**
 * Runs calls of the client.
 * @throws BadInput for what the fleet refuses as the caller gave it
 */
export async function asBadInput<Answer>(call: () => Promise<Answer>): Promise<Answer> {
  try {
    return await call();
  } catch (error) {
    const isInput = error instanceof FleetError && (error.code === 'invalid' || error.code === 'not-found');
    throw isInput ? new BadInput([error.message]) : error;
  }
}

/** The order of urgency: what is down, then what fails, what recovers, and what is disabled. */
const URGENCY: readonly EndpointDescription['health'][] = ['open', 'suspect', 'draining', 'healthy', 'disabled'];

/** What an operator knows about a fleet. */
export interface FleetFacts {
  readonly fleet: Fleet;
  /** Of the deliveries queue and the dead-letter queue. */
  readonly messages: MessageCounts;
  /** The endpoints that are not healthy or have parked messages, the most urgent first. */
  readonly unsettled: readonly UnsettledEndpoint[];
}

export interface UnsettledEndpoint extends EndpointDescription {
  /** When its first parked message was sent. @default - none is parked, or it is not one of the first `MOST_LISTED` */
  readonly parkedSinceMs?: number;
  /** Why its last attempt failed, or why its first parked message waits. @default - unknown, or neither */
  readonly why?: string;
}

/** The most endpoints of a fleet that are listed for people. */
export const MOST_LISTED = 50;

/** The states that are counted. */
export const COUNTED_HEALTHS = ['suspect', 'open', 'draining', 'disabled'] as const;

export type HealthCounts = Readonly<Record<(typeof COUNTED_HEALTHS)[number], number>>;

/** How many endpoints are in each state. */
export function healthCounts({ unsettled }: FleetFacts): HealthCounts {
  const count = (wanted: string) => unsettled.filter(({ health }) => health === wanted).length;
  return {
    suspect: count('suspect'),
    open: count('open'),
    draining: count('draining'),
    disabled: count('disabled'),
  };
}

/** Needs `dynamodb:Scan`, `dynamodb:Query`, `dynamodb:BatchGetItem`, and `sqs:GetQueueAttributes`, without which the counts are unknown. */
export async function fleetFacts(aws: Connection, fleet: Fleet, client: FleetClient): Promise<FleetFacts> {
  const { deliveriesQueueUrl: queueUrl, deadLetterQueueUrl } = fleet.settings;
  const [messages, found] = await Promise.all([messagesIn(aws, { queueUrl, deadLetterQueueUrl }), client.unsettled()]);
  const urgent = [...found].sort(
    (one, other) =>
      URGENCY.indexOf(one.health) - URGENCY.indexOf(other.health) ||
      (one.failingSinceMs ?? 0) - (other.failingSinceMs ?? 0),
  );
  const explained = async (endpoint: EndpointDescription): Promise<UnsettledEndpoint> => {
    const [[first], [last] = []] = await Promise.all([
      client.parked(endpoint, 1),
      lastAttempts(fleet, client, endpoint, 1),
    ]);
    const why = last && last.outcome !== 'delivered' ? last.reason : first?.reason;
    return { ...endpoint, ...(first && { parkedSinceMs: first.sentAtMs }), ...(why !== undefined && { why }) };
  };
  const listed = await Promise.all(urgent.slice(0, MOST_LISTED).map(explained));
  return { fleet, messages, unsettled: [...listed, ...urgent.slice(MOST_LISTED)] };
}

/** The newest first. Undefined if the fleet does not log attempts. */
async function lastAttempts(
  { settings }: Fleet,
  client: FleetClient,
  { tenant, endpoint }: EndpointName,
  limit: number,
) {
  if (settings.attemptRetentionSeconds === undefined) return undefined;
  return await client.attempts({ tenant, endpoint, limit });
}

/** What an operator knows about an endpoint. */
export interface EndpointFacts {
  readonly endpoint: EndpointDescription;
  /** The first ones. */
  readonly parked: readonly ParkedMessage[];
  /** The newest ones, the newest first, without bodies. @default - the fleet does not log attempts */
  readonly attempts?: readonly Attempt[];
}

/** The most parked messages that are read: DynamoDB reads them with their bodies. */
export const MOST_PARKED = 100;

/** Needs `dynamodb:GetItem` and `dynamodb:Query`. @throws FleetError if the endpoint does not exist */
export async function endpointFacts(
  fleet: Fleet,
  client: FleetClient,
  name: EndpointName,
  mostAttempts: number,
): Promise<EndpointFacts> {
  const endpoint = await client.get(name);
  const [parked, attempts] = await Promise.all([
    client.parked(name, MOST_PARKED),
    lastAttempts(fleet, client, name, mostAttempts),
  ]);
  return { endpoint, parked, ...(attempts && { attempts: attempts.map(({ data: _, ...attempt }) => attempt) }) };
}
