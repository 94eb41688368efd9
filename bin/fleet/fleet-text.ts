import {
  COUNTED_HEALTHS,
  type EndpointFacts,
  type FleetFacts,
  healthCounts,
  MOST_LISTED,
  MOST_PARKED,
  type UnsettledEndpoint,
} from '../../account/fleet/fleet-facts';
import { healthText, shownUrl } from '../../account/fleet/fleet-words';
import { queueNameOf } from '../../account/names';
import { dloCommand, type Site } from '../../account/printed-commands';
import type { Attempt, EndpointDescription } from '../../fleet';
import { groupOf } from '../../policy/fleet/endpoint';
import { counted, formatNumber, messagesText, roughDuration } from '../../policy/format-text';
import { formatInstant, isoInstant } from '../../policy/instants';
import { aboutLines, adviceLines, type Column, foreignText, listLines, type Screen } from '../shared/terminal-text';
import { endpointRows, VALUE_CHARACTERS } from './endpoint-options';

const UNKNOWN = '?';

const REASON_CHARACTERS = 80;

const number = (count: number | undefined) => (count === undefined ? UNKNOWN : formatNumber(count));

const FLEETS: readonly Column<FleetFacts>[] = [
  { heading: 'FLEET', align: 'left', cell: ({ fleet }) => fleet.name },
  ...COUNTED_HEALTHS.map(
    (health): Column<FleetFacts> => ({
      heading: health.toUpperCase(),
      align: 'right',
      cell: facts => formatNumber(healthCounts(facts)[health]),
    }),
  ),
  { heading: 'DUE', align: 'right', cell: ({ messages }) => number(messages.visible) },
  { heading: 'IN FLIGHT', align: 'right', cell: ({ messages }) => number(messages.inFlight) },
  { heading: 'IN LINE', align: 'right', cell: ({ messages }) => number(messages.delayed) },
  { heading: 'DEAD', align: 'right', cell: ({ messages }) => number(messages.dead) },
];

const ENDPOINTS: readonly Column<UnsettledEndpoint>[] = [
  { heading: 'ENDPOINT', align: 'left', cell: groupOf },
  { heading: 'STATE', align: 'left', cell: healthText },
  { heading: 'FAILURES', align: 'right', cell: ({ failures }) => formatNumber(failures) },
  { heading: 'URL', align: 'left', cell: shownUrl },
];

const UNSETTLED: readonly Column<UnsettledEndpoint>[] = [
  ...ENDPOINTS.slice(0, -1),
  {
    heading: 'PARKED SINCE',
    align: 'left',
    cell: ({ parkedSinceMs }) => (parkedSinceMs === undefined ? '-' : formatInstant(parkedSinceMs)),
  },
  { heading: 'WHY', align: 'left', cell: ({ why }) => (why === undefined ? '-' : foreignText(why, REASON_CHARACTERS)) },
];

const isTroubled = ({ health }: EndpointDescription) => health === 'open' || health === 'disabled';

/** A table of fleets, and below it for each fleet the endpoints that are not well. */
export function fleetsText(facts: readonly FleetFacts[], site: Site, screen: Screen): string {
  if (facts.length === 0) return `No fleet is in ${site.region}.\n`;
  const isDead = ({ messages }: FleetFacts) => (messages.dead ?? 0) > 0;
  const lines = [...listLines(FLEETS, facts, screen, isDead)];
  const why = facts.filter(isDead).map(({ fleet }) => {
    const queue = queueNameOf(fleet.settings.deadLetterQueueUrl);
    return `  ${dloCommand(['dlq', 'why', queue], site)}`;
  });
  for (const { fleet, unsettled } of facts) {
    if (unsettled.length === 0) continue;
    const more = unsettled.length - MOST_LISTED;
    lines.push('', `${fleet.name}: endpoints that are not healthy or have parked messages`);
    lines.push(...listLines(UNSETTLED, unsettled.slice(0, MOST_LISTED), screen, isTroubled));
    if (more > 0) lines.push(`and ${counted(more, 'more endpoint', 'more endpoints')}: --json has all`);
  }
  if (why.length > 0) lines.push('', 'Why messages are dead', ...why);
  return `${lines.join('\n')}\n`;
}

/** A table of the endpoints of one tenant. */
export function tenantText(endpoints: readonly EndpointDescription[], tenant: string, screen: Screen): string {
  if (endpoints.length === 0) return `${tenant} has no endpoint.\n`;
  return `${listLines(ENDPOINTS, endpoints, screen, isTroubled).join('\n')}\n`;
}

export function fleetDocument(facts: FleetFacts) {
  const { fleet, messages, unsettled } = facts;
  const { visible, inFlight, delayed, dead } = messages;
  return {
    name: fleet.name,
    tableName: fleet.settings.tableName,
    counts: healthCounts(facts),
    messages: {
      visible: visible ?? null,
      inFlight: inFlight ?? null,
      delayed: delayed ?? null,
      dead: dead ?? null,
    },
    unsettled: unsettled.map(endpointDocument),
  };
}

const instant = (atMs: number | undefined) => (atMs === undefined ? null : isoInstant(atMs));

