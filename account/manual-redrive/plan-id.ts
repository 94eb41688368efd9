import { createHash } from 'node:crypto';
import type { ManualRedrivePlan } from '../../diagnosis/manual-redrive/manual-redrive-plan';
import type { PlanInput } from '../../diagnosis/manual-redrive/planned-moves';
import { totalOf } from '../../policy/redrive/budget';
import { BadInput } from '../errors';

const PARTS: readonly (readonly [PlanInput, string])[] = [
  ['options', '--to, --subscription, --rate, --canary or --filter differ'],
  ['route', 'the destination, or the way the messages are moved, has changed'],
  ['queues', 'the configuration of a queue has changed, or the destination was replaced by another queue of its name'],
  ['activity', 'what sends to the queues or reads them has changed, or a move task has started or ended'],
];

/** Short enough to type. One of 32,768 changes of an input goes unnoticed. */
const CHARACTERS = 3;

const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz';

const ID = /^(\d+)-([0-9a-z]{12})$/;

function hashOf(value: unknown): string {
  const bytes = createHash('sha256').update(JSON.stringify(value)).digest();
  return [...bytes.subarray(0, CHARACTERS)].map(byte => ALPHABET[byte % ALPHABET.length]).join('');
}

/**
 * The id of a plan: the number of messages, and a short hash of each input. The id alone shows which input has
 * changed since: `12-k3f9xac0m7pq`
 */
export function planIdOf({ deadLetters, planInputs }: ManualRedrivePlan): string {
  return `${totalOf(deadLetters.depth)}-${PARTS.map(([part]) => hashOf(planInputs[part])).join('')}`;
}

/**
 * Describes what has changed since an earlier plan. Empty when nothing has.
 * @param id of the earlier plan
 */
export function changesSince(id: string, plan: ManualRedrivePlan): readonly string[] {
  const [, thenMessages, thenHashes = ''] = ID.exec(id) ?? [];
  if (thenMessages === undefined) {
    throw new BadInput([`--execute must have the id of a plan, such as ${planIdOf(plan)}, or nothing: got ${id}`]);
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
