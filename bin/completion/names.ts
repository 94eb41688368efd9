import { ListQueuesCommand, SQSClient } from '@aws-sdk/client-sqs';
import { type Connection, type ConnectionOptions, connected } from '../../account/connection/connection';
import { findFleets, oneFleet } from '../../account/fleet/find-fleets';
import { fleetClient } from '../../account/fleet/fleet-facts';
import { queueNameOf } from '../../account/names';
import { abortAfter, nowMs } from '../../mover/aws/clock';
import { groupOf } from '../../policy/fleet/endpoint';

/** More are of no use to a user who presses Tab. */
const MOST_NAMES = 500;

/** A user who presses Tab does not wait longer. */
const LONGEST_MS = 3_000;

/** What was typed before. */
export interface TypedOptions extends ConnectionOptions {
  readonly fleet?: string;
  readonly tenant?: string;
}

type Names = (aws: Connection, prefix: string, typed: TypedOptions) => Promise<readonly string[]>;

async function queueNames(aws: Connection, prefix: string): Promise<readonly string[]> {
  const asked = new ListQueuesCommand({ ...(prefix !== '' && { QueueNamePrefix: prefix }), MaxResults: MOST_NAMES });
  const { QueueUrls = [] } = await aws.client(SQSClient).send(asked, { abortSignal: abortAfter(LONGEST_MS) });
  return QueueUrls.map(queueNameOf);
}

async function fleetNames(aws: Connection): Promise<readonly string[]> {
  return (await findFleets(aws)).fleets.map(({ name }) => name);
}

/** Tenants are in no list: without one, these are the endpoints that are not healthy or have parked messages. */
async function endpointNames(aws: Connection, prefix: string, { fleet, tenant }: TypedOptions) {
  const { fleets } = await findFleets(aws);
  const client = fleetClient(aws, oneFleet(fleet, fleets, aws.region), { nowMs });
  if (tenant !== undefined) return (await client.list({ tenant })).endpoints.map(({ endpoint }) => endpoint);
  const [named, rest] = prefix.split('/');
  const isTenant = named !== undefined && rest !== undefined;
  return (isTenant ? (await client.list({ tenant: named })).endpoints : await client.unsettled()).map(groupOf);
}

const NAMES = { queues: queueNames, fleets: fleetNames, endpoints: endpointNames } as const satisfies Readonly<
  Record<string, Names>
>;

export type NameList = keyof typeof NAMES;

/** The names of a list that begin with a prefix. None if AWS does not answer in time. */
export function namesIn(list: NameList, prefix: string, typed: TypedOptions): Promise<readonly string[]> {
  const ask: Names = NAMES[list];
  return connected(typed, async aws => {
    const late = new Promise<readonly string[]>(resolve => {
      abortAfter(LONGEST_MS).addEventListener('abort', () => resolve([]));
    });
    const names = await Promise.race([ask(aws, prefix, typed), late]);
    return names.filter(it => it.startsWith(prefix)).slice(0, MOST_NAMES);
  });
}
