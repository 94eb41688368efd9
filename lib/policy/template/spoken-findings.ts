import type { Finding } from '../checks/finding';
import type { Inventory, Resource } from '../inventory/inventory';
import { standIn } from '../inventory/stand-in';

function resourcesOf(inventory: Inventory): readonly Resource[] {
  const { topics, queues, functions, alarms, keys, roles, targets } = inventory;
  return [...topics, ...queues, ...functions, ...alarms, ...keys, ...roles, ...targets];
}

/**
 * Findings of a template in words for its author, who knows a construct by its path, not by what stands for the name it will
 * get. In statements of policies that stays, for nothing else can stand there.
 */
export function spokenFindings(findings: readonly Finding[], inventory: Inventory): Finding[] {
  const names = resourcesOf(inventory).flatMap(({ name, place }) =>
    place ? [[standIn(`${place.stack}.${place.logicalId}`), name] as const] : [],
  );
  const spoken = (text: string) => names.reduce((words, [unknown, name]) => words.replaceAll(unknown, name), text);
  return findings.map(it => ({ ...it, says: spoken(it.says), fix: { ...it.fix, says: spoken(it.fix.says) } }));
}
