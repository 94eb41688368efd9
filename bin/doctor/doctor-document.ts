import type { Site } from '../../account/connection/printed-commands';
import type { Finding } from '../../diagnosis/checks/finding';
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
