import { BadInput } from '../../account/errors';
import {
  type Check,
  isObject,
  type JsonObject,
  type MemberRule,
  memberProblems,
  must,
} from '../../policy/json-members';
import { formatProblem } from '../../policy/problem';
import type { CallName, Calls } from '../api';
import { ReadOnly } from './problem';

interface CallHandler<Name extends CallName> {
  readonly changes: boolean;
  /**
   * Reads the input, which may be anything.
   * @throws BadInput that names the member and the rule
   */
  read(input: JsonObject): Calls[Name]['input'];
  run(input: Calls[Name]['input']): Promise<Calls[Name]['output']>;
}

export type CallHandlers = { readonly [Name in CallName]: CallHandler<Name> };

function parsed(body: string): JsonObject {
  try {
    const value: unknown = JSON.parse(body);
    if (isObject(value)) return value;
  } catch {
    throw new BadInput(['the body must be JSON']);
  }
  throw new BadInput(['the body must be a JSON object']);
}

export const text = must('must be a text', value => typeof value === 'string');
export const number = must('must be a number', Number.isFinite);
export const texts = must(
  'must be an object of texts',
  value => isObject(value) && Object.values(value).every(it => typeof it === 'string'),
);

export function oneOf(choices: readonly string[]): Check {
  return must(`must be one of ${choices.join(', ')}`, value => choices.some(it => it === value));
}

export function orNull(check: Check): Check {
  return (value, property) => (value === null ? [] : check(value, property));
}

export function optional(check: Check): MemberRule {
  return { check, isOptional: true };
}

/** Reads the input of a call by a rule for each member. */
export function checked<Name extends CallName>(
  rules: Readonly<Record<keyof Calls[Name]['input'], Check | MemberRule>>,
): (input: JsonObject) => Calls[Name]['input'] {
  const entries = Object.entries<Check | MemberRule>(rules);
  const table = Object.fromEntries(entries.map(([name, rule]) => [name, 'check' in rule ? rule : { check: rule }]));
  return input => {
    const problems = memberProblems(table, input, '');
    if (problems.length > 0) throw new BadInput(problems.map(formatProblem));
    // The rules of the table have checked every member.
    return input as unknown as Calls[Name]['input'];
  };
}

export class ConsoleCalls {
  constructor(
    private readonly handlers: CallHandlers,
    private readonly mayChange: boolean,
  ) {}

  has(name: string): boolean {
    return Object.hasOwn(this.handlers, name);
  }

  async run<Name extends CallName>(name: Name, body: string): Promise<Calls[Name]['output']> {
    const handler: CallHandler<Name> = this.handlers[name];
    if (handler.changes && !this.mayChange) throw new ReadOnly();
    return handler.run(handler.read(parsed(body)));
  }
}
