import { standIn, withStandIns } from '../../template/stand-in';
import type { Finding } from '../checks/finding';
import type { Inventory, Resource } from '../inventory/inventory';

function resourcesOf(inventory: Inventory): readonly Resource[] {
  const { topics, queues, functions, alarms, keys, roles, targets } = inventory;
  return [...topics, ...queues, ...functions, ...alarms, ...keys, ...roles, ...targets];
}

const OF_A_PROPERTY = /^<\w+ of /;

/** Names by what stands for them, of what has several the first. */
function namesOf(inventory: Inventory): ReadonlyMap<string, string> {
  const named = resourcesOf(inventory).flatMap(({ name, place }) =>
    place ? [[standIn(`${place.stack}.${place.logicalId}`), name] as const] : [],
  );
  return new Map(named.reverse());
}

/**
 * Findings of a template in words for its author, who knows a construct by its path, not by what stands for the name it will
 * get. In statements of policies that stays, for nothing else can stand there.
 */
export function readableFindings(findings: readonly Finding[], inventory: Inventory): Finding[] {
  const names = namesOf(inventory);
  const spoken = (text: string) =>
    withStandIns(text, unknown => names.get(unknown) ?? names.get(unknown.replace(OF_A_PROPERTY, '<')) ?? unknown);
  return findings.map(it => ({ ...it, says: spoken(it.says), fix: { ...it.fix, says: spoken(it.fix.says) } }));
}
