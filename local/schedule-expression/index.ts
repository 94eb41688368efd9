export {
  nextOccurrence,
  type Occurrences,
  parseRuleSchedule,
  parseSchedule,
  type ScheduleExpression,
} from './schedule-expression';
export { TimeZone } from './time-zone';
