import type { IConstruct } from 'constructs';
import type { Problem } from '../../policy/problem';
import { endpointProblems } from '../topic/deliveries/endpoint-url';
import { throwProblems } from './checks';
import { publishedRunbook } from './published-runbook';

/** Where a user says that the runbook is a page of their own: context, for the alarms of a whole app. */
export const RUNBOOK_CONTEXT = 'dead-letter-office:runbookUrl';

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
  if (stated === undefined) return publishedRunbook();
  throwProblems(scope.node.path, statedProblems(stated));
  return String(stated);
}
