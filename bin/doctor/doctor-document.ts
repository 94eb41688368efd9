import type { Finding } from '../../lib/policy/checks/finding';
import type { Site } from '../aws/printed-commands';
import { findingDocument } from '../fix-document';
import type { Examined } from './examined';

/** What `--json` prints. */
export function doctorDocument(
  { what, region, acknowledgedCount, unread }: Examined,
  findings: readonly Finding[],
  site: Site,
) {
  return {
    examined: what,
    region: region ?? null,
    findings: findings.map(it => findingDocument(it, site)),
    acknowledgedCount,
    unread,
  };
}
