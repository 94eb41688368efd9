import { isObject } from '../../policy/json-members';
import { hasStandIn, standIn, withStandIns } from '../../template/stand-in';
import type { TemplateStack } from '../../template/template-stack';
import type { Inventory, Resource } from '../inventory/inventory';
import { readTemplates } from '../template-reader/read-templates';
import { CHECKS, checkInventory } from './check-inventory';
import type { Finding } from './finding';

/** The contents of a stage's stacks, and the findings. */
interface CheckedStage {
  readonly inventory: Inventory;
  readonly findings: readonly Finding[];
}

/** Checks whose findings are about something missing, which may exist in another stage. */
const OF_ABSENCE: ReadonlySet<string> = new Set(
  CHECKS.filter(({ reportsMissing }) => reportsMissing !== undefined).map(({ id }) => id),
);

/** The separators before the name in an ARN or URL. */
const SEPARATOR = /[:/"]/;

function nameOf(arn: string): string {
  return arn.split(SEPARATOR).at(-1) ?? arn;
}

function namesIn(value: unknown): string[] {
  if (typeof value === 'string') return value.split(SEPARATOR);
  if (Array.isArray(value)) return value.flatMap(namesIn);
  return isObject(value) ? Object.values(value).flatMap(namesIn) : [];
}

/** The names that a stage writes out without creating the resource: another stage may create it. */
function namesOfOthers(stacks: readonly TemplateStack[], inventory: Inventory): ReadonlySet<string> {
  const { topics, queues, functions, roles, alarms } = inventory;
  const own = new Set([...topics, ...queues, ...functions, ...roles, ...alarms].map(({ arn }) => nameOf(arn)));
  const watched = alarms.flatMap(({ metrics, queries = [], rule }) => [metrics, queries, rule]);
  const written = stacks.map(({ template }) => (isObject(template) ? template['Resources'] : undefined));
  return new Set(namesIn([written, watched]).filter(name => !own.has(name)));
}

/** Whether another stage names the resource of a finding, and so may contain what is missing. */
function mayBeElsewhere({ id, about }: Finding, named: readonly ReadonlySet<string>[]): boolean {
  if (!OF_ABSENCE.has(id)) return false;
  const names = about.map(nameOf).filter(name => !hasStandIn(name));
  return names.some(name => named.some(it => it.has(name)));
}

/**
 * Checks the stages of an app, each of which is deployed on its own. A stage may monitor another stage's resource, or
 * give permissions for it, by its name. So nothing is reported as missing if another stage may contain it.
 */
export function checkedStages(stages: readonly (readonly TemplateStack[])[]): readonly CheckedStage[] {
  const read = stages.map(stacks => {
    const inventory = readTemplates(stacks);
    return { inventory, named: namesOfOthers(stacks, inventory) };
  });
  return read.map(({ inventory }) => {
    const others = read.filter(it => it.inventory !== inventory).map(({ named }) => named);
    const found = checkInventory(inventory).filter(it => !mayBeElsewhere(it, others));
    return { inventory, findings: readableFindings(found, inventory) };
  });
}

function resourcesOf(inventory: Inventory): readonly Resource[] {
  const { topics, queues, functions, alarms, keys, roles, targets } = inventory;
  return [...topics, ...queues, ...functions, ...alarms, ...keys, ...roles, ...targets];
}

const OF_A_PROPERTY = /^<\w+ of /;

/** Display names by stand-in. If a resource has several names, the first counts. */
function namesOf(inventory: Inventory): ReadonlyMap<string, string> {
  const named = resourcesOf(inventory).flatMap(({ name, place }) =>
    place ? [[standIn(`${place.stack}.${place.logicalId}`), name] as const] : [],
  );
  return new Map(named.reverse());
}

/**
 * Replaces stand-ins in findings by construct paths, which the author of a template knows. Policy statements keep them,
 * because only a name can be there.
 */
export function readableFindings(findings: readonly Finding[], inventory: Inventory): Finding[] {
  const names = namesOf(inventory);
  const spoken = (text: string) =>
    withStandIns(text, unknown => names.get(unknown) ?? names.get(unknown.replace(OF_A_PROPERTY, '<')) ?? unknown);
  return findings.map(it => ({ ...it, says: spoken(it.says), fix: { ...it.fix, says: spoken(it.fix.says) } }));
}
