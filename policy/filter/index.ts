export { type AttributeReading, FilterPolicy, type FilterReason, parsedObject, readAttributes } from './filter-policy';
export { FILTER_POLICY_SCOPES, FilterPolicyError, type FilterPolicyScope, NestedPolicyError } from './filter-tree';
