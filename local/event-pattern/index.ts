export { addressFamily, inAddressBlock } from './addresses';
export {
  type Condition,
  endsWith,
  equalsIgnoringCase,
  type FieldValue,
  type StringOperator,
  startsWith,
} from './condition';
export { compileEventPattern, type EventPattern } from './event-pattern';
export { EventPatternError } from './event-pattern-error';
export { COMPARISONS, type Comparison } from './numeric';