/** Values of headers and the client of access tokens may be credentials: only names are in it. */
export function endpointDocument(endpoint: UnsettledEndpoint) {
  const { createdAtMs, failingSinceMs, probeAtMs, previousSecretUntilMs, disabledReason, ...rest } = endpoint;
  const { headers = {}, authorization, parkedSinceMs, why, ...others } = rest;
  return {
    ...others,
    url: shownUrl(endpoint),
    headers: Object.keys(headers),
    tokenUrl: authorization ? shownUrl({ url: authorization.tokenUrl }) : null,
    createdAt: isoInstant(createdAtMs),
    disabledReason: disabledReason ?? null,
    failingSince: instant(failingSinceMs),
    nextProbeAt: instant(probeAtMs),
    previousSecretUntil: instant(previousSecretUntilMs),
    parkedSince: instant(parkedSinceMs),
    why: why ?? null,
  };
}

export function attemptDocument({ atMs, sentAtMs, nextAtMs, statusCode, ...others }: Attempt) {
  const instants = { sentAt: instant(sentAtMs), nextAt: instant(nextAtMs) };
  return { at: isoInstant(atMs), ...others, statusCode: statusCode ?? null, ...instants };
}

const ATTEMPTS: readonly Column<Attempt>[] = [
  { heading: 'AT (UTC)', align: 'left', cell: ({ atMs }) => isoInstant(atMs).slice(0, 19) },
  {
    heading: 'AFTER',
    align: 'right',
    cell: ({ atMs, sentAtMs }) => (sentAtMs === undefined ? '-' : roughDuration(atMs - sentAtMs)),
  },
  { heading: 'ENDPOINT', align: 'left', cell: groupOf },
  { heading: 'MESSAGE', align: 'left', cell: ({ deliveryId }) => deliveryId },
  { heading: 'TYPE', align: 'left', cell: ({ type }) => type },
  { heading: 'NO.', align: 'right', cell: ({ attempt, isProbe }) => (isProbe ? 'probe' : formatNumber(attempt)) },
  { heading: 'OUTCOME', align: 'left', cell: ({ outcome }) => outcome },
  { heading: 'STATUS', align: 'right', cell: ({ statusCode }) => String(statusCode ?? '-') },
  { heading: 'MS', align: 'right', cell: ({ latencyMs }) => formatNumber(latencyMs) },
  {
    heading: 'NEXT (UTC)',
    align: 'left',
    cell: ({ nextAtMs }) => (nextAtMs === undefined ? '-' : isoInstant(nextAtMs).slice(0, 19)),
  },
  { heading: 'REASON', align: 'left', cell: ({ reason }) => foreignText(reason, REASON_CHARACTERS) },
];

/** A table of attempts in UTC. Bodies follow, each on a line of its own. */
export function attemptLines(
  attempts: readonly Attempt[],
  screen: Screen,
  isOfOneEndpoint: boolean,
): readonly string[] {
  const columns = ATTEMPTS.filter(({ heading }) => !isOfOneEndpoint || heading !== 'ENDPOINT');
  const lines = listLines(columns, attempts, screen, ({ outcome }) => outcome === 'dead');
  const bodies = attempts.flatMap(({ deliveryId, data }) =>
    data === undefined ? [] : [`${deliveryId}  ${foreignText(data, Number.POSITIVE_INFINITY)}`],
  );
  return bodies.length === 0 ? lines : [...lines, '', ...new Set(bodies)];
}

function parkedText({ parked }: EndpointFacts): string {
  const [first] = parked;
  if (!first) return 'no message';
  const many = parked.length < MOST_PARKED ? messagesText(parked.length) : `${MOST_PARKED} messages or more`;
  return `${many}; the first was sent at ${formatInstant(first.sentAtMs)} and waits because ${foreignText(first.reason, VALUE_CHARACTERS)}`;
}

/** Describes an endpoint to an operator. */
export function endpointText(
  facts: EndpointFacts,
  fleetName: string,
  advice: readonly string[],
  screen: Screen,
): string {
  const { endpoint, attempts } = facts;
  const { previousSecretUntilMs } = endpoint;
  const failed = attempts?.find(({ outcome }) => outcome !== 'delivered');
  const rotation =
    previousSecretUntilMs === undefined
      ? []
      : [`the one before signs too until ${formatInstant(previousSecretUntilMs)}`];
  const rows: readonly (readonly [string, ...string[]])[] = [
    ['Fleet', fleetName],
    ...endpointRows(endpoint),
    ['State', healthText(endpoint)],
    ['Failures', `${formatNumber(endpoint.failures)} in a row`],
    [
      'Last failure',
      ...(failed ? [`${formatInstant(failed.atMs)}: ${foreignText(failed.reason, VALUE_CHARACTERS)}`] : []),
    ],
    ['Parked', parkedText(facts)],
    ['Old secret', ...rotation],
    ['Version', `${endpoint.version}, created at ${formatInstant(endpoint.createdAtMs)}`],
  ];
  const last = attempts ? attemptLines(attempts, screen, true) : ['the fleet does not log attempts'];
  const lines = [
    groupOf(endpoint),
    ...aboutLines(rows),
    '',
    'Last attempts',
    ...(attempts?.length === 0 ? ['none'] : last),
    ...(advice.length > 0 ? ['', 'What to do', ...adviceLines(advice)] : []),
  ];
  return `${lines.join('\n')}\n`;
}
