import type { Refused } from './refused';
import { REFUSED_DELIVERIES, REFUSED_POLICIES } from './refused-deliveries';
import { REFUSED_FAILURES, REFUSED_FEEDERS } from './refused-feeders';
import { REFUSED_FLEETS } from './refused-fleets';
import { REFUSED_QUEUES } from './refused-queues';
import { REFUSED_LANES, REFUSED_REDRIVES } from './refused-redrives';
import { REFUSED_OTHERS, REFUSED_RELAYS } from './refused-relays';
import { REFUSED_SHARED_QUEUES } from './refused-shared-queues';

/** Everything that stops a synthesis. */
export const REFUSED: readonly Refused[] = [
  ...REFUSED_QUEUES,
  ...REFUSED_FAILURES,
  ...REFUSED_DELIVERIES,
  ...REFUSED_SHARED_QUEUES,
  ...REFUSED_FEEDERS,
  ...REFUSED_POLICIES,
  ...REFUSED_RELAYS,
  ...REFUSED_FLEETS,
  ...REFUSED_LANES,
  ...REFUSED_REDRIVES,
  ...REFUSED_OTHERS,
];
