import { isObject, type JsonObject } from '../../policy/json-members';
import type { Finding } from './finding';

/** A finding id that the app acknowledges for a construct and all constructs in it. The path of an app is empty. */
export interface Acknowledged {
  readonly path: string;
  readonly id: string;
}

/** The metadata that `Validations.of(…).acknowledge(…)` adds to a construct, and CDK writes into an assembly. */
const METADATA = 'aws:cdk:acknowledged-rules';

/** The prefix of the ids of `DeadLetterOfficeChecks`. */
export const OWN_IDS = 'dead-letter-office::';

/** @param metadata the entries of each construct by its path */
export function acknowledgedIn(metadata: JsonObject): Acknowledged[] {
  return Object.entries(metadata).flatMap(([path, entries]) => {
    const listed: readonly unknown[] = Array.isArray(entries) ? entries : [];
    const reported = listed.flatMap(it =>
      isObject(it) && it['type'] === METADATA && isObject(it['data']) ? [it['data']] : [],
    );
    const ids = reported.flatMap(data => Object.keys(data)).filter(id => id.startsWith(OWN_IDS));
    return ids.map(id => ({ path: path.replace(/^\//, ''), id: id.slice(OWN_IDS.length) }));
  });
}

export function isAcknowledged({ id, resource }: Finding, all: readonly Acknowledged[]): boolean {
  const where = resource.place?.constructPath;
  if (where === undefined) return false;
  return all.some(({ path, ...it }) => it.id === id && (path === '' || where === path || where.startsWith(`${path}/`)));
}
