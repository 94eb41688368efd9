import { playRentalDay } from '../../bin/story/rental-day';
import { RentalOrdersStack } from '../../examples/rental';
import { LocalAws } from '../../local';
import { DAY_MS } from '../../policy/time-units';
import { type Ratio, type Row, timed } from './measure';
import { synthesized } from './synthesized';

/** A day of the rental backend in as much wall time as it takes. */
function story(): Promise<Ratio> {
  const stack = (app: ConstructorParameters<typeof RentalOrdersStack>[0]): void => {
    new RentalOrdersStack(app, 'RentalOrders');
  };
  return synthesized(stack, async assembly => {
    const measuredMs = await timed(async () => {
      const aws = await LocalAws.deploy(assembly);
      await playRentalDay(aws, () => {});
      await aws.close();
    });
    return { what: 'the rental story', measuredMs, against: 'the day it simulates', againstMs: DAY_MS };
  });
}

export const ROWS: readonly Row[] = [story];
