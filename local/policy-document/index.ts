export {
  notePolicyParts,
  type Policy,
  parsePolicy,
  policyProperty,
  readPolicyText,
  requiredPolicyProperty,
} from './policy';
export { type ContextLookup, contextOf } from './request-context';
export type { PolicyKind, PrincipalMatch, Statement } from './statement';
