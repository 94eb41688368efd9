import type { AlarmStateValue } from '../alarm-configuration';

/** An `AlarmRule`, taken apart. Alarms are named as the rule names them: by name or ARN. */
export type AlarmRule =
  | { readonly kind: 'constant'; readonly value: boolean }
  | { readonly kind: 'state'; readonly state: AlarmStateValue; readonly alarm: string }
  | { readonly kind: 'not'; readonly operand: AlarmRule }
  | { readonly kind: 'and' | 'or'; readonly operands: readonly AlarmRule[] }
  | {
      readonly kind: 'at-least';
      /** So many of the alarms, or so many percent of them. */
      readonly amount: number;
      readonly isPercentage: boolean;
      /** The state to be in, or not to be in. */
      readonly state: AlarmStateValue;
      readonly isNegated: boolean;
      readonly alarms: readonly string[];
    };

/** Is the rule true? An alarm that is not there is in no state. */
export function holds(rule: AlarmRule, stateOf: (alarm: string) => AlarmStateValue | undefined): boolean {
  switch (rule.kind) {
    case 'constant':
      return rule.value;
    case 'state':
      return stateOf(rule.alarm) === rule.state;
    case 'not':
      return !holds(rule.operand, stateOf);
    case 'and':
      return rule.operands.every(operand => holds(operand, stateOf));
    case 'or':
      return rule.operands.some(operand => holds(operand, stateOf));
    case 'at-least': {
      const { alarms, amount, isPercentage, state, isNegated } = rule;
      const matching = alarms.filter(alarm => (stateOf(alarm) === state) !== isNegated).length;
      return isPercentage ? matching * 100 >= amount * alarms.length : matching >= amount;
    }
  }
}

/** The alarms a rule names, each as often as it does. */
export function alarmsIn(rule: AlarmRule): readonly string[] {
  switch (rule.kind) {
    case 'constant':
      return [];
    case 'state':
      return [rule.alarm];
    case 'not':
      return alarmsIn(rule.operand);
    case 'and':
    case 'or':
      return rule.operands.flatMap(alarmsIn);
    case 'at-least':
      return rule.alarms;
  }
}

/** How many elements a rule is made of. */
export function sizeOf(rule: AlarmRule): number {
  switch (rule.kind) {
    case 'not':
      return 1 + sizeOf(rule.operand);
    case 'and':
    case 'or':
      return rule.operands.reduce((total, operand) => total + sizeOf(operand), rule.operands.length - 1);
    case 'at-least':
      return 1 + rule.alarms.length;
    default:
      return 1;
  }
}
