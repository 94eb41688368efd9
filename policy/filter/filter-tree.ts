import { FILTER_LIMITS } from '../aws-limits';
import type { Wanted } from '../event-pattern/field-search';
import {
  EventPatternError,
  type LocatedJson,
  type LocatedObject,
  Refusals,
  readLocated,
} from '../event-pattern/located-json';
import { parseJsonAttribute } from '../json-text';
import { compileRule, OPERATOR_NAMES, type Rule, wildcardsOf } from './filter-conditions';

export const FILTER_POLICY_SCOPES = ['MessageAttributes', 'MessageBody'] as const;

export type FilterPolicyScope = (typeof FILTER_POLICY_SCOPES)[number];

/** An invalid filter policy. `message` is the text of SNS, without the prefix that names the API parameter. */
export class FilterPolicyError extends Error {
  override readonly name = 'FilterPolicyError';
}

/** SNS reports this problem without the name of the parameter. */
export class NestedPolicyError extends FilterPolicyError {
  constructor() {
    super('Filter policy scope MessageAttributes does not support nested filter policy');
  }
}

/**
 * Compiles the JSON of a filter policy into the ways to match it.
 *
 * Errors show the text as their source, as was recorded on AWS in May 2024. **Assumption SNS-50:** it still does.
 * In October 2025 AWS showed the source of texts that are not JSON as `REDACTED`.
 */
export function compileFilterPolicy(text: string, scope: FilterPolicyScope): readonly Wanted[] {
  parseJsonAttribute(text, problem => new FilterPolicyError(problem));
  const refusals = new Refusals(text);
  try {
    return alternativesOf(compileDocument(readLocated(text, refusals), scope, refusals));
  } catch (error) {
    if (error instanceof EventPatternError) throw new FilterPolicyError(error.message);
    throw error;
  }
}

function compileDocument(document: LocatedJson, scope: FilterPolicyScope, refusals: Refusals): FilterTree {
  if (document.kind !== 'object') throw new FilterPolicyError('Filter policy must be a JSON object');
  if (membersOf(document).size > FILTER_LIMITS.names) {
    throw new FilterPolicyError(`Filter policy can not have more than ${FILTER_LIMITS.names} keys`);
  }
  const tree = compileTree(document, refusals);
  if (scope === 'MessageAttributes' && isNested(tree)) throw new NestedPolicyError();
  if (combinations(tree) > FILTER_LIMITS.combinations || wildcardPoints(tree) > FILTER_LIMITS.wildcardPoints) {
    throw new FilterPolicyError('Filter policy is too complex');
  }
  return tree;
}

/** A compiled filter policy, or a part of it below a key. Every branch must match. */
interface FilterTree {
  readonly branches: readonly FilterBranch[];
}

type FilterBranch =
  | { readonly kind: 'rules'; readonly key: string; readonly rules: readonly Rule[]; readonly wildcardPoints: number }
  | { readonly kind: 'nested'; readonly key: string; readonly tree: FilterTree }
  | { readonly kind: 'or'; readonly trees: readonly FilterTree[] };

/** Returns the members of an object. As in JSON, the last of several with one name counts. */
function membersOf({ members }: LocatedObject): ReadonlyMap<string, LocatedJson> {
  return new Map(members.map(({ name, value }) => [name, value]));
}

/**
 * Returns the branches of a member that is the operator `$or`: a list of at least two objects, none of which has an
 * operator's name as a key. Any other `$or` is an ordinary key.
 * @see https://docs.aws.amazon.com/sns/latest/dg/and-or-logic.html
 */
function branchesOfOr(key: string, value: LocatedJson): readonly LocatedObject[] | undefined {
  if (key !== '$or' || value.kind !== 'array' || value.items.length < 2) return undefined;
  const branches = value.items.filter(item => item.kind === 'object');
  const named = branches.some(({ members }) => members.some(({ name }) => OPERATOR_NAMES.includes(name)));
  return named || branches.length < value.items.length ? undefined : branches;
}

