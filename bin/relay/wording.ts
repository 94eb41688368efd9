import { formatInstant } from '../wording';
import { configuredConcurrency, destinationOf, type Relay, relayState } from './relay';

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
