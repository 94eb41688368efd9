import { BadInput } from '../../account/errors';
import { isObject, type JsonObject, type MemberRule, memberProblems } from '../../policy/json-members';
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

export function checked<Name extends CallName>(
  table: Readonly<Record<keyof Calls[Name]['input'], MemberRule>>,
): (input: JsonObject) => Calls[Name]['input'] {
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
