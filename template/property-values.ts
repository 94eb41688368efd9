import { isObject, type JsonObject } from '../policy/json-members';
import type { PolicyDocument } from './access/policy-document';
import { isKnown, type MaybeKnown, type Unknown } from './maybe-known';
import { isPending, NO_VALUE, PENDING, scalarText } from './values';

/** What CloudFormation looks up when it deploys: `{{resolve:ssm:orders}}`. */
const DYNAMIC_REFERENCE = '{{resolve:';

const NOT_GIVEN: Unknown = { unknownBecause: 'is not given' };

/** A value of a template, evaluated as far as it can be before it is deployed. */
export class PropertyValue {
  /** @param why completes a sentence that begins with what is not known of the value */
  constructor(
    private readonly value: unknown,
    private readonly why: string,
  ) {}

  /** Whether something is given; undefined where that is not known. */
  get isPresent(): boolean | undefined {
    return this.value === PENDING ? undefined : this.value !== undefined && this.value !== NO_VALUE;
  }

  /** A member; of what is not known, not known. */
  at(name: string): PropertyValue {
    const member = isObject(this.value) && Object.hasOwn(this.value, name) ? this.value[name] : undefined;
    return new PropertyValue(this.value === PENDING ? PENDING : member, this.why);
  }

  /** A text, or `otherwise` where there is none. Numbers and booleans are texts too. */
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

  /** True or false, which may be written as text. */
  flag(otherwise: boolean): MaybeKnown<boolean> {
    if (this.isPresent === false) return otherwise;
    if (this.value === true || this.value === 'true') return true;
    return this.value === false || this.value === 'false' ? false : this.unknownBecause();
  }

  /** A text that AWS takes nothing without. */
  requiredText(): MaybeKnown<string> {
    return this.isPresent === false ? NOT_GIVEN : this.text('');
  }

  requiredNumber(): MaybeKnown<number> {
    return this.isPresent === false ? NOT_GIVEN : this.number(0);
  }

  /** The texts of a list. */
  texts(): MaybeKnown<readonly MaybeKnown<string>[]> {
    const list = this.list();
    return isKnown(list) ? list.map(it => it.requiredText()) : list;
  }

  /** A list, or what stands where a list may stand by itself. */
  list(): MaybeKnown<readonly PropertyValue[]> {
    if (this.isPresent === false) return [];
    if (this.value === PENDING) return this.unknownBecause();
    const items: readonly unknown[] = Array.isArray(this.value) ? this.value : [this.value];
    return items.map(item => new PropertyValue(item, this.why));
  }

  /** What it is the JSON text of, where it is one. */
  parsed(): PropertyValue {
    if (typeof this.value !== 'string') return this;
    const json = this.json();
    return new PropertyValue(isKnown(json) ? json : PENDING, this.why);
  }

  /** As JSON has it, itself or as text; undefined where there is none. */
  json(): MaybeKnown<unknown> {
    if (this.isPresent === false) return undefined;
    if (typeof this.value !== 'string') return isPending(this.value) ? this.unknownBecause() : this.value;
    if (this.value.includes(DYNAMIC_REFERENCE)) return this.unknownBecause();
    try {
      return JSON.parse(this.value);
    } catch {
      // AWS will say what is wrong with it; here it is what it is.
      return this.value;
    }
  }

  /** A policy, in which what is not known stands as no text; undefined where there is none. */
  policy(): MaybeKnown<PolicyDocument | undefined> {
    if (this.isPresent === false) return undefined;
    const document = openParts(this.value, this.unknownBecause());
    return isObject(document) && 'Statement' in document
      ? { ...document, Statement: document['Statement'] }
      : this.unknownBecause();
  }

  private unknownBecause(): Unknown {
    return { unknownBecause: this.why };
  }
}

/** The value, with something that is no text wherever it is not known. */
function openParts(value: unknown, unknownBecause: Unknown): unknown {
  if (value === PENDING || (typeof value === 'string' && value.includes(DYNAMIC_REFERENCE))) return unknownBecause;
  if (Array.isArray(value)) return value.map(item => openParts(item, unknownBecause));
  if (!isObject(value)) return value;
  const members: JsonObject = value;
  return Object.fromEntries(Object.entries(members).map(([name, member]) => [name, openParts(member, unknownBecause)]));
}
