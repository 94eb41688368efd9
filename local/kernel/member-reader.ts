import { formatProblem, type Problem } from '../../policy/problem';
import { isMembers, type Members } from './json';

/** What a user gave makes no sense; it carries every problem at once. */
export class InvalidInput extends RangeError {
  constructor(readonly problems: readonly Problem[]) {
    super(problems.map(formatProblem).join('; '));
  }
}

/** Of a name nobody knows, as much is told. */
const LONGEST_NAME = 100;

/** Reads the members of one object a user gave, and remembers what is wrong with them. */
export class MemberReader {
  private readonly problems: Problem[] = [];
  private readonly members: Members;
  private readonly read = new Set<string>();

  /**
   * @param what the object is called where it is none
   * @param path before the name of each of its members, with a dot at its end
   */
  constructor(
    given: unknown,
    what: string,
    private readonly path = '',
  ) {
    this.members = isMembers(given) ? given : {};
    if (!isMembers(given)) this.problems.push({ property: what, rule: 'must be an object', value: given });
  }

  has(name: string): boolean {
    return this.members[name] !== undefined && this.members[name] !== null;
  }

  /** @param isValid whether the value follows the rule; what the rule says is what the user reads */
  optional<T>(name: string, rule: string, isValid: (value: unknown) => value is T): T | undefined {
    this.read.add(name);
    if (!Object.hasOwn(this.members, name) || !this.has(name)) return undefined;
    const value = this.members[name];
    if (isValid(value)) return value;
    this.refuse(name, rule, value);
    return undefined;
  }

  number(name: string, min: number, max: number): number | undefined {
    return this.optional(
      name,
      `must be a number from ${min} to ${max}`,
      (value): value is number => typeof value === 'number' && value >= min && value <= max,
    );
  }

  wholeNumber(name: string, min: number, max = Number.MAX_SAFE_INTEGER): number | undefined {
    return this.optional(
      name,
      `must be a whole number from ${min} to ${max}`,
      (value): value is number => Number.isSafeInteger(value) && Number(value) >= min && Number(value) <= max,
    );
  }

  flag(name: string): boolean | undefined {
    return this.optional(name, 'must be true or false', (value): value is boolean => typeof value === 'boolean');
  }

  text(name: string): string | undefined {
    return this.optional(name, 'must be a text', (value): value is string => typeof value === 'string');
  }

  refuse(name: string, rule: string, value: unknown): void {
    this.problems.push({ property: this.path + name, rule, value });
  }

  /** A member as it is, for who reads what is in it. */
  given(name: string): unknown {
    this.read.add(name);
    return Object.hasOwn(this.members, name) ? this.members[name] : undefined;
  }

  get problemsSoFar(): readonly Problem[] {
    return this.problems;
  }

  /** Everything wrong so far, with the members nobody asked for. */
  allProblems(): readonly Problem[] {
    const unknown = Object.keys(this.members).filter(name => !this.read.has(name));
    const known = [...this.read].join(', ');
    return [
      ...this.problems,
      ...unknown.map(name => ({
        property: this.path + name.slice(0, LONGEST_NAME),
        rule: `is not known: there are ${known}`,
        value: this.members[name],
      })),
    ];
  }

  /** @throws InvalidInput when anything is wrong */
  check(): void {
    const problems = this.allProblems();
    if (problems.length > 0) throw new InvalidInput(problems);
  }
}

/**
 * Checks that an object has no members but these, for who reads them by type.
 *
 * @param what the object is called where it is none
 * @throws InvalidInput naming each other one
 */
export function checkNames(given: unknown, what: string, names: readonly string[]): void {
  const reader = new MemberReader(given, what);
  for (const name of names) reader.given(name);
  reader.check();
}
