import type { MessageAttributeValue } from '@aws-sdk/client-sns';
import { FILTER_LIMITS } from '../../../policy/aws-limits';
import { isObject, type JsonObject, jsonOrUndefined } from '../../kernel/json';
import { attributeKind } from '../../kernel/messaging';
import { parseJsonAttribute } from '../errors';
import type { FilterReason } from '../trace-events';
import {
  anyRuleHolds,
  compileRule,
  FilterPolicyError,
  type FilterValue,
  OPERATOR_NAMES,
  type Rule,
} from './filter-conditions';

export const FILTER_POLICY_SCOPES = ['MessageAttributes', 'MessageBody'] as const;

/** The part of a message that a filter policy reads. */
export type FilterPolicyScope = (typeof FILTER_POLICY_SCOPES)[number];

function compile(document: unknown, scope: FilterPolicyScope): FilterTree {
  if (!isObject(document)) throw new FilterPolicyError('Filter policy must be a JSON object');
  if (Object.keys(document).length > FILTER_LIMITS.names) {
    throw new FilterPolicyError(`Filter policy can not have more than ${FILTER_LIMITS.names} keys`);
  }
  const tree = compileTree(document);
  if (scope === 'MessageAttributes' && isNested(tree)) throw new NestedPolicyError();
  if (combinations(tree) > FILTER_LIMITS.combinations) throw new FilterPolicyError('Filter policy is too complex');
  return tree;
}

/** SNS reports this problem without the name of the parameter. */
export class NestedPolicyError extends FilterPolicyError {
  constructor() {
    super('Filter policy scope MessageAttributes does not support nested filter policy');
  }
}

function parsed(text: string): unknown {
  return parseJsonAttribute(text, problem => new FilterPolicyError(problem));
}

/** The parts of a message that filter policies read. */
interface FilteredMessage {
  readonly filterable: AttributeReading;
  /** Undefined when the body is not a JSON object. */
  readonly document: JsonObject | undefined;
}

/**
 * Decides which messages a subscription receives.
 * @see https://docs.aws.amazon.com/sns/latest/dg/sns-message-filtering.html
 */
export class FilterPolicy {
  private readonly tree: FilterTree;

  /**
   * @param text the policy's JSON
   * @throws FilterPolicyError for the first problem only, as SNS does
   */
  constructor(
    readonly text: string,
    readonly scope: FilterPolicyScope,
  ) {
    if (Buffer.byteLength(text) > FILTER_LIMITS.bytes)
      throw new FilterPolicyError(`Filter policy is larger than ${FILTER_LIMITS.bytes} bytes`);
    this.tree = compile(parsed(text), scope);
  }

  /** Returns why the policy rejects a message, or undefined when the message passes. */
  rejects(message: FilteredMessage): FilterReason | undefined {
    return this.scope === 'MessageBody' ? this.rejectsBody(message) : this.rejectsAttributes(message);
  }

  private rejectsBody(message: FilteredMessage): FilterReason | undefined {
    const { document } = message;
    if (!document) return 'InvalidMessageBody';
    return documentPasses(this.tree, document) ? undefined : 'MessageBody';
  }

  private rejectsAttributes(message: FilteredMessage): FilterReason | undefined {
    const { values, hasAttributes, hasInvalid } = message.filterable;
    if (attributesPass(this.tree, values)) return undefined;
    if (!hasAttributes) return 'NoMessageAttributes';
    return hasInvalid ? 'InvalidAttributes' : 'MessageAttributes';
  }
}

/** A compiled filter policy, or a part of it below a key. Every branch must match. */
interface FilterTree {
  readonly branches: readonly FilterBranch[];
}

type FilterBranch =
  | { readonly kind: 'rules'; readonly key: string; readonly rules: readonly Rule[] }
  | { readonly kind: 'nested'; readonly key: string; readonly tree: FilterTree }
  | { readonly kind: 'or'; readonly trees: readonly FilterTree[] };

/**
 * Whether a member named `$or` is the operator: a list of at least two objects, none of which has an operator's name as
 * a key. Any other `$or` is an ordinary key.
 * @see https://docs.aws.amazon.com/sns/latest/dg/and-or-logic.html
 */
function isOr(key: string, value: unknown): value is readonly JsonObject[] {
  if (key !== '$or' || !Array.isArray(value) || value.length < 2) return false;
  return value.every(item => isObject(item) && !Object.keys(item).some(name => OPERATOR_NAMES.includes(name)));
}

function compileBranch(key: string, value: unknown): FilterBranch {
  if (isOr(key, value)) return { kind: 'or', trees: value.map(compileTree) };
  if (isObject(value)) return { kind: 'nested', key, tree: compileTree(value) };
  if (!Array.isArray(value)) throw new FilterPolicyError(`"${key}" must be an object or an array`);
  if (value.length === 0) throw new FilterPolicyError('Empty arrays are not allowed');
  return { kind: 'rules', key, rules: value.map(compileRule) };
}

