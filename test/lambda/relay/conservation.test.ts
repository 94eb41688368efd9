import { testConservation } from './conservation';

/** A sample: `conservation.long.test.ts` plays more. */
testConservation(4, 2);
