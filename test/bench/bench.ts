import { playRentalDay } from '../../bin/story/rental-day';
import { RentalOrdersStack } from '../../examples/rental';
import { LocalAws } from '../../local';
import { COLD_START_ROWS } from './cold-start';
import { DELIVERY_ROWS, deliveries, fanOut, memory } from './deliveries';
import { functionCalls, oneCallStack } from './function-calls';
import { idleJump, manyAlarms } from './idle-jump';
import { laterTest } from './later-test';
import { longOutage, oneQueueStack } from './long-outage';
import { type Ratio, ratioText, timed } from './measure';
import { OPERATOR_ROWS } from './operator';
import { REDRIVE_ROWS } from './redrive';
import { RELAY_ROWS, relayCalls, relayStack } from './relay';
import { synthesis, synthesized } from './synthesis';
import { wireRequests, wireSends } from './wire';

const DAY_MS = 86_400_000;

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

const MEASURES: readonly (() => Promise<Ratio>)[] = [
  () => synthesized(oneQueueStack, longOutage),
  ...DELIVERY_ROWS.map(
    ({ queues, raw }) =>
      () =>
        synthesized(fanOut(queues, raw), deliveries(queues, raw)),
  ),
  () => synthesized(manyAlarms, idleJump),
  wireRequests,
  wireSends,
  () => synthesized(oneCallStack, functionCalls),
  ...RELAY_ROWS,
  ...REDRIVE_ROWS,
  ...COLD_START_ROWS,
  ...OPERATOR_ROWS,
  laterTest,
  story,
  synthesis,
];

async function main(): Promise<void> {
  console.log('Ratios, each measured side by side in this run:');
  for (const measure of MEASURES) console.log(ratioText(await measure()));
  console.log(await synthesized(fanOut(1, true), memory));
  for (const atOnce of [1_000, 1]) console.log(await synthesized(relayStack, relayCalls(atOnce)));
}

main().catch(error => {
  console.error(error);
  process.exitCode = 1;
});
