import { isObject, type JsonObject, listOfOneOrMore } from '../policy/json-members';
import type { PolicyDocument } from './access/policy-document';
import { isKnown, type MaybeKnown, type Unknown } from './maybe-known';
import { isPending, NO_VALUE, PENDING, scalarText } from './values';

/** A dynamic reference, which CloudFormation resolves at deployment: `{{resolve:ssm:orders}}`. */
const DYNAMIC_REFERENCE = '{{resolve:';

const NOT_GIVEN: Unknown = { unknownBecause: 'is not set' };

/** A property value of a template, evaluated as far as possible before deployment. */
export class PropertyValue {
  /** @param why completes a sentence about the unknown parts of the value */
  constructor(
    private readonly value: unknown,
    private readonly why: string,
  ) {}

  /** Whether the property is set; undefined if that is not known. */
  get isPresent(): boolean | undefined {
    return this.value === PENDING ? undefined : this.value !== undefined && this.value !== NO_VALUE;
  }

  /** A member. A member of an unknown value is unknown. */
  at(name: string): PropertyValue {
    const member = isObject(this.value) && Object.hasOwn(this.value, name) ? this.value[name] : undefined;
    return new PropertyValue(this.value === PENDING ? PENDING : member, this.why);
  }

  /** The value as text, or `otherwise` if it is not set. Numbers and booleans count as text. */
  text<T extends string | undefined>(otherwise: T): MaybeKnown<string | T> {
    if (this.isPresent === false) return otherwise;
    const text = scalarText(this.value);
    return text === undefined || text.includes(DYNAMIC_REFERENCE) ? this.unknownBecause() : text;
  }

  number<T extends number | undefined>(otherwise: T): MaybeKnown<number | T> {
    if (this.isPresent === false) return otherwise;
    const text = scalarText(this.value)?.trim();
    const number = text === undefined || text === '' ? Number.NaN : Number(text);
    return Number.isNaN(number) ? this.unknownBecause() : number;
  }

  /** A boolean, which may be written as text. */
  flag(otherwise: boolean): MaybeKnown<boolean> {
    if (this.isPresent === false) return otherwise;
    if (this.value === true || this.value === 'true') return true;
    return this.value === false || this.value === 'false' ? false : this.unknownBecause();
  }

  requiredText(): MaybeKnown<string> {
    return this.isPresent === false ? NOT_GIVEN : this.text('');
  }

  requiredNumber(): MaybeKnown<number> {
    return this.isPresent === false ? NOT_GIVEN : this.number(0);
  }

  texts(): MaybeKnown<readonly MaybeKnown<string>[]> {
    const list = this.list();
    return isKnown(list) ? list.map(it => it.requiredText()) : list;
  }

  /** A list. A single value counts as a list of one, as in IAM policies. */
  list(): MaybeKnown<readonly PropertyValue[]> {
    if (this.isPresent === false) return [];
    if (this.value === PENDING) return this.unknownBecause();
    return listOfOneOrMore(this.value).map(item => new PropertyValue(item, this.why));
  }

  /** The value that a JSON text contains; any other value as it is. */
  parsed(): PropertyValue {
    if (typeof this.value !== 'string') return this;
    const json = this.json();
    return new PropertyValue(isKnown(json) ? json : PENDING, this.why);
  }

  /** The value as JSON: parsed if it is JSON text; undefined if it is not set. */
  json(): MaybeKnown<unknown> {
    if (this.isPresent === false) return undefined;
    if (typeof this.value !== 'string') return isPending(this.value) ? this.unknownBecause() : this.value;
    if (this.value.includes(DYNAMIC_REFERENCE)) return this.unknownBecause();
    try {
      return JSON.parse(this.value);
    } catch {
      // Not JSON: AWS will report that. The checks see the text.
      return this.value;
    }
  }

  /** A policy document, in which unknown parts are objects instead of texts; undefined if it is not set. */
  policy(): MaybeKnown<PolicyDocument | undefined> {
    if (this.isPresent === false) return undefined;
    const document = replaceUnknownParts(this.value, this.unknownBecause());
    return isObject(document) && 'Statement' in document
      ? { ...document, Statement: document['Statement'] }
      : this.unknownBecause();
  }

  private unknownBecause(): Unknown {
    return { unknownBecause: this.why };
  }
}

/** Replaces every unknown part with an object that is not a text. */
function replaceUnknownParts(value: unknown, unknownBecause: Unknown): unknown {
  if (value === PENDING || (typeof value === 'string' && value.includes(DYNAMIC_REFERENCE))) return unknownBecause;
  if (Array.isArray(value)) return value.map(item => replaceUnknownParts(item, unknownBecause));
  if (!isObject(value)) return value;
  const members: JsonObject = value;
  return Object.fromEntries(
    Object.entries(members).map(([name, member]) => [name, replaceUnknownParts(member, unknownBecause)]),
  );
}
