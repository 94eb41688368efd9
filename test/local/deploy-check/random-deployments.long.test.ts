import { type DeployCheck, deployCheck } from '../../../local';
import { Random } from '../../../local/kernel/random';
import { randomDeployment, templateOf } from './random-deployment';
import { harmOf } from './receivers-judge';

/** `DLO_PAIRS=1000` plays as many. `DLO_FIRST_PAIR` is the seed of the first. */
const PAIRS = Number(process.env['DLO_PAIRS'] ?? 20);
const FIRST = Number(process.env['DLO_FIRST_PAIR'] ?? 1);

/** Ends that the trace must explain, with the operation that is the reason. */
const unexplained = ({ receivers }: DeployCheck) =>
  receivers.flatMap(({ changes }) =>
    changes.flatMap(({ causes }) => causes.filter(it => it.why === 'nothing received it' || !it.operation)),
  );

/**
 * The judge plays messages of its own and looks at what receivers got. A deployment is missed if it does harm and the check says `safe`. A
 * false alarm is a deployment without harm of which the check says `unsafe`.
 */
test(`of ${PAIRS} random deployments none that does harm is safe, and few others are unsafe`, async () => {
  const count = { harmful: 0, unsafe: 0, unknown: 0 };
  const [missed, statically] = [[] as unknown[], [] as unknown[]];
  const falseAlarms: { readonly seed: number; readonly receivers: DeployCheck['receivers'] }[] = [];
  for (let seed = FIRST; seed < FIRST + PAIRS; seed += 1) {
    const random = new Random(`deployment ${seed}`);
    const [old, next] = randomDeployment(random);
    const [before, after] = [templateOf(old), templateOf(next)];
    const consumed = old.queues.filter(it => !it.hasWorker).map(({ id }) => id);
    const harm = await harmOf(before, after, consumed);
    const result = await deployCheck(before, after, { seed });
    const { verdict, risks, receivers } = result;
    if (harm.length > 0) count.harmful += 1;
    if (verdict !== 'safe') count[verdict] += 1;
    if (harm.length > 0 && verdict === 'safe') missed.push({ seed, harm, old, next });
    if (harm.length === 0 && verdict === 'unsafe') falseAlarms.push({ seed, receivers });
    expect({ seed, unexplained: unexplained(result) }).toEqual({ seed, unexplained: [] });
    // What the update itself loses is in the templates.
    const loses = receivers.some(({ changes }) => changes.some(({ kind }) => kind === 'lost'));
    if (loses && risks.every(({ severity }) => severity === 'note')) statically.push({ seed, receivers });
  }
  const seeds = falseAlarms.map(({ seed }) => seed).join(', ') || 'none';
  process.stdout.write(
    `${PAIRS} deployments: ${count.harmful} do harm, ${missed.length} of them "safe"; ${count.unsafe} unsafe, ${falseAlarms.length} of them without harm (seeds: ${seeds}); ${count.unknown} unknown\n`,
  );
  expect({ missed, statically }).toEqual({ missed: [], statically: [] });
  expect(falseAlarms.length <= PAIRS * 0.01 ? [] : falseAlarms).toEqual([]);
});
