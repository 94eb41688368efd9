import { isObject, type Members } from '../policy/members';
import type { PolicyDocument } from './access/policy-document';
import { isTold, type Told, type Untold } from './told';
import { isPending, NO_VALUE, PENDING, scalarText } from './values';

/** What CloudFormation looks up when it deploys: `{{resolve:ssm:orders}}`. */
const DYNAMIC_REFERENCE = '{{resolve:';

const NOT_GIVEN: Untold = { untold: 'is not given' };

/** A value of a template, evaluated as far as it can be before it is deployed. */
export class Given {
  /** @param why completes a sentence that begins with what is not known of the value */
  constructor(
    private readonly value: unknown,
    private readonly why: string,
  ) {}

  /** Whether something is given; undefined where that is not known. */
  get isThere(): boolean | undefined {
    return this.value === PENDING ? undefined : this.value !== undefined && this.value !== NO_VALUE;
  }

  /** A member; of what is not known, not known. */
  at(name: string): Given {
    const member = isObject(this.value) && Object.hasOwn(this.value, name) ? this.value[name] : undefined;
    return new Given(this.value === PENDING ? PENDING : member, this.why);
  }

  /** A text, or `otherwise` where there is none. Numbers and booleans are texts too. */
  text<T extends string | undefined>(otherwise: T): Told<string | T> {
    if (this.isThere === false) return otherwise;
    const text = scalarText(this.value);
    return text === undefined || text.includes(DYNAMIC_REFERENCE) ? this.untold() : text;
  }

  number<T extends number | undefined>(otherwise: T): Told<number | T> {
    if (this.isThere === false) return otherwise;
    const text = scalarText(this.value)?.trim();
    const number = text === undefined || text === '' ? Number.NaN : Number(text);
    return Number.isNaN(number) ? this.untold() : number;
  }

  /** True or false, which may be written as text. */
  flag(otherwise: boolean): Told<boolean> {
    if (this.isThere === false) return otherwise;
    if (this.value === true || this.value === 'true') return true;
    return this.value === false || this.value === 'false' ? false : this.untold();
  }

  /** A text that AWS takes nothing without. */
  requiredText(): Told<string> {
    return this.isThere === false ? NOT_GIVEN : this.text('');
  }

  requiredNumber(): Told<number> {
    return this.isThere === false ? NOT_GIVEN : this.number(0);
  }

  /** The texts of a list. */
  texts(): Told<readonly Told<string>[]> {
    const list = this.list();
    return isTold(list) ? list.map(it => it.requiredText()) : list;
  }

  /** A list, or what stands where a list may stand by itself. */
  list(): Told<readonly Given[]> {
    if (this.isThere === false) return [];
    if (this.value === PENDING) return this.untold();
    const items: readonly unknown[] = Array.isArray(this.value) ? this.value : [this.value];
    return items.map(item => new Given(item, this.why));
  }

  /** What it is the JSON text of, where it is one. */
  parsed(): Given {
    if (typeof this.value !== 'string') return this;
    const json = this.json();
    return new Given(isTold(json) ? json : PENDING, this.why);
  }

  /** As JSON has it, itself or as text; undefined where there is none. */
  json(): Told<unknown> {
    if (this.isThere === false) return undefined;
    if (typeof this.value !== 'string') return isPending(this.value) ? this.untold() : this.value;
    if (this.value.includes(DYNAMIC_REFERENCE)) return this.untold();
    try {
      return JSON.parse(this.value);
    } catch {
      // AWS will say what is wrong with it; here it is what it is.
      return this.value;
    }
  }

  /** A policy, in which what is not known stands as no text; undefined where there is none. */
  policy(): Told<PolicyDocument | undefined> {
    if (this.isThere === false) return undefined;
    const document = openParts(this.value, this.untold());
    return isObject(document) && 'Statement' in document
      ? { ...document, Statement: document['Statement'] }
      : this.untold();
  }

  private untold(): Untold {
    return { untold: this.why };
  }
}

/** The value, with something that is no text wherever it is not known. */
function openParts(value: unknown, untold: Untold): unknown {
  if (value === PENDING || (typeof value === 'string' && value.includes(DYNAMIC_REFERENCE))) return untold;
  if (Array.isArray(value)) return value.map(item => openParts(item, untold));
  if (!isObject(value)) return value;
  const members: Members = value;
  return Object.fromEntries(Object.entries(members).map(([name, member]) => [name, openParts(member, untold)]));
}
