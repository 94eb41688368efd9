import type { Finding } from '../../lib/policy/checks/finding';
import { renderCall } from '../../lib/policy/fixes/render';
import { publishedCheck } from '../../lib/private/published-runbook';
import type { Examined } from './examined';

function findingDocument({ id, severity, resource, location, says, fix }: Finding, region: string | undefined) {
  const { arn, name, place } = resource;
  const { calls = [] } = fix;
  return {
    id,
    severity,
    resource: name,
    arn,
    ...(place && { stack: place.stack, logicalId: place.logicalId, template: place.templatePath }),
    ...(location !== undefined && { location }),
    says,
    fix: {
      says: fix.says,
      ...(fix.statement && { statement: fix.statement }),
      ...(calls.length > 0 && {
        calls,
        commands: calls.map(call => renderCall(call, region === undefined ? {} : { region })),
      }),
    },
    section: publishedCheck(id),
  };
}

/** What `--json` prints. */
export function doctorDocument({ what, region, acknowledgedCount, unread }: Examined, findings: readonly Finding[]) {
  return {
    examined: what,
    ...(region !== undefined && { region }),
    findings: findings.map(it => findingDocument(it, region)),
    acknowledgedCount,
    unread,
  };
}
