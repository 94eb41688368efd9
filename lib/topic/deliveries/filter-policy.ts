import { Token } from 'aws-cdk-lib';
import type { FilterOrPolicy, SubscriptionFilter } from 'aws-cdk-lib/aws-sns';
import { FILTER_LIMITS } from '../../../policy/limits/filter-limits';
import type { Problem } from '../../../policy/problem';
import { absentProblems } from '../../shared/checks';

/** The filters a user may state: one of them at most. */
export interface Filters {
  readonly filterPolicy?: { [attribute: string]: SubscriptionFilter };
  readonly filterPolicyWithMessageBody?: { [attribute: string]: FilterOrPolicy };
}

interface Leaf {
  readonly path: string;
  readonly depth: number;
  readonly conditions: readonly unknown[];
}

/** The CDK types tell a filter from a nested policy by a guard; the compiler cannot see that it must be one of both. */
function leaves(members: { [name: string]: FilterOrPolicy }, prefix: string, depth: number): Leaf[] {
  return Object.entries(members).flatMap(([name, member]) => {
    const path = `${prefix}.${name}`;
    if (member.isPolicy()) return leaves(member.policyDoc, path, depth + 1);
    return member.isFilter() ? [{ path, depth, conditions: member.filterDoc.conditions }] : [];
  });
}

function leavesOf({ filterPolicy = {}, filterPolicyWithMessageBody = {} }: Filters): Leaf[] {
  const attributes = Object.entries(filterPolicy).map(([name, { conditions }]) => ({
    path: `filterPolicy.${name}`,
    depth: 1,
    conditions,
  }));
  return [...attributes, ...leaves(filterPolicyWithMessageBody, 'filterPolicyWithMessageBody', 1)];
}

function sizeProblems(property: string, names: number, filterLeaves: readonly Leaf[]): Problem[] {
  const combinations = filterLeaves.reduce((product, { conditions, depth }) => product * conditions.length * depth, 1);
  return [
    ...(names === 0 ? [{ property, rule: 'must name something to filter by', value: {} }] : []),
    ...(names > FILTER_LIMITS.names
      ? [{ property, rule: `must have at most ${FILTER_LIMITS.names} names`, value: names }]
      : []),
    ...(combinations > FILTER_LIMITS.combinations
      ? [
          {
            property,
            rule: `must have at most ${FILTER_LIMITS.combinations} combinations of values`,
            value: combinations,
          },
        ]
      : []),
  ];
}

/** Everything SNS would reject of the filters. Conditions that hold a token are not judged. */
export function filterProblems(filters: Filters): Problem[] {
  const { filterPolicy, filterPolicyWithMessageBody } = filters;
  const known = leavesOf(filters).filter(({ conditions }) => !Token.isUnresolved(conditions));
  const both = filterPolicy !== undefined && filterPolicyWithMessageBody !== undefined;
  const given = Object.entries({ filterPolicy, filterPolicyWithMessageBody });
  return [
    ...(both ? absentProblems('filterPolicyWithMessageBody', 'both', 'where filterPolicy is present') : []),
    ...known
      .filter(({ conditions }) => conditions.length === 0)
      .map(({ path }) => ({ property: path, rule: 'must list at least one condition', value: [] })),
    ...given.flatMap(([property, members]) =>
      members
        ? sizeProblems(
            property,
            Object.keys(members).length,
            known.filter(({ path }) => path.startsWith(`${property}.`)),
          )
        : [],
    ),
  ];
}
