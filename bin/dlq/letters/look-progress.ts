import type { Io } from '../../io';
import { type Progress, progressOn } from '../../progress';
import type { LookOptions } from './each-letter';

/** Looking at many letters, told while it goes on. */
export interface LookProgress {
  readonly at: NonNullable<LookOptions['progress']>;
  clear(): void;
}

/**
 * @param received what is said of those that were received: `letters written`
 * @param total how many there are, as far as SQS counts
 */
export function lookProgress(io: Io, received: string, total: number, nowMs: () => number): LookProgress {
  let current: { readonly what: string; readonly progress: Progress } | undefined;
  return {
    at: (what, count, most = total) => {
      // How fast letters are given back is counted from when that began.
      if (current?.what !== what) {
        const facts = { what: what === 'received' ? received : 'letters given back', total: most };
        current = { what, progress: progressOn(io.stderr, facts, nowMs) };
      }
      current.progress.at(count);
    },
    clear: () => current?.progress.clear(),
  };
}