function compileBranch(key: string, value: LocatedJson, refusals: Refusals): FilterBranch {
  const branches = branchesOfOr(key, value);
  if (branches) return { kind: 'or', trees: branches.map(branch => compileTree(branch, refusals)) };
  if (value.kind === 'object') return { kind: 'nested', key, tree: compileTree(value, refusals) };
  if (value.kind !== 'array') throw refusals.at(value.metAt, `"${key}" must be an object or an array`);
  if (value.items.length === 0) throw refusals.at(value.endAt, 'Empty arrays are not allowed');
  const rules = value.items.map(item => compileRule(item, refusals));
  return { kind: 'rules', key, rules, wildcardPoints: pointsOf(rules) };
}

function compileTree(policy: LocatedObject, refusals: Refusals): FilterTree {
  return { branches: [...membersOf(policy)].map(([key, value]) => compileBranch(key, value, refusals)) };
}

/** Whether a key holds an object, which a policy on message attributes may not have. */
function isNested({ branches }: FilterTree): boolean {
  return branches.some(
    branch => branch.kind === 'nested' || (branch.kind === 'or' && branch.trees.some(tree => isNested(tree))),
  );
}

/**
 * Returns the number of value combinations in a policy: the product over its keys of the number of values times the
 * nesting depth of the key. The branches of an `$or` are added.
 * @see https://docs.aws.amazon.com/sns/latest/dg/subscription-filter-policy-constraints.html
 */
function combinations({ branches }: FilterTree, depth = 1): number {
  return branches.reduce((product, branch) => product * branchCombinations(branch, depth), 1);
}

function branchCombinations(branch: FilterBranch, depth: number): number {
  switch (branch.kind) {
    case 'rules':
      return branch.rules.length * depth;
    case 'nested':
      return combinations(branch.tree, depth + 1);
    case 'or':
      return branch.trees.reduce((sum, tree) => sum + combinations(tree, depth), 0);
  }
}

/**
 * Returns the points of the wildcards in a key's list: one for a wildcard with one asterisk, three for each asterisk of
 * others, their sum times the number of wildcards.
 * @throws FilterPolicyError when a wildcard has too many asterisks. **Assumption SNS-48:** AWS does not publish this
 * text.
 * @see https://docs.aws.amazon.com/sns/latest/dg/subscription-filter-policy-constraints.html
 */
function pointsOf(rules: readonly Rule[]): number {
  const wildcards = wildcardsOf(rules);
  if (wildcards.some(count => count > FILTER_LIMITS.wildcardsEach)) {
    throw new FilterPolicyError('Filter policy is too complex');
  }
  const sum = wildcards.reduce((points, count) => points + (count > 1 ? 3 * count : count), 0);
  return sum * wildcards.length;
}

function wildcardPoints({ branches }: FilterTree): number {
  return branches.reduce((sum, branch) => sum + branchPoints(branch), 0);
}

function branchPoints(branch: FilterBranch): number {
  switch (branch.kind) {
    case 'rules':
      return branch.wildcardPoints;
    case 'nested':
      return wildcardPoints(branch.tree);
    case 'or':
      return branch.trees.reduce((points, tree) => points + wildcardPoints(tree), 0);
  }
}

/**
 * Returns the ways to match a policy that is not too complex. Names of nested keys are joined by dots, so that a key
 * with dots, in the policy or in a message body, is the same as nested keys. That was recorded on AWS in May 2024.
 */
function alternativesOf(tree: FilterTree): readonly Wanted[] {
  return expanded(tree, '', [[]]).map(wanted => [...wanted].sort(([a], [b]) => (a < b ? -1 : Number(a > b))));
}

function expanded({ branches }: FilterTree, path: string, before: readonly Wanted[]): readonly Wanted[] {
  return branches.reduce<readonly Wanted[]>((alternatives, branch) => {
    if (branch.kind === 'or') return branch.trees.flatMap(tree => expanded(tree, path, alternatives));
    const here = path === '' ? branch.key : `${path}.${branch.key}`;
    if (branch.kind === 'nested') return expanded(branch.tree, here, alternatives);
    return alternatives.map(wanted => [...wanted, [here, branch.rules] as const]);
  }, before);
}
