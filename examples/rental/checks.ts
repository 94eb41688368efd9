import { Token, Validations } from 'aws-cdk-lib';
import type { IConstruct } from 'constructs';

/** Throws one error with all problems of a construct that is about to be created, if there are any. */
export function throwProblems(scope: IConstruct, id: string, problems: readonly string[]): void {
  if (problems.length === 0) return;
  const path = scope.node.path === '' ? id : `${scope.node.path}/${id}`;
  const count = problems.length === 1 ? '1 problem' : `${problems.length} problems`;
  throw new Error([`${path} has ${count}:`, ...problems.map(problem => `  - ${problem}`)].join('\n'));
}

/** A problem if `url` is not an absolute http or https URL. The error shows only its host, because it may hold a token. */
export function urlProblems(property: string, url: string | undefined): string[] {
  if (url === undefined || Token.isUnresolved(url)) return [];
  const parsed = URL.canParse(url) ? new URL(url) : undefined;
  if (parsed?.protocol === 'http:' || parsed?.protocol === 'https:') return [];
  const shown = parsed ? `${parsed.protocol}//${parsed.host}` : `${url.length} characters that are not a URL`;
  return [`${property} must be an absolute http or https URL, got ${JSON.stringify(shown)}`];
}

/** Acknowledges a rule of cdk-nag 3, which needs the `Validations` of aws-cdk-lib 2.251 or later. */
export function acknowledge(construct: IConstruct, id: string, reason: string): void {
  const available: typeof Validations | undefined = Validations;
  available?.of(construct).acknowledge({ id, reason });
}
