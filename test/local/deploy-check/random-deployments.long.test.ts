import { deployCheck } from '../../../local';
import { Random } from '../../../local/kernel/random';
import { assemblyOfTemplates } from '../../support/assembly';
import { arnOf, mapping, policy, queue, role, subscription, topic, worker } from './app-templates';

const PAIRS = Number(process.env['DLO_PAIRS'] ?? 60);

/** A version of an app: what is random about it. */
interface Version {
  readonly queues: readonly {
    readonly id: string;
    readonly name: string | undefined;
    readonly hasDlq: boolean;
    readonly dlqName: string | undefined;
    readonly isRetained: boolean;
    readonly hasWorker: boolean;
    readonly workerName: string | undefined;
    readonly visibility: number;
    /** Endings of logical ids: another one renames the resource. */
    readonly sub: string;
    readonly policy: string;
    readonly mapping: string;
    readonly isRaw: boolean;
    /** The services that the policy lets send. */
    readonly senders: readonly string[];
  }[];
}

type QueueOf = Version['queues'][number];

function newQueue(random: Random, id: string): QueueOf {
  const chance = (share: number) => random.fraction() < share;
  return {
    id,
    name: chance(0.3) ? `${id}-a` : undefined,
    hasDlq: chance(0.6),
    dlqName: undefined,
    isRetained: chance(0.3),
    hasWorker: chance(0.5),
    workerName: undefined,
    visibility: 30,
    sub: 'Sub',
    policy: 'Policy',
    mapping: 'Mapping',
    isRaw: chance(0.3),
    senders: ['sns'],
  };
}

/** The next version: one or two things differ. */
function changed(random: Random, { queues }: Version): Version {
  const changes: readonly ((it: QueueOf) => QueueOf)[] = [
    it => ({ ...it, name: `${it.id}-b` }),
    it => ({ ...it, dlqName: `${it.id}-dead` }),
    it => ({ ...it, hasDlq: !it.hasDlq }),
    it => ({ ...it, hasWorker: !it.hasWorker }),
    it => ({ ...it, workerName: `${it.id}-worker` }),
    it => ({ ...it, visibility: 60 }),
    it => ({ ...it, sub: 'NewSub' }),
    it => ({ ...it, policy: 'NewPolicy' }),
    it => ({ ...it, mapping: 'NewMapping' }),
    it => ({ ...it, isRaw: !it.isRaw }),
    it => ({ ...it, senders: ['sns', 'events'] }),
    it => ({ ...it, senders: ['events'] }),
    it => it,
  ];
  const next = queues.map(it => {
    const change = changes[random.integer(0, changes.length - 1)] ?? (same => same);
    return random.fraction() < 0.7 ? change(it) : it;
  });
  const kept = random.fraction() < 0.15 ? next.slice(1) : next;
  return { queues: random.fraction() < 0.2 ? [...kept, newQueue(random, 'Extra')] : kept };
}

function templateOf({ queues }: Version) {
  const Resources: Record<string, object> = { Topic: topic(), Role: role() };
  for (const it of queues) {
    const { id } = it;
    const retained = it.isRetained ? { UpdateReplacePolicy: 'Retain', DeletionPolicy: 'Retain' } : {};
    const redrive = { RedrivePolicy: { deadLetterTargetArn: arnOf(`${id}Dlq`), maxReceiveCount: 2 } };
    if (it.hasDlq) Resources[`${id}Dlq`] = queue(it.dlqName === undefined ? {} : { QueueName: it.dlqName }, retained);
    const named = it.name === undefined ? {} : { QueueName: it.name };
    Resources[id] = queue({ ...named, VisibilityTimeout: it.visibility, ...(it.hasDlq && redrive) }, retained);
    Resources[`${id}${it.policy}`] = policy(id, it.senders);
    const raw = it.isRaw ? { RawMessageDelivery: true } : {};
    Resources[`${id}${it.sub}`] = subscription('Topic', id, raw, `${id}${it.policy}`);
    if (!it.hasWorker) continue;
    Resources[`${id}Worker`] = worker(it.workerName === undefined ? {} : { FunctionName: it.workerName });
    Resources[`${id}${it.mapping}`] = mapping(id, `${id}Worker`);
  }
  return assemblyOfTemplates({ Test: { Resources } });
}

test(`the static check of ${PAIRS} random deployments never says safe where the simulation loses, and is rarely too careful`, async () => {
  let losing = 0;
  const missed: unknown[] = [];
  const tooCareful: unknown[] = [];
  for (let seed = 1; seed <= PAIRS; seed += 1) {
    const random = new Random(`deployment ${seed}`);
    const before = { queues: ['A', 'B'].slice(0, random.integer(1, 2)).map(id => newQueue(random, id)) };
    const result = await deployCheck(templateOf(before), templateOf(changed(random, before)), { seed });
    const { failure, receivers, risks, isSafe, isStaticallySafe } = result;
    if (!isSafe) losing += 1;
    const lost = receivers.flatMap(({ causes }) => causes.filter(({ effect }) => effect === 'lost'));
    // The check says this where the trace has no end of the message.
    const unexplained = lost.filter(({ why, operation }) => why === 'nothing received it' || !operation);
    expect({ seed, unexplained }).toEqual({ seed, unexplained: [] });
    if (isStaticallySafe && !isSafe) missed.push({ seed, failure, receivers });
    if (!isStaticallySafe && isSafe) tooCareful.push({ seed, risks });
  }
  const rate = ((100 * tooCareful.length) / PAIRS).toFixed(1);
  process.stdout.write(
    `${PAIRS} deployments: ${losing} lose messages or fail, ${missed.length} of them statically "safe"; ${tooCareful.length} false alarms (${rate} %)\n`,
  );
  expect(missed).toEqual([]);
  expect(tooCareful.length <= PAIRS * 0.05 ? [] : tooCareful).toEqual([]);
});
