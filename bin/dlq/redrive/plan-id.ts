import { createHash } from 'node:crypto';
import type { ManualRedrivePlan, PlanInput } from '../../../diagnosis/manual-redrive/hand-plan';
import { totalOf } from '../../../policy/redrive/budget';
import { BadInput } from '../../errors';

/** How the parts of a plan stand in its id, and what each is called where it has changed. */
const PARTS: readonly (readonly [PlanInput, string])[] = [
  ['options', '--to, --rate, --canary or --filter are others'],
  ['route', 'the letters would go elsewhere, or by another way'],
  ['queues', 'a queue is configured otherwise, or the destination is another queue of that name'],
  ['surroundings', 'who feeds or reads the queues is another, or a task has begun or ended'],
];

/** Our choice: of the 32,768 a changed part can become, one is taken for no change. */
const CHARACTERS = 3;

const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz';

const ID = /^(\d+)-([0-9a-z]{12})$/;

function hashOf(value: unknown): string {
  const bytes = createHash('sha256').update(JSON.stringify(value)).digest();
  return [...bytes.subarray(0, CHARACTERS)].map(byte => ALPHABET[byte % ALPHABET.length]).join('');
}

/**
 * The id of a plan: how many letters there are, and a short hash of each part it hangs on, so that what has changed since can
 * be told from the id alone. `12-k3f9xac0m7pq`
 */
export function planIdOf({ deadLetters, planInputs }: ManualRedrivePlan): string {
  return `${totalOf(deadLetters.depth)}-${PARTS.map(([part]) => hashOf(planInputs[part])).join('')}`;
}

/**
 * What has changed since a plan was made, in words; nothing where it is the same plan.
 * @param id the id of the plan that was made then
 * @throws BadInput when it is the id of no plan
 */
export function changesSince(id: string, plan: ManualRedrivePlan): readonly string[] {
  const [, thenMessages, thenHashes = ''] = ID.exec(id) ?? [];
  if (thenMessages === undefined) {
    throw new BadInput([`--execute takes the id of a plan, such as ${planIdOf(plan)}, or nothing; got ${id}`]);
  }
  const messages = totalOf(plan.deadLetters.depth);
  const nowHashes = planIdOf(plan).split('-')[1] ?? '';
  const changed = PARTS.filter((_, index) => {
    const [from, to] = [index * CHARACTERS, (index + 1) * CHARACTERS];
    return thenHashes.slice(from, to) !== nowHashes.slice(from, to);
  });
  const depth = Number(thenMessages) === messages ? [] : [`depth ${thenMessages} → ${messages}`];
  return [...depth, ...changed.map(([, says]) => says)];
}
