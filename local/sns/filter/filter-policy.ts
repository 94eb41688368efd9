import { FILTER_LIMITS } from '../../../policy/limits/filter-limits';
import { isMembers } from '../../kernel/json';
import type { FilterReason } from '../happenings';
import { parseJsonAttribute } from '../json-attribute';
import type { Message } from '../message';
import { FilterPolicyError } from './filter-policy-error';
import { attributesPass, combinations, compileTree, documentPasses, type FilterTree, isNested } from './filter-tree';

export const FILTER_POLICY_SCOPES = ['MessageAttributes', 'MessageBody'] as const;

/** What a filter policy looks at. */
export type FilterPolicyScope = (typeof FILTER_POLICY_SCOPES)[number];

function compile(document: unknown, scope: FilterPolicyScope): FilterTree {
  if (!isMembers(document)) throw new FilterPolicyError('Filter policy must be a JSON object');
  if (Object.keys(document).length > FILTER_LIMITS.names) {
    throw new FilterPolicyError(`Filter policy can not have more than ${FILTER_LIMITS.names} keys`);
  }
  const tree = compileTree(document);
  if (scope === 'MessageAttributes' && isNested(tree)) throw new NestedPolicyError();
  if (combinations(tree) > FILTER_LIMITS.combinations) throw new FilterPolicyError('Filter policy is too complex');
  return tree;
}

/** The one text SNS gives without naming the parameter first. */
export class NestedPolicyError extends FilterPolicyError {
  constructor() {
    super('Filter policy scope MessageAttributes does not support nested filter policy');
  }
}

function parsed(text: string): unknown {
  return parseJsonAttribute(text, problem => new FilterPolicyError(problem));
}

/**
 * Which messages a subscriber wants.
 * @see https://docs.aws.amazon.com/sns/latest/dg/sns-message-filtering.html
 */
export class FilterPolicy {
  private readonly tree: FilterTree;

  /**
   * @param text the policy's JSON
   * @throws FilterPolicyError at the first thing that is wrong, as SNS does
   */
  constructor(
    readonly text: string,
    readonly scope: FilterPolicyScope,
  ) {
    if (Buffer.byteLength(text) > FILTER_LIMITS.bytes)
      throw new FilterPolicyError(`Filter policy is larger than ${FILTER_LIMITS.bytes} bytes`);
    this.tree = compile(parsed(text), scope);
  }

  /** Why the message is turned away, or undefined when it passes. */
  rejects(message: Message): FilterReason | undefined {
    return this.scope === 'MessageBody' ? this.rejectsBody(message) : this.rejectsAttributes(message);
  }

  private rejectsBody(message: Message): FilterReason | undefined {
    const { document } = message;
    if (!document) return 'InvalidMessageBody';
    return documentPasses(this.tree, document) ? undefined : 'MessageBody';
  }

  private rejectsAttributes(message: Message): FilterReason | undefined {
    const { values, hasAttributes, hasInvalid } = message.filterable;
    if (attributesPass(this.tree, values)) return undefined;
    if (!hasAttributes) return 'NoMessageAttributes';
    return hasInvalid ? 'InvalidAttributes' : 'MessageAttributes';
  }
}
