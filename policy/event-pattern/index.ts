export { compileEventPattern, type EventPattern } from './event-pattern';
export { eventFields, isSatisfied, type Wanted } from './field-search';
export {
  EventPatternError,
  type LocatedJson,
  type LocatedObject,
  Refusals,
  readLocated,
} from './located-json';
export type { NumberRules } from './numeric';
export { anythingBut, numericOperator, type Operators, onText, operatorRule, type Rule } from './operators';
export {
  type Condition,
  endsWith,
  equalsIgnoringCase,
  type FieldValue,
  inAddressBlock,
  startsWith,
  wildcardAt,
  wildcardCount,
} from './string-conditions';
