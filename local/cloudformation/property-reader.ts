import { AwsError } from '../kernel/aws-error';
import { isObject, type JsonObject } from '../kernel/json';
import { schemaOf } from './resource-schemas';

/** A property that is missing, of the wrong type, or not implemented. The deployment adds the logical id. */
export interface PropertyProblem {
  /** For example `RedrivePolicy.maxReceiveCount`. */
  readonly property: string;
  readonly rule: string;
  readonly value?: unknown;
  /** Whether the service refused it, which may be the consequence of another problem. @default false */
  readonly isRefusal?: boolean;
  /** Whether AWS accepts it, and only the embedded AWS does not. @default false */
  readonly isOwnLimit?: boolean;
}

/** What a reader has found out. Readers of nested objects share it. */
interface Findings {
  readonly problems: PropertyProblem[];
  /** Whether a property that is not simulated is only listed, instead of being a problem. */
  readonly allowsStandIns: boolean;
  readonly notSimulated: PropertyProblem[];
  /** Properties that decide whether messages are lost: they are problems even so. */
  readonly decisive?: readonly string[];
  /** Why a stand-in must take the place of the resource. */
  standInReason?: PropertyProblem;
}

/** The codes of the errors with which services refuse a name that is taken. */
const NAME_IS_TAKEN = /AlreadyExist|Conflict/;

/**
 * Reads the properties of one resource, recording which were read and their problems. Like CloudFormation, it accepts
 * scalars as text ("5" for 5, "true" for true).
 */
export class PropertyReader {
  /** Whether a taken name ends the creation at once, instead of looking for further problems. */
  endsAtTakenName = false;
  private readonly unread: Set<string>;
  private readonly nested: PropertyReader[] = [];

  constructor(
    private readonly members: JsonObject,
    private readonly type = '',
    private readonly findings: Findings = { problems: [], allowsStandIns: false, notSimulated: [] },
    private readonly path = '',
  ) {
    this.unread = new Set(Object.keys(members));
  }

  /**
   * A reader that only lists properties that are not simulated, unless they are decisive, or misspelt: the type does not
   * have them on AWS either.
   */
  static withStandIns(members: JsonObject, type: string, decisive: readonly string[] = []): PropertyReader {
    return new PropertyReader(members, type, { problems: [], allowsStandIns: true, notSimulated: [], decisive });
  }

  /** Problems found while reading, and every property that was not read, unless those are only listed. */
  allProblems(): readonly PropertyProblem[] {
    const { problems, allowsStandIns, notSimulated } = this.findings;
    const unread = this.unreadProperties();
    return allowsStandIns
      ? [...problems, ...unread.filter(it => this.isProblem(it))]
      : [...problems, ...notSimulated, ...unread];
  }

  /** Problems found so far. Unread properties are not included, because reading may have stopped early. */
  notedProblems(): readonly PropertyProblem[] {
    return this.findings.problems;
  }

  /** The properties that are not simulated, where they are only listed. */
  listed(): readonly PropertyProblem[] {
    const { allowsStandIns, notSimulated } = this.findings;
    return allowsStandIns ? [...notSimulated, ...this.unreadProperties().filter(it => !this.isProblem(it))] : [];
  }

  private isProblem({ property }: PropertyProblem): boolean {
    return (this.findings.decisive?.includes(property) ?? false) || this.isMisspelt(property);
  }

  private isMisspelt(name: string): boolean {
    if (!this.findings.allowsStandIns || this.path !== '' || !this.unread.has(name)) return false;
    return schemaOf(this.type)?.properties.has(name) === false;
  }

  string(name: string): string | undefined {
    const value = this.take(name);
    if (value === undefined || typeof value === 'string') return value;
    if (typeof value === 'number' || typeof value === 'boolean') return String(value);
    return this.problem(name, 'must be a string', value);
  }

  /** A required string. Returns an empty string, and records the problem, when it is missing. */
  requiredString(name: string): string {
    return this.string(name) ?? this.problem(name, 'is required') ?? '';
  }

  number(name: string): number | undefined {
    const value = this.take(name);
    if (value === undefined) return undefined;
    const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
    return typeof number === 'number' && Number.isFinite(number)
      ? number
      : this.problem(name, 'must be a number', value);
  }

  boolean(name: string): boolean | undefined {
    const value = this.take(name);
    if (value === undefined || typeof value === 'boolean') return value;
    if (value === 'true' || value === 'false') return value === 'true';
    return this.problem(name, 'must be true or false', value);
  }

  strings(name: string): readonly string[] | undefined {
    const value = this.take(name);
    if (value === undefined) return undefined;
    if (Array.isArray(value) && value.every(item => typeof item === 'string')) return value;
    return this.problem(name, 'must be a list of strings', value);
  }

  /** A whole JSON document, such as a policy: an object, or a string with one. All of it counts as read. */
  document(name: string): Readonly<Record<string, unknown>> | undefined {
    const value = this.take(name);
    if (value === undefined || isObject(value)) return value;
    return parsedDocument(value) ?? this.problem(name, 'must be a JSON object', value);
  }

  /** An object, whose members are read one by one. */
  object(name: string): PropertyReader | undefined {
    const value = this.take(name);
    if (value === undefined) return undefined;
    return isObject(value) ? this.enter(name, value) : this.problem(name, 'must be an object', value);
  }

