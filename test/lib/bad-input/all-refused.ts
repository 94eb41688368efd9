import type { Refused } from './refused';
import { REFUSED_DELIVERIES } from './refused-deliveries';
import { REFUSED_FAILURES } from './refused-failures';
import { REFUSED_FEEDERS } from './refused-feeders';
import { REFUSED_LANES } from './refused-lanes';
import { REFUSED_OTHERS } from './refused-others';
import { REFUSED_POLICIES } from './refused-policies';
import { REFUSED_QUEUES } from './refused-queues';
import { REFUSED_REDRIVES } from './refused-redrives';
import { REFUSED_RELAYS } from './refused-relays';

/** Everything that stops a synthesis. */
export const REFUSED: readonly Refused[] = [
  ...REFUSED_QUEUES,
  ...REFUSED_FAILURES,
  ...REFUSED_DELIVERIES,
  ...REFUSED_FEEDERS,
  ...REFUSED_POLICIES,
  ...REFUSED_RELAYS,
  ...REFUSED_LANES,
  ...REFUSED_REDRIVES,
  ...REFUSED_OTHERS,
];
