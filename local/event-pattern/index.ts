export { compileEventPattern, type EventPattern } from './event-pattern';
export { EventPatternError } from './located-json';
export { COMPARISONS, type Comparison } from './numeric';
export {
  addressFamily,
  type Condition,
  endsWith,
  equalsIgnoringCase,
  type FieldValue,
  inAddressBlock,
  type StringOperator,
  startsWith,
} from './string-conditions';
