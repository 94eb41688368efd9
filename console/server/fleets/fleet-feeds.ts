import type { Connection } from '../../../account/connection/connection';
import { type Fleet, findFleets, fleetWords, oneFleet } from '../../../account/fleet/find-fleets';
import {
  asBadInput,
  endpointFacts,
  type FleetFacts,
  fleetClient,
  fleetFacts,
  healthCounts,
  MOST_PARKED,
  type UnsettledEndpoint,
} from '../../../account/fleet/fleet-facts';
import { endpointAdvice, healthText, shownUrl } from '../../../account/fleet/fleet-words';
import { queueNameOf } from '../../../account/names';
import type { Attempt } from '../../../fleet';
import type { FleetEndpointDocument, FleetEndpointRow, FleetRow, FleetsDocument } from '../../api/fleets';
import type { AttemptDocument } from '../../api/relays';
import type { ConsoleContext } from '../context';
import { type FeedSources, polled } from '../feed';

/** How often a fleet is read. */
const READ_MS = { aws: 30_000, simulation: 1_000 } as const;

const SHOWN_ENDPOINTS = 200;
const SHOWN_ATTEMPTS = 50;
const REASON_CHARACTERS = 300;

function endpointRow(endpoint: UnsettledEndpoint): FleetEndpointRow {
  const { tenant, endpoint: name, health, failures, probeAtMs, parkedSinceMs, why } = endpoint;
  const [says, url] = [healthText(endpoint), shownUrl(endpoint)];
  const instants = { nextProbeAtMs: probeAtMs ?? null, parkedSinceMs: parkedSinceMs ?? null };
  return {
    tenant,
    endpoint: name,
    health,
    says,
    url,
    failures,
    why: why?.slice(0, REASON_CHARACTERS) ?? null,
    ...instants,
  };
}

function fleetRow(facts: FleetFacts): FleetRow {
  const { fleet, messages, unsettled } = facts;
  return {
    name: fleet.name,
    counts: healthCounts(facts),
    due: messages.visible ?? null,
    inFlight: messages.inFlight ?? null,
    delayed: messages.delayed ?? null,
    dead: messages.dead ?? null,
    deadLetterQueue: queueNameOf(fleet.settings.deadLetterQueueUrl),
    endpoints: unsettled.slice(0, SHOWN_ENDPOINTS).map(endpointRow),
    more: Math.max(0, unsettled.length - SHOWN_ENDPOINTS),
  };
}

async function fleetsDocument(aws: Connection, nowMs: number): Promise<FleetsDocument> {
  const { fleets, warnings } = await findFleets(aws);
  const factsOf = (fleet: Fleet) => fleetFacts(aws, fleet, fleetClient(aws, fleet, { nowMs: () => nowMs }));
  const rows = (await Promise.all(fleets.map(factsOf))).map(fleetRow);
  return { fleets: rows, unknowns: [...warnings, ...aws.unread.texts] };
}

function attemptDocument({ atMs, deliveryId, outcome, nextAtMs, ...attempt }: Attempt): AttemptDocument {
  return {
    atMs,
    messageId: deliveryId,
    attempt: attempt.attempt,
    verdict: outcome === 'failed' ? 'retry' : outcome,
    statusCode: attempt.statusCode ?? null,
    reason: attempt.reason.slice(0, REASON_CHARACTERS),
    latencyMs: attempt.latencyMs,
    nextRetryInSeconds: nextAtMs === undefined ? null : Math.round((nextAtMs - atMs) / 1_000),
  };
}

/** @throws BadInput when there is no such fleet or endpoint */
async function endpointDocument(
  aws: Connection,
  of: string,
  { source }: ConsoleContext,
  nowMs: number,
): Promise<FleetEndpointDocument> {
  const [fleetName = '', tenant = '', name = ''] = of.split('/');
  const { fleets } = await findFleets(aws);
  const fleet = oneFleet(fleetName, fleets, aws.region);
  const client = fleetClient(aws, fleet, { nowMs: () => nowMs });
  const facts = await asBadInput(() => endpointFacts(fleet, client, { tenant, endpoint: name }, SHOWN_ATTEMPTS));
  const { endpoint, parked, attempts } = facts;
  return {
    ...endpointRow(endpoint),
    types: endpoint.types,
    maxPerSecond: endpoint.maxPerSecond ?? null,
    parked: parked.map(({ deliveryId, type, sentAtMs, dueAtMs, attempts: made, reason }) => ({
      deliveryId,
      type,
      sentAtMs,
      dueAtMs,
      attempts: made,
      reason: reason.slice(0, REASON_CHARACTERS),
    })),
    isMoreParked: parked.length === MOST_PARKED,
    attempts: attempts?.map(attemptDocument) ?? null,
    advice: endpointAdvice(facts, fleetWords(fleet, fleets), { options: source.options, region: aws.region }),
  };
}

export function fleetFeeds(context: ConsoleContext): Pick<FeedSources, 'fleets' | 'fleet-endpoint'> {
  const { source, nowMs } = context;
  const pace = { nextMs: () => READ_MS[source.kind] };
  return {
    fleets: polled(() => source.use(async aws => fleetsDocument(aws, await source.nowMs())), pace, nowMs),
    'fleet-endpoint': polled(
      of => source.use(async aws => endpointDocument(aws, of, context, await source.nowMs())),
      pace,
      nowMs,
    ),
  };
}
