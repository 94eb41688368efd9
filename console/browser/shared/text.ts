import { counted, formatNumber, roughDuration } from '../../../policy/format-text';
import { formatInstant, isoInstant } from '../../../policy/instants';

export { counted, formatInstant, formatNumber, roughDuration };

/** Stands for an unknown value. */
export const UNKNOWN = '?';

export function countText(count: number | null): string {
  return count === null ? UNKNOWN : formatNumber(count);
}

/** `2026-01-05 08:00:12`, in UTC. */
export function secondOf(atMs: number): string {
  return isoInstant(atMs).slice(0, 19).replace('T', ' ');
}

/** `3 h ago`. */
export function ago(atMs: number, nowMs: number): string {
  return `${roughDuration(Math.max(0, nowMs - atMs))} ago`;
}

/** `12,345`, or `12.3k` where there is little room. */
export function shortNumber(value: number): string {
  if (value < 10_000) return formatNumber(value);
  return value < 1_000_000 ? `${Math.floor(value / 100) / 10}k` : `${Math.floor(value / 100_000) / 10}M`;
}

export function px(length: number): string {
  return `${length}px`;
}
