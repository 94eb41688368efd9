import { isObject } from '../policy/members';
import type { Problem } from './intrinsics';
import { shown } from './problems';
import { isPending, PENDING, scalarText } from './values';

/** Whether a condition holds; `PENDING` when that hangs on a value that is not known yet. */
export type Verdict = boolean | typeof PENDING;

/** What a condition function works with. */
export interface ConditionUse {
  readonly problem: Problem;
  /** Evaluates an operand of `Fn::Equals`: parameters, pseudo parameters and mappings. */
  operand(value: unknown): unknown;
  /** Decides a condition that stands inside this one. */
  decide(value: unknown): Verdict;
  /** Decides another condition by its name. */
  named(name: string): Verdict;
}

type ConditionFunction = (argument: unknown, use: ConditionUse) => Verdict;

/** `Fn::And` and `Fn::Or` take 2 to 10 conditions. */
const MOST_OPERANDS = 10;

/**
 * The functions a condition is made of.
 *
 * @see https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/intrinsic-function-reference-conditions.html
 */
const CONDITION_FUNCTIONS: Readonly<Record<string, ConditionFunction>> = {
  Condition: (argument, use) =>
    typeof argument === 'string' ? use.named(argument) : falseFor(use, `takes a name, got ${shown(argument)}`),
  'Fn::And': (argument, use) => combined(operands(argument, use), false),
  'Fn::Or': (argument, use) => combined(operands(argument, use), true),
  'Fn::Not': (argument, use) =>
    Array.isArray(argument) && argument.length === 1
      ? opposite(use.decide(argument[0]))
      : falseFor(use, `takes one condition in a list, got ${shown(argument)}`),
  'Fn::Equals': (argument, use) => {
    if (!Array.isArray(argument) || argument.length !== 2) {
      return falseFor(use, `takes two values, got ${shown(argument)}`);
    }
    const [left, right] = argument.map(use.operand);
    return isPending(left) || isPending(right) ? PENDING : comparable(left) === comparable(right);
  },
};

/** Decides the condition that an object calls for. */
export function decideCondition(value: unknown, use: (name: string) => ConditionUse): Verdict {
  const [name, ...others] = isObject(value) ? Object.keys(value) : [];
  const condition =
    name !== undefined && Object.hasOwn(CONDITION_FUNCTIONS, name) ? CONDITION_FUNCTIONS[name] : undefined;
  if (!isObject(value) || name === undefined || !condition || others.length > 0) {
    return falseFor(use(name ?? 'a condition'), `is no condition function, got ${shown(value)}`);
  }
  return condition(value[name], use(name));
}

function operands(argument: unknown, use: ConditionUse): readonly Verdict[] {
  if (Array.isArray(argument) && argument.length >= 2 && argument.length <= MOST_OPERANDS) {
    return argument.map(use.decide);
  }
  falseFor(use, `takes 2 to ${MOST_OPERANDS} conditions, got ${shown(argument)}`);
  return [];
}

/** One `decisive` verdict is enough; otherwise the others must all be known. */
function combined(verdicts: readonly Verdict[], decisive: boolean): Verdict {
  if (verdicts.includes(decisive)) return decisive;
  return verdicts.includes(PENDING) ? PENDING : !decisive;
}

function opposite(verdict: Verdict): Verdict {
  return verdict === PENDING ? PENDING : !verdict;
}

function comparable(value: unknown): string {
  return scalarText(value) ?? JSON.stringify(value);
}

function falseFor({ problem }: ConditionUse, rule: string): boolean {
  problem(rule);
  return false;
}