/** @throws FilterPolicyError for the first problem only, as SNS does */
function compileTree(policy: JsonObject): FilterTree {
  return { branches: Object.entries(policy).map(([key, value]) => compileBranch(key, value)) };
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

/** Whether message attributes match. */
function attributesPass(tree: FilterTree, values: ReadonlyMap<string, readonly FilterValue[]>): boolean {
  return tree.branches.every(branch => {
    if (branch.kind === 'or') return branch.trees.some(alternative => attributesPass(alternative, values));
    return branch.kind === 'rules' && anyRuleHolds(branch.rules, values.get(branch.key));
  });
}

/**
 * Returns the items at one place of the document: the value itself, or the items of a list, with nested lists
 * flattened.
 */
function itemsAt(place: unknown): readonly unknown[] {
  if (!Array.isArray(place)) return [place];
  const items: unknown[] = [];
  // An explicit stack, because the publisher decides how deep the lists are nested.
  const lists: Iterator<unknown>[] = [place.values()];
  for (let list = lists.at(-1); list; list = lists.at(-1)) {
    const next = list.next();
    if (next.done) lists.pop();
    else if (Array.isArray(next.value)) lists.push(next.value.values());
    else items.push(next.value);
  }
  return items;
}

/** Returns the scalars at one place of the document, or undefined when there are none. */
function scalarsAt(place: unknown): readonly FilterValue[] | undefined {
  if (place === undefined) return undefined;
  const scalars = itemsAt(place).filter((item): item is FilterValue => !isObject(item));
  return scalars.length > 0 ? scalars : undefined;
}

/** Returns the objects at one place of the document. A missing object counts as empty, for `exists: false`. */
function objectsAt(place: unknown): readonly JsonObject[] {
  if (!Array.isArray(place)) return [isObject(place) ? place : {}];
  return itemsAt(place).map(item => (isObject(item) ? item : {}));
}

function branchPasses(branch: FilterBranch, document: JsonObject): boolean {
  switch (branch.kind) {
    case 'or':
      return branch.trees.some(alternative => documentPasses(alternative, document));
    case 'nested':
      return objectsAt(ownMember(document, branch.key)).some(object => documentPasses(branch.tree, object));
    case 'rules':
      return anyRuleHolds(branch.rules, scalarsAt(ownMember(document, branch.key)));
  }
}

/** Whether the JSON body of a message matches. In a list of objects, one object must match all conditions by itself. */
function documentPasses(tree: FilterTree, document: JsonObject): boolean {
  return tree.branches.every(branch => branchPasses(branch, document));
}

/** Reads own members only, so that a key such as `__proto__` finds nothing. */
function ownMember(document: JsonObject, key: string): unknown {
  return Object.hasOwn(document, key) ? document[key] : undefined;
}

/** Message attributes as filter policies read them. A condition matches if one of an attribute's values matches. */
export interface AttributeReading {
  readonly values: ReadonlyMap<string, readonly FilterValue[]>;
  /** Whether the message has any attributes. */
  readonly hasAttributes: boolean;
  /** Whether the value of a `String.Array` attribute is not a valid array. */
  readonly hasInvalid: boolean;
}

function isFilterValue(value: unknown): value is FilterValue {
  return value === null || ['string', 'number', 'boolean'].includes(typeof value);
}

function arrayValues(text: string): readonly FilterValue[] | undefined {
  const parsed = jsonOrUndefined(text);
  // An invalid array makes the message count as one with invalid attributes, which has a metric of its own.
  return Array.isArray(parsed) && parsed.every(isFilterValue) ? parsed : undefined;
}

function valuesOf({ DataType = '', StringValue = '' }: MessageAttributeValue): readonly FilterValue[] | undefined {
  if (DataType === 'String.Array') return arrayValues(StringValue);
  if (attributeKind(DataType) === 'Number') return [Number(StringValue)];
  return [StringValue];
}

/**
 * Reads message attributes as filter policies do. Filter policies ignore binary attributes.
 * @see https://docs.aws.amazon.com/sns/latest/dg/sns-message-attributes.html
 */
export function readAttributes(attributes: Readonly<Record<string, MessageAttributeValue>>): AttributeReading {
  const values = new Map<string, readonly FilterValue[]>();
  let hasAttributes = false;
  let hasInvalid = false;
  for (const [name, attribute] of Object.entries(attributes)) {
    hasAttributes = true;
    if (attribute.DataType?.startsWith('Binary')) continue;
    const read = valuesOf(attribute);
    if (read) values.set(name, read);
    else hasInvalid = true;
  }
  return { values, hasAttributes, hasInvalid };
}

/** Returns the JSON object in a text, or undefined when it is not a JSON object. */
export function parsedObject(text: string): JsonObject | undefined {
  const document = jsonOrUndefined(text);
  return isObject(document) ? document : undefined;
}
