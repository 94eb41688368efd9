import type { LookEnd, LookOptions } from '../../account/messages/each-message';
import type { Io } from '../io';
import { type Progress, progressOn } from '../progress';

/** Whether somebody wants the command to end. */
export interface Interrupt {
  readonly isAsked: boolean;
}

/** From now on an interrupt does not end the process: whoever works looks here, ends what is begun, and tidies up. */
export function interruptOf(io: Io): Interrupt {
  let isAsked = false;
  void io.interrupted().then(() => {
    isAsked = true;
  });
  return {
    get isAsked() {
      return isAsked;
    },
  };
}

const SAYS: Readonly<Partial<Record<LookEnd, string>>> = {
  interrupted: 'Interrupted',
  'too-many-in-flight': 'SQS hands out no more while so many are in flight',
};

/** Why a look ended before its end, as a clause begins; undefined where it did not. */
export function cutShortText(end: LookEnd): string | undefined {
  return SAYS[end];
}

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
