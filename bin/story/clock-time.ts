import { isoInstant } from '../../local';

/** `17:20`, the time of day in UTC. */
export function clockTime(atMs: number): string {
  return isoInstant(atMs).slice(11, 16);
}
