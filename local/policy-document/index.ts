export { type Policy, parsePolicy, policyProblems, readPolicyText } from './policy';
export { policyProperty, requiredPolicyProperty } from './policy-property';
export type { PrincipalMatch } from './principals';
export { type ContextLookup, contextOf } from './request-context';
export type { PolicyKind, Statement } from './statement';