  /** A list of objects, whose members are read one by one. */
  objects(name: string): readonly PropertyReader[] {
    const value = this.take(name);
    if (value === undefined) return [];
    if (Array.isArray(value) && value.every(isObject)) return value.map((item, i) => this.enter(`${name}[${i}]`, item));
    this.problem(name, 'must be a list of objects', value);
    return [];
  }

  /** All properties, which count as read. */
  everything(): JsonObject {
    this.unread.clear();
    return this.members;
  }

  /** Lists properties without effect in the embedded AWS (tags, descriptions), so that they do not count as unknown. */
  withoutEffect(...names: string[]): void {
    for (const name of names) this.unread.delete(name);
  }

  /** Records a problem of a property that was read. The deployment fails with all recorded problems at once. */
  problem(name: string, rule: string, value?: unknown, isOwnLimit = false): undefined {
    this.findings.problems.push({ property: this.path + name, rule, value, ...(isOwnLimit && { isOwnLimit }) });
    return undefined;
  }

  /**
   * Records a property that AWS accepts and the embedded AWS does not simulate: a problem, unless stand-ins are allowed.
   * The resource must do something sensible without it.
   */
  notSimulated(name: string, rule: string, value?: unknown): undefined {
    this.findings.notSimulated.push({ property: this.path + name, rule, value, isOwnLimit: true });
    return undefined;
  }

  /** Runs `act` for the property `name`; an AWS error becomes a problem of that property. */
  attempt<Answer>(name: string, act: () => Answer): Answer | undefined {
    try {
      return act();
    } catch (error) {
      if (!(error instanceof AwsError)) throw error;
      const rule = `is refused (${error.code}: ${error.message})`;
      if (error.code === 'NotImplemented') return this.needsStandIn(name, rule, this.members[name]);
      const refusal = { property: this.path + name, rule, value: this.members[name], isRefusal: true };
      this.findings.problems.push(refusal);
      if (this.endsAtTakenName && NAME_IS_TAKEN.test(error.code)) throw error;
      return undefined;
    }
  }

  /**
   * Whether the name that a property gives is free. Records a problem when it is not, because the service itself would update the
   * existing resource instead. An operation that may roll back ends there: it would delete what it did not create.
   *
   * CloudFormation has two texts: this one, and `<name> already exists in stack <ARN>`. **Assumption CFN-1:** AWS does
   * not publish when it uses which. This one is always used.
   *
   * @param identifier in CloudFormation's error (as observed): the name, or for a log group a JSON object with the name
   * @param isTaken whether a resource with this identifier exists, whatever created it
   */
  isFree(name: string, identifier: string, isTaken: boolean): boolean {
    if (!isTaken) return true;
    this.attempt(name, () => {
      throw alreadyExists(this.type, identifier);
    });
    return false;
  }

  /**
   * Records a property because of which the resource is not simulated at all: a problem, unless a stand-in may take its place. The
   * caller creates nothing, and what it returns is not used.
   */
  needsStandIn(name: string, rule: string, value?: unknown): undefined {
    this.findings.standInReason = { property: this.path + name, rule, value };
    return this.notSimulated(name, rule, value);
  }

  /** Why a stand-in takes the place of the resource; undefined if none does. */
  get standInReason(): PropertyProblem | undefined {
    return this.findings.allowsStandIns ? this.findings.standInReason : undefined;
  }

  private take(name: string): unknown {
    this.unread.delete(name);
    return this.members[name];
  }

  private enter(name: string, members: JsonObject): PropertyReader {
    const reader = new PropertyReader(members, this.type, this.findings, `${this.path}${name}.`);
    this.nested.push(reader);
    return reader;
  }

  private unreadProperties(): readonly PropertyProblem[] {
    const own = [...this.unread].map(name => {
      const isOwnLimit = !this.isMisspelt(name);
      const rule = isOwnLimit ? 'is not implemented by the embedded AWS' : `is no property of ${this.type}`;
      return { property: this.path + name, rule, value: this.members[name], isOwnLimit };
    });
    return [...own, ...this.nested.flatMap(reader => reader.unreadProperties())];
  }
}

/** CloudFormation's error for a resource that already exists (observed for alarms, roles, log groups and services). */
export const alreadyExists = (type: string, identifier: string): AwsError =>
  new AwsError('AlreadyExists', `Resource of type '${type}' with identifier '${identifier}' already exists.`);

function parsedDocument(value: unknown): JsonObject | undefined {
  if (typeof value !== 'string') return undefined;
  try {
    const parsed: unknown = JSON.parse(value);
    return isObject(parsed) ? parsed : undefined;
  } catch {
    // Not JSON: the caller's error names the property, which is more useful than the parser's position.
    return undefined;
  }
}

/**
 * The property `Tags` of most resources: a list of keys and values.
 *
 * @param valueless the value of a tag without one, where CloudFormation allows that. @default - every tag must have a
 *   value
 */
export function tagsProperty(properties: PropertyReader, valueless?: ''): { Key: string; Value: string }[] {
  return properties.objects('Tags').map(tag => ({
    Key: tag.requiredString('Key'),
    Value: valueless === undefined ? tag.requiredString('Value') : (tag.string('Value') ?? valueless),
  }));
}
