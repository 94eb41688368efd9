import { isObject, type JsonObject } from '../policy/members';
import { INTRINSICS, intrinsicName, type Problem, type Scope } from './intrinsics';
import { type NoteProblem, shown } from './problems';
import { NO_VALUE, PENDING } from './values';

/**
 * Evaluates every intrinsic function in a value of a template. Dynamic references stay as they are written: the functions
 * may only now have put them together.
 *
 * @param at what the value is, for problems: `Properties.RedrivePolicy`
 * @returns the value with `PENDING` wherever something is not known (yet), or could not be evaluated
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
  if (Object.keys(value).length > 1) return problem(`must stand alone in its object, got ${shown(value)}`);
  return intrinsic(value[name], { scope, problem, evaluate: argument => evaluate(argument, at, scope, note) });
}
