import { isObject, type JsonObject } from '../policy/json-members';
import {
  type ConditionValue,
  decideCondition,
  INTRINSICS,
  intrinsicName,
  type Problem,
  type Scope,
} from './intrinsics';
import { NO_VALUE, type NoteProblem, PENDING, shown } from './values';

/**
 * Evaluates every intrinsic function in a value of a template. Dynamic references stay as they are written, because
 * functions may have composed them.
 *
 * @param at the property, for problems: `Properties.RedrivePolicy`
 * @returns the value, with `PENDING` for every part that is not known yet or could not be evaluated
 */
export function evaluate(value: unknown, at: string, scope: Scope, note: NoteProblem): unknown {
  if (Array.isArray(value)) {
    return value.map((item, i) => evaluate(item, `${at}[${i}]`, scope, note)).filter(item => item !== NO_VALUE);
  }
  if (!isObject(value)) return value;
  const name = intrinsicName(value);
  return name === undefined ? evaluateMembers(value, at, scope, note) : call(name, value, at, scope, note);
}

function evaluateMembers(members: JsonObject, at: string, scope: Scope, note: NoteProblem): JsonObject {
  const evaluated = Object.entries(members).map(
    ([name, value]) => [name, evaluate(value, `${at}.${name}`, scope, note)] as const,
  );
  return Object.fromEntries(evaluated.filter(([, value]) => value !== NO_VALUE));
}

function call(name: string, value: JsonObject, at: string, scope: Scope, note: NoteProblem): unknown {
  const problem: Problem = rule => {
    note(`${at}: ${name} ${rule}`);
    return PENDING;
  };
  const intrinsic = Object.hasOwn(INTRINSICS, name) ? INTRINSICS[name] : undefined;
  if (!intrinsic) return problem(`is not implemented here, got ${shown(value)}`);
  if (Object.keys(value).length > 1) return problem(`must be the only member of its object, got ${shown(value)}`);
  return intrinsic(value[name], { scope, problem, evaluate: argument => evaluate(argument, at, scope, note) });
}

/** The conditions of a template. Each is decided once, when it is first needed. */
export class DeclaredConditions {
  private readonly decided = new Map<string, ConditionValue>();
  private readonly deciding: string[] = [];

  /** @param operands evaluates the operands of `Fn::Equals` */
  constructor(
    private readonly declared: JsonObject,
    private readonly operands: Scope,
    private readonly note: NoteProblem,
  ) {}

  decideNamed(name: string, problem: Problem): ConditionValue {
    const known = this.decided.get(name);
    if (known !== undefined) return known;
    if (!Object.hasOwn(this.declared, name)) {
      problem(`names the condition ${name}, which the template does not declare`);
      return false;
    }
    if (this.deciding.includes(name)) {
      this.note(`Conditions.${name} depends on itself: ${[...this.deciding, name].join(' -> ')}`);
      return false;
    }
    this.deciding.push(name);
    const outcome = this.decide(this.declared[name], `Conditions.${name}`);
    this.deciding.pop();
    this.decided.set(name, outcome);
    return outcome;
  }

  private decide(value: unknown, at: string): ConditionValue {
    return decideCondition(value, name => {
      const problem: Problem = rule => {
        this.note(`${at}: ${name} ${rule}`);
        return PENDING;
      };
      return {
        problem,
        operand: operand => evaluate(operand, at, this.operands, this.note),
        decide: nested => this.decide(nested, at),
        named: condition => this.decideNamed(condition, problem),
      };
    });
  }
}
