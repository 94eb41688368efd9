import { isoInstant } from '../../local';
import { configuredConcurrency, destinationOf, type Relay, relayState } from './relay';

/** `2026-01-05 02:00 UTC`. */
export function formatInstant(atMs: number): string {
  return `${isoInstant(atMs).slice(0, 16).replace('T', ' ')} UTC`;
}

/** How far the relay lets messages through, and since when. */
export function stateText(relay: Relay): string {
  const { mapping } = relay;
  const since = ` since ${formatInstant(mapping?.lastModifiedAtMs ?? 0)}`;
  const texts = {
    closed: 'closed',
    'half-open': `half-open ${mapping?.maximumConcurrency}/${configuredConcurrency(relay)}`,
    open: `open${since}`,
    'stopped-by-hand': `stopped by hand${since}`,
    running: 'no breaker',
    'no-mapping': 'no event source mapping',
  };
  return texts[relayState(relay)];
}

/** Where it delivers to, without any secret. */
export function destinationText({ settings }: Relay): string {
  return settings ? destinationOf(settings.endpoint) : 'settings of another version';
}

/** Somebody else's words, on one line: what would steer a terminal is taken out. */
export function foreignText(text: string, mostCharacters: number): string {
  const line = text.replace(/[\p{Cc}\s]+/gu, ' ').trim();
  return line.length > mostCharacters ? `${line.slice(0, mostCharacters)}…` : line;
}
