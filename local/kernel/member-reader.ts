import { nearNames } from '../../policy/near-names';
import { formatProblem, type Problem } from '../../policy/problem';
import { isObject, type JsonObject } from './json';

/** Invalid input of a user, with all problems at once. */
export class InvalidInput extends RangeError {
  /** @param message @default - the problems */
  constructor(
    readonly problems: readonly Problem[],
    message = problems.map(formatProblem).join('; '),
  ) {
    super(message);
  }
}

/** The number of characters shown of an unknown name. */
const LONGEST_NAME = 100;

/** Reads the members of one object that a user passed, and collects their problems. */
export class MemberReader {
  private readonly problems: Problem[] = [];
  private readonly members: JsonObject;
  private readonly read = new Set<string>();

  /**
   * @param what the name of the object in the problem when it is not an object
   * @param path the prefix of each member's name, with a dot at its end
   */
  constructor(
    given: unknown,
    what: string,
    private readonly path = '',
  ) {
    this.members = isObject(given) ? given : {};
    if (!isObject(given)) this.problems.push({ property: what, rule: 'must be an object', value: given });
  }

  has(name: string): boolean {
    return this.members[name] !== undefined && this.members[name] !== null;
  }

  /** @param isValid whether the value follows the rule @param rule the text that the user reads */
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

  /** Returns a member without checking it. */
  given(name: string): unknown {
    this.read.add(name);
    return Object.hasOwn(this.members, name) ? this.members[name] : undefined;
  }

  get problemsSoFar(): readonly Problem[] {
    return this.problems;
  }

  /** All problems so far, including members that were never read. */
  allProblems(): readonly Problem[] {
    const unknown = Object.keys(this.members).filter(name => !this.read.has(name));
    return [
      ...this.problems,
      ...unknown.map(name => {
        const shown = name.slice(0, LONGEST_NAME);
        return { property: this.path + shown, rule: unknownRule(shown, [...this.read]), value: this.members[name] };
      }),
    ];
  }

  check(): void {
    const problems = this.allProblems();
    if (problems.length > 0) throw new InvalidInput(problems);
  }
}

function unknownRule(name: string, known: readonly string[]): string {
  const [near] = nearNames(name, known);
  return `is not known${near === undefined ? '' : ` (is ${near} meant?)`}: there are ${known.join(', ')}`;
}

/** The members that an object may have: `true`, or the names in the member if it is an object with options of its own. */
export type MemberNames<T = Readonly<Record<string, unknown>>> = {
  readonly [Name in keyof T]-?: true | MemberNames<NonNullable<T[Name]>>;
};

type Names = { readonly [name: string]: true | Names };

/**
 * Checks that an object, and each object in it whose names are listed, has only these members.
 *
 * @param what the name of the object in the problem when it is not an object
 * @throws InvalidInput naming every other member, with the nearest name that there is
 */
export function checkNames<T>(given: T, what: string, names: MemberNames<T>): void {
  const problems = nameProblems(given, what, names as Names, '');
  if (problems.length > 0) throw new InvalidInput(problems);
}

function nameProblems(given: unknown, what: string, names: Names, path: string): readonly Problem[] {
  const reader = new MemberReader(given, what, path);
  const nested = Object.entries(names).flatMap(([name, inner]) => {
    const value = reader.given(name);
    const inside = path + name;
    return inner === true || value === undefined ? [] : nameProblems(value, inside, inner, `${inside}.`);
  });
  return [...reader.allProblems(), ...nested];
}
