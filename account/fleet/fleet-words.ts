import type { EndpointDescription } from '../../fleet';
import { addressGuards } from '../../policy/address-guard';
import { groupOf } from '../../policy/fleet/endpoint';
import { formatInstant } from '../../policy/instants';
import { readDestination } from '../../policy/relay/destination';
import { dloCommand, type Site } from '../printed-commands';

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
export function endpointAdvice(endpoint: EndpointDescription, named: readonly string[], site: Site): readonly string[] {
  const { health, probeAtMs, disabledReason } = endpoint;
  const enable = dloCommand(['fleet', 'enable', groupOf(endpoint), ...named], site);
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
