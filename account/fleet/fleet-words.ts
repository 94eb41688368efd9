import type { EndpointDescription } from '../../fleet';
import { addressGuards } from '../../policy/address-guard';
import { groupOf, isUnreadableSecret } from '../../policy/fleet/endpoint';
import { counted } from '../../policy/format-text';
import { formatInstant } from '../../policy/instants';
import { readDestination } from '../../policy/relay/destination';
import { dloCommand, type Site } from '../printed-commands';
import type { EndpointFacts } from './fleet-facts';

/** The URL without user and query, which may be credentials. */
export function shownUrl({ url }: Pick<EndpointDescription, 'url'>): string {
  return readDestination('url', url, addressGuards([]), false).shown;
}

const DISABLED_BECAUSE = { failing: 'it failed for too long', gone: 'it answered 410', 'by-hand': 'by hand' } as const;

/** `open, fails since 2026-03-01 08:00 UTC`. */
export function healthText({ health, failingSinceMs, disabledReason }: EndpointDescription): string {
  const because = disabledReason === undefined ? '' : `: ${DISABLED_BECAUSE[disabledReason]}`;
  const since = failingSinceMs === undefined ? '' : `, fails since ${formatInstant(failingSinceMs)}`;
  return `${health}${because}${since}`;
}

/**
 * What an operator can do for an endpoint. Lines after the first are commands.
 * @param named the option that names the fleet
 */
export function endpointAdvice(
  { endpoint, parked, attempts: logged }: EndpointFacts,
  named: readonly string[],
  site: Site,
): readonly string[] {
  const command = (...[verb, ...options]: readonly [string, ...string[]]) =>
    dloCommand(['fleet', verb, groupOf(endpoint), ...options, ...named], site);
  const attempts = logged ?? [];
  const [last] = attempts;
  const gotNothing = endpoint.health === 'healthy' && parked.length === 0 && logged?.length === 0;
  const isLimited = last?.outcome === 'failed' && last.statusCode === TOO_MANY_REQUESTS;
  const isUnreadable = isUnreadableSecret(last?.reason ?? parked[0]?.reason ?? '');
  const dead = attempts.filter(({ outcome }) => outcome === 'dead');
  return [
    ...stateAdvice(endpoint, command('enable')),
    ...(gotNothing
      ? [
          `It has got nothing for as long as the fleet logs attempts: no event of its tenant matched its types and its filter. This sends it a test event:\n${command('test')}`,
        ]
      : []),
    ...(isLimited
      ? [
          `It asks for fewer requests. Below its limit it does not fail:\n${command('set', '--max-per-second', 'COUNT')}`,
        ]
      : []),
    ...(isUnreadable
      ? [
          `The fleet cannot read its secret, and sends it nothing meanwhile. If that is so for this endpoint alone, it needs a new secret, which its owner must get:\n${command('rotate', '--now')}`,
        ]
      : []),
    ...(dead[0]
      ? [
          `${counted(dead.length, 'message', 'messages')} of its last attempts became ${dead.length === 1 ? 'a dead letter' : 'dead letters'}, the newest because ${dead[0].reason}. Once its owner has changed that, this sends its dead letters again:\n${command('replay')}`,
        ]
      : []),
  ];
}

const TOO_MANY_REQUESTS = 429;

function stateAdvice({ health, probeAtMs, disabledReason }: EndpointDescription, enable: string): readonly string[] {
  if (health === 'open') {
    const next = probeAtMs === undefined ? '' : ` The next probe is at ${formatInstant(probeAtMs)}.`;
    return [
      `Its owner must repair it. The fleet probes it, and sends what is parked once a probe succeeds.${next} This sends it at once:\n${enable}`,
    ];
  }
  if (health !== 'disabled') return [];
  const before = disabledReason === 'by-hand' ? '' : 'Its owner must repair it, or give it another URL. ';
  return [`${before}Its messages wait as long as the fleet keeps them. This sends them:\n${enable}`];
}
