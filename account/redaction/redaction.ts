import { search } from '@aws-lambda-powertools/jmespath';
import { isObject } from '../../policy/json-members';
import { decodeMessage, type QueueMessage } from '../../policy/messages/decode-message';
import { BadInput, messageOf } from '../errors';

type JsonValue = Parameters<typeof search>[1];

type Step =
  | { readonly kind: 'name'; readonly name: string }
  | { readonly kind: 'index'; readonly index: number }
  | { readonly kind: 'all' }
  | { readonly kind: 'where'; readonly condition: string };

/** What is shown in place of a value. */
const REDACTED = '[redacted]';

/** What is shown in place of a body in which nothing can be found. */
const HIDDEN_BODY = '[redacted: not JSON]';

const STEP = /^\.?(?:([A-Za-z_]\w*)|"((?:[^"\\]|\\.)+)"|\*|\[(-?\d+)\]|\[\*?\]|\[\?(.*?)\](?=$|[.[]))/s;

/**
 * Reads a path: a JMESPath expression of names, `*`, `[n]`, `[*]`, `[]` and `[?condition]`. Other expressions make new values, so that it
 * is unknown what they came from.
 */
function stepsOf(path: string): readonly Step[] {
  const steps: Step[] = [];
  for (let rest = path.trim(); rest !== ''; ) {
    const found = STEP.exec(rest);
    if (!found) {
      throw new BadInput([
        `--redact must be a JMESPath of names, *, [n], [*] and [?condition], such as card.number: got ${path}, at ${rest}`,
      ]);
    }
    const [whole, name, quoted, index, condition] = found;
    if (name !== undefined) steps.push({ kind: 'name', name });
    else if (quoted !== undefined) steps.push({ kind: 'name', name: String(JSON.parse(`"${quoted}"`)) });
    else if (index !== undefined) steps.push({ kind: 'index', index: Number(index) });
    else if (condition !== undefined) steps.push({ kind: 'where', condition: checked(condition) });
    else steps.push({ kind: 'all' });
    rest = rest.slice(whole.length);
  }
  if (steps.length === 0) throw new BadInput(['--redact must be a JMESPath, such as card.number: got nothing']);
  return steps;
}

function checked(condition: string): string {
  try {
    search(condition, {});
  } catch (error) {
    if (
      /^(Lexer|Parse|IncompleteExpression|EmptyExpression|UnknownFunction|Arity|VariadicArity)Error$/.test(
        Object(error).name,
      )
    )
      throw new BadInput([`--redact has a condition that is no JMESPath expression: ${messageOf(error)}`]);
  }
  return condition;
}

/** An element on which the condition cannot be evaluated is redacted. */
function holds(condition: string, element: unknown): boolean {
  try {
    const result = search(condition, element as JsonValue);
    return Array.isArray(result) ? result.length > 0 : Boolean(result);
  } catch {
    return true;
  }
}

function indexesOf(list: readonly unknown[]): readonly number[] {
  return list.map((_, at) => at);
}

function selected(step: Step, value: unknown): readonly (string | number)[] {
  const isList = Array.isArray(value);
  switch (step.kind) {
    case 'name':
      return isObject(value) && Object.hasOwn(value, step.name) ? [step.name] : [];
    case 'index': {
      const at = isList && step.index < 0 ? value.length + step.index : step.index;
      return isList && at in value ? [at] : [];
    }
    case 'all':
      if (isList) return indexesOf(value);
      return isObject(value) ? Object.keys(value) : [];
    case 'where':
      return isList ? indexesOf(value).filter(at => holds(step.condition, value[at])) : [];
  }
}

function withMember(value: unknown, key: string | number, change: (member: unknown) => unknown): unknown {
  if (Array.isArray(value)) return value.map((member, at) => (at === key ? change(member) : member));
  return isObject(value) ? { ...value, [key]: change(value[key]) } : value;
}

function parsed(text: string): unknown {
  if (!/^\s*[[{]/.test(text)) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Shorter values occur in other texts by chance. */
const LEAST_CHARACTERS = 4;

/**
 * Hides values of message bodies in everything that is shown. A path is tried at every level of a body, and in JSON inside of strings,
 * as in the envelope of SNS. Values that were found are also hidden in all other texts: in log lines and errors.
 */
export class Redaction {
  private readonly paths: readonly (readonly Step[])[];
  /** The texts of the values that were found. */
  private readonly values = new Set<string>();

  /** @throws BadInput when a path is not valid */
  constructor(paths: readonly string[]) {
    this.paths = paths.map(stepsOf);
  }

  get isOn(): boolean {
    return this.paths.length > 0;
  }

  /** A message to show. A body that is not JSON is hidden completely. */
  message<Message extends QueueMessage>(message: Message): Message {
    if (!this.isOn) return message;
    return { ...message, body: this.body(message) };
  }

  /** Remembers the values of a message that is not shown itself. */
  observe(message: QueueMessage): void {
    if (this.isOn) this.body(message);
  }

  private body(message: QueueMessage): string {
    const { body } = message;
    const document = parsed(body);
    const { payload } = decodeMessage(message);
    const text = parsed(payload) === undefined ? payload : undefined;
    if (text !== undefined) this.remember(text);
    return document === undefined ? HIDDEN_BODY : JSON.stringify(this.inside(document, text));
  }

  /**
   * Tries all paths here, and at every level below.
   * @param payload the text that an envelope contains, if it is not JSON
   */
  private inside(value: unknown, payload: string | undefined): unknown {
    const here = this.paths.reduce((changed, path) => this.redact(changed, path), value);
    if (typeof here === 'string') {
      const document = parsed(here);
      if (here === payload) return HIDDEN_BODY;
      return document === undefined ? here : JSON.stringify(this.inside(document, payload));
    }
    if (Array.isArray(here)) return here.map(member => this.inside(member, payload));
    if (!isObject(here)) return here;
    return Object.fromEntries(Object.entries(here).map(([name, member]) => [name, this.inside(member, payload)]));
  }

  private redact(value: unknown, [step, ...rest]: readonly Step[]): unknown {
    if (!step) {
      this.remember(value);
      return REDACTED;
    }
    return selected(step, value).reduce<unknown>(
      (changed, key) => withMember(changed, key, member => this.redact(member, rest)),
      value,
    );
  }

  private remember(value: unknown): void {
    if (Array.isArray(value)) for (const member of value) this.remember(member);
    else if (isObject(value)) for (const member of Object.values(value)) this.remember(member);
    else if (
      value !== REDACTED &&
      String(value).length >= LEAST_CHARACTERS &&
      typeof value !== 'boolean' &&
      value !== null
    )
      this.values.add(String(value));
  }

  /** A copy of a result in which no text has a value that was found. */
  everywhere<T>(result: T): T {
    return this.isOn && this.values.size > 0 ? (this.hidden(result) as T) : result;
  }

  private hidden(value: unknown): unknown {
    if (typeof value === 'string') return this.text(value);
    if (Array.isArray(value)) return value.map(member => this.hidden(member));
    if (!isObject(value) || Object.getPrototypeOf(value) !== Object.prototype) return value;
    return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, this.hidden(member)]));
  }

  /** Hides longer values first: a shorter one can be a part of them. */
  private text(text: string): string {
    const values = [...this.values].sort((one, other) => other.length - one.length);
    return values.reduce((shown, value) => replaced(shown, value, REDACTED), text);
  }
}

/** Replaces a text, also as it stands inside JSON. */
function replaced(text: string, value: string, by: string): string {
  const escaped = JSON.stringify(value).slice(1, -1);
  return text.replaceAll(value, by).replaceAll(escaped, by);
}
