import type { Finding } from './finding';

/** Of all findings those that have to do with a resource. */
export function findingsAbout(arn: string, findings: readonly Finding[]): readonly Finding[] {
  return findings.filter(({ about }) => about.includes(arn));
}
