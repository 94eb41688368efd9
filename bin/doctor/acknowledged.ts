import type { Finding } from '../../diagnosis/checks/finding';
import { isObject, type JsonObject } from '../../policy/members';

/** An id somebody has acknowledged, for a construct and all below it. */
export interface Acknowledged {
  readonly path: string;
  readonly id: string;
}

/** What `Validations.of(…).acknowledge(…)` leaves in an assembly. */
const METADATA = 'aws:cdk:acknowledged-rules';

/** As `DeadLetterOfficeChecks` names its ids. */
const PREFIX = 'dead-letter-office::';

/** What is acknowledged of ours, by the metadata of a stack. */
export function acknowledgedIn(metadata: JsonObject): Acknowledged[] {
  return Object.entries(metadata).flatMap(([path, entries]) => {
    const listed: readonly unknown[] = Array.isArray(entries) ? entries : [];
    const reported = listed.flatMap(it =>
      isObject(it) && it['type'] === METADATA && isObject(it['data']) ? [it['data']] : [],
    );
    const ids = reported.flatMap(data => Object.keys(data)).filter(id => id.startsWith(PREFIX));
    return ids.map(id => ({ path: path.replace(/^\//, ''), id: id.slice(PREFIX.length) }));
  });
}

function listOf(value: unknown): readonly JsonObject[] {
  return Array.isArray(value) ? value.filter(isObject) : [];
}

/**
 * What a report of CDK's says is acknowledged of ours: of an app or a stage an assembly tells it nowhere else. There is one
 * where a plugin checked the app.
 */
export function acknowledgedByReport(report: JsonObject): Acknowledged[] {
  const suppressed = listOf(report['pluginReports']).flatMap(it => listOf(it['suppressedViolations']));
  return suppressed.flatMap(({ acknowledgedId, violatingConstructs }) => {
    if (typeof acknowledgedId !== 'string' || !acknowledgedId.startsWith(PREFIX)) return [];
    const id = acknowledgedId.slice(PREFIX.length);
    return listOf(violatingConstructs).flatMap(({ constructPath: path }) =>
      typeof path === 'string' ? [{ path, id }] : [],
    );
  });
}

/** Whether a finding is acknowledged for its construct, or for one it is below. */
export function isAcknowledged({ id, resource }: Finding, all: readonly Acknowledged[]): boolean {
  const where = resource.place?.constructPath;
  if (where === undefined) return false;
  return all.some(it => it.id === id && (where === it.path || where.startsWith(`${it.path}/`)));
}
