import { awsCommand, type Site } from '../account/connection/printed-commands';
import type { Finding } from '../diagnosis/checks/finding';
import type { Fix } from '../diagnosis/fixes/fix';
import { publishedCheck } from '../lib/shared/published-runbook';

/** A fix as `--json` prints it: without calls and commands where only a person can say how. */
export function fixDocument({ says, statement, calls = [] }: Fix, site: Site) {
  return { says, statement: statement ?? null, calls, commands: calls.map(call => awsCommand(call, site)) };
}

/** A finding as `--json` prints it; `null` is what an account, or a template, does not tell. */
export function findingDocument({ id, severity, resource, location, says, fix }: Finding, site: Site) {
  const { arn, name, place } = resource;
  return {
    id,
    severity,
    resource: name,
    arn,
    stack: place?.stack ?? null,
    logicalId: place?.logicalId ?? null,
    template: place?.templatePath ?? null,
    location: location ?? null,
    says,
    fix: fixDocument(fix, site),
    section: publishedCheck(id),
  };
}
