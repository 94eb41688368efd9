import { parseArn } from '../../../policy/arn';
import { validationError } from '../errors';
import { ALARM_STATES, type AlarmStateValue } from './alarm-configuration';

/** A parsed `AlarmRule`. Alarms are named as in the rule: by name or ARN. */
export type AlarmRule =
  | { readonly kind: 'constant'; readonly value: boolean }
  | { readonly kind: 'state'; readonly state: AlarmStateValue; readonly alarm: string }
  | { readonly kind: 'not'; readonly operand: AlarmRule }
  | { readonly kind: 'and' | 'or'; readonly operands: readonly AlarmRule[] }
  | {
      readonly kind: 'at-least';
      /** A number of alarms, or a percentage of them. */
      readonly amount: number;
      readonly isPercentage: boolean;
      /** The state that counts, or that does not count. */
      readonly state: AlarmStateValue;
      readonly isNegated: boolean;
      readonly alarms: readonly string[];
    };

/** Evaluates the rule. An alarm that does not exist has no state. */
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

const WORD = /[A-Z_]+/y;
const SPACE = /\s*/y;
const AMOUNT = /(\d+)(%?)/y;
/** A name without quotes ends with the function's argument. */
const BARE_NAME = /[^,()"]+/y;
const QUOTED_NAME = /"([^"]+)"/y;

const BEGINNINGS = "'(', 'NOT', AT_LEAST, TRUE or FALSE, ALARM, OK, or INSUFFICIENT_DATA";
const DEEPEST = 100;

/**
 * Parses a rule such as `ALARM("a") AND NOT (OK(b) OR AT_LEAST(2, ALARM, (c, d, e)))`. NOT binds tighter than AND, AND
 * tighter than OR.
 *
 * @throws AwsError `ValidationError` for an unexpected token, in AWS's recorded words
 * @see https://docs.aws.amazon.com/AmazonCloudWatch/latest/APIReference/API_PutCompositeAlarm.html
 */
export function parseAlarmRule(text: string): AlarmRule {
  return new RuleParser(text).whole();
}

class RuleParser {
  private at = 0;
  private depth = 0;

  constructor(private readonly text: string) {}

  whole(): AlarmRule {
    const rule = this.any();
    if (this.at < this.text.length) throw this.unsupported('AND, OR, or the end of the rule');
    return rule;
  }

  private any(): AlarmRule {
    return this.chain('OR', 'or', () => this.chain('AND', 'and', () => this.one()));
  }

  private chain(word: 'AND' | 'OR', kind: 'and' | 'or', next: () => AlarmRule): AlarmRule {
    const first = next();
    const operands = [first];
    while (this.takeWord(word)) operands.push(next());
    return operands.length === 1 ? first : { kind, operands };
  }

  private one(): AlarmRule {
    if (this.take('(')) {
      const inner = this.deeper(() => this.any());
      this.expect(')');
      return inner;
    }
    if (this.takeWord('NOT')) return this.deeper(() => ({ kind: 'not', operand: this.one() }));
    if (this.takeWord('TRUE')) return { kind: 'constant', value: true };
    if (this.takeWord('FALSE')) return { kind: 'constant', value: false };
    if (this.takeWord('AT_LEAST')) return this.atLeast();
    const state = this.state();
    if (!state) throw this.unsupported(BEGINNINGS);
    this.expect('(');
    const alarm = this.alarm();
    this.expect(')');
    return { kind: 'state', state, alarm };
  }

  private atLeast(): AlarmRule {
    this.expect('(');
    const amount = this.match(AMOUNT);
    if (!amount) throw this.unsupported('a number or a percentage');
    this.expect(',');
    const isNegated = this.takeWord('NOT');
    const state = this.state();
    if (!state) throw this.unsupported('ALARM, OK, or INSUFFICIENT_DATA');
    this.expect(',');
    this.expect('(');
    const alarms = [this.alarm()];
    while (this.take(',')) alarms.push(this.alarm());
    this.expect(')');
    this.expect(')');
    return { kind: 'at-least', amount: Number(amount[1]), isPercentage: amount[2] === '%', state, isNegated, alarms };
  }

  private state(): AlarmStateValue | undefined {
    return ALARM_STATES.find(state => this.takeWord(state));
  }

  private alarm(): string {
    const name = this.match(QUOTED_NAME)?.[1] ?? this.match(BARE_NAME)?.[0].trim();
    if (!name) throw this.unsupported('the name or ARN of an alarm');
    return name;
  }

  private takeWord(word: string): boolean {
    const before = this.at;
    if (this.match(WORD)?.[0] === word) return true;
    this.at = before;
    return false;
  }

  private take(symbol: string): boolean {
    this.skipSpace();
    if (!this.text.startsWith(symbol, this.at)) return false;
    this.at += symbol.length;
    this.skipSpace();
    return true;
  }

  private expect(symbol: string): void {
    if (!this.take(symbol)) throw this.unsupported(`'${symbol}'`);
  }

  /** Consumes the text that matches the pattern, and the spaces around it. */
  private match(pattern: RegExp): RegExpExecArray | undefined {
    this.skipSpace();
    pattern.lastIndex = this.at;
    const found = pattern.exec(this.text) ?? undefined;
    if (found) this.at = pattern.lastIndex;
    this.skipSpace();
    return found;
  }

  private skipSpace(): void {
    SPACE.lastIndex = this.at;
    SPACE.exec(this.text);
    this.at = SPACE.lastIndex;
  }

  private deeper(read: () => AlarmRule): AlarmRule {
    this.depth += 1;
    if (this.depth > DEEPEST) throw validationError(`Error in AlarmRule [It is nested more than ${DEEPEST} deep]`);
    const rule = read();
    this.depth -= 1;
    return rule;
  }

  private unsupported(wanted: string): Error {
    const token = /^(?:\w+|\S)/.exec(this.text.slice(this.at))?.[0] ?? '';
    return validationError(`Error in AlarmRule [Unsupported token '${token}' at char ${this.at}, must be: ${wanted}]`);
  }
}

const PREFIX = 'alarm:';

/** Returns the name of an alarm that is referred to by name or ARN. */
export function alarmNameOf(reference: string): string {
  const resource = parseArn(reference)?.resource;
  return resource?.startsWith(PREFIX) ? resource.slice(PREFIX.length) : reference;
}
