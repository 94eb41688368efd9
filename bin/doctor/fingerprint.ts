import { createHash } from 'node:crypto';
import type { Finding } from '../../diagnosis/checks/finding';

const LENGTH = 16;

/**
 * What identifies a finding from one run to the next: its check and its resource. Its text, its severity and the other
 * resources it names change with the app.
 */
function identityOf({ id, resource: { arn, name, place } }: Finding): string {
  return JSON.stringify([id, place?.stack ?? '', name, arn]);
}

/**
 * Returns an id for each finding that stays the same while the check and the resource do. The second finding of a check
 * about a resource has its number in the id.
 */
export function fingerprints(findings: readonly Finding[]): ReadonlyMap<Finding, string> {
  const seen = new Map<string, number>();
  return new Map(
    findings.map(finding => {
      const identity = identityOf(finding);
      const count = (seen.get(identity) ?? 0) + 1;
      seen.set(identity, count);
      const text = count === 1 ? identity : `${identity} ${count}`;
      return [finding, createHash('sha256').update(text).digest('hex').slice(0, LENGTH)];
    }),
  );
}
