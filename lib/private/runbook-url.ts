import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { IConstruct } from 'constructs';
import type { Problem } from '../policy/problem';
import { throwProblems } from './checks';
import { endpointProblems } from './deliveries/endpoint-url';
import { packageRoot } from './own-functions/handler-code';

/** Where a user says that the runbook is a page of their own: context, for the alarms of a whole app. */
export const RUNBOOK_CONTEXT = 'dead-letter-office:runbookUrl';

interface Manifest {
  readonly version: string;
  readonly repository: { readonly url: string };
}

/** The runbook as it was when this version was published, for the next one may name its sections otherwise. */
function ofThisVersion(): string {
  const { version, repository }: Manifest = JSON.parse(readFileSync(path.join(packageRoot(), 'package.json'), 'utf8'));
  const home = repository.url.replace(/^git\+/, '').replace(/\.git$/, '');
  return `${home}/blob/v${version}/docs/runbook.md`;
}

function statedProblems(stated: unknown): Problem[] {
  if (typeof stated === 'string') return endpointProblems(RUNBOOK_CONTEXT, stated);
  return [{ property: RUNBOOK_CONTEXT, rule: 'must be an absolute http or https URL', value: stated }];
}

/**
 * The page every alarm's description links to, without a section.
 * @throws if the context holds something else than an absolute http or https URL
 */
export function runbookUrl(scope: IConstruct): string {
  const stated: unknown = scope.node.tryGetContext(RUNBOOK_CONTEXT);
  if (stated === undefined) return ofThisVersion();
  throwProblems(scope.node.path, statedProblems(stated));
  return String(stated);
}
