import type { LookEnd } from './each-letter';

const SAYS: Readonly<Partial<Record<LookEnd, string>>> = {
  interrupted: 'Interrupted',
  'too-many-in-flight': 'SQS hands out no more while so many are in flight',
};

/** Why a look ended before its end, as a clause begins; undefined where it did not. */
export function cutShortText(end: LookEnd): string | undefined {
  return SAYS[end];
}
