/**
 * Parses a text that may not be JSON; undefined when it is not, or is nested too deeply. Use `parseJson` for a text
 * that must be JSON.
 */
export function jsonOrUndefined(text: string): unknown {
  if (isTooDeep(text)) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    // A text that is not JSON is a normal result here.
    return undefined;
  }
}

/**
 * The default limit of Jackson, the parser whose error texts AWS returns. Deeper documents would exhaust the stack of
 * the code that walks them. **Assumption AWS-3:** The limit applies to every document a client sends.
 */
export const MAX_JSON_DEPTH = 1000;

/** The position where a text stops being JSON, and the reason. */
interface JsonProblem {
  /**
   * For example `Unexpected character ('i' (code 105)): was expecting double-quote to start field name`, or
   * `Unrecognized token 'nope': was expecting (JSON String, …)`, whose place is the end of the word as Jackson's is.
   */
  readonly reason: string;
  /** From 1. */
  readonly line: number;
  /** From 1. */
  readonly column: number;
}

type Closing = '}' | ']';

/** The tokens that may come next. */
type Expecting =
  | 'value'
  | 'value-or-end'
  | 'name'
  | 'name-or-end'
  | 'colon'
  | 'comma-or-end'
  | 'rest-of-string'
  | 'nothing';

const VALUES = "(JSON String, Number, Array, Object or token 'null', 'true' or 'false')";
const VALUE = `a valid value ${VALUES}`;
const NAME = 'double-quote to start field name';

const WORDS: Readonly<Record<Expecting, (closing: Closing | undefined) => string>> = {
  value: () => VALUE,
  'value-or-end': () => `${VALUE} or ']'`,
  name: () => NAME,
  'name-or-end': () => NAME,
  colon: () => 'a colon to separate field name and value',
  'comma-or-end': closing => `comma to separate ${closing === '}' ? 'Object' : 'Array'} entries or '${closing}'`,
  'rest-of-string': () => 'closing quote for a string value, or what a string may hold',
  nothing: () => 'nothing after the value',
};

const OPEN_STRING = /"(?:[ !#-[\]-\uffff]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*/y;
const SCALAR = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?(?![\w.])|(?:true|false|null)(?!\w)/y;
const SPACE = /[ \t\n\r]*/y;

const TOO_DEEP = `Document nesting depth (${MAX_JSON_DEPTH + 1}) exceeds the maximum allowed (${MAX_JSON_DEPTH})`;

/** A word where a value should be, such as `nope` or `undefined`: the characters of a Java identifier. */
const WORD = /[\p{L}\p{Nl}\p{Sc}\p{Pc}][\p{L}\p{Nl}\p{Nd}\p{Mn}\p{Mc}\p{Sc}\p{Pc}]{0,255}/uy;

/** Jackson shows this many characters of a word. */
const LONGEST_WORD = 256;

/** Where a text stops being JSON. */
interface Broken {
  readonly index: number;
  /** Undefined when the text is nested too deeply. */
  readonly expected?: string;
  /** The word that stands where a value should be. */
  readonly word?: string | undefined;
}

/** Walks through a text as long as it is JSON. */
class Walk {
  private readonly closings: Closing[] = [];
  private expecting: Expecting = 'value';
  private at = 0;

  constructor(private readonly text: string) {}

  /** Returns where the text stops being JSON or becomes too deep; undefined when all of it is valid. */
  run(): Broken | undefined {
    while (true) {
      this.skip(SPACE);
      if (this.at >= this.text.length && this.expecting === 'nothing') return undefined;
      const next = this.step();
      if (this.closings.length > MAX_JSON_DEPTH) return { index: this.at };
      if (!next) return { index: this.at, expected: WORDS[this.expecting](this.closings.at(-1)), word: this.word() };
      this.expecting = next;
    }
  }

  /** Reads one token and returns what may follow it; undefined when the token is not allowed here. */
  private step(): Expecting | undefined {
    const character = this.text[this.at];
    const { expecting } = this;
    if (expecting === 'nothing') return undefined;
    if (expecting === 'colon') return this.skipOne(character === ':') && 'value';
    if (character === this.closings.at(-1) && expecting.endsWith('-or-end')) return this.close();
    if (expecting === 'comma-or-end') {
      return this.skipOne(character === ',') && (this.closings.at(-1) === '}' ? 'name' : 'value');
    }
    if (expecting === 'name' || expecting === 'name-or-end') return this.string('colon');
    if (character === '{') return this.open('}', 'name-or-end');
    if (character === '[') return this.open(']', 'value-or-end');
    if (character === '"') return this.string(this.afterValue());
    return this.skip(SCALAR) ? this.afterValue() : undefined;
  }

  /** The word that stands where a value should be. */
  private word(): string | undefined {
    if (!this.expecting.startsWith('value')) return undefined;
    WORD.lastIndex = this.at;
    return WORD.exec(this.text)?.[0];
  }

  private string(next: Expecting): Expecting | undefined {
    if (!this.skip(OPEN_STRING)) return undefined;
    if (this.skipOne(this.text[this.at] === '"')) return next;
    this.expecting = 'rest-of-string';
    return undefined;
  }

  private open(closing: Closing, expecting: Expecting): Expecting {
    this.at += 1;
    this.closings.push(closing);
    return expecting;
  }

  private close(): Expecting {
    this.at += 1;
    this.closings.pop();
    return this.afterValue();
  }

  private afterValue(): Expecting {
    return this.closings.length > 0 ? 'comma-or-end' : 'nothing';
  }

  private skipOne(isWanted: boolean): true | undefined {
    if (!isWanted) return undefined;
    this.at += 1;
    return true;
  }

  private skip(token: RegExp): boolean {
    token.lastIndex = this.at;
    const isHere = token.test(this.text);
    if (isHere) this.at = token.lastIndex;
    return isHere;
  }
}

function unexpectedAt(text: string, index: number): string {
  const code = text.codePointAt(index);
  if (code === undefined) return 'Unexpected end-of-input';
  return `Unexpected character ('${String.fromCodePoint(code)}' (code ${code}))`;
}

/**
 * Finds why a text is not JSON; undefined when it is. The error texts of `JSON.parse` change with the version of
 * Node.js and would change the trace, so this uses those of Jackson, which AWS returns. A document nested too deeply
 * counts as invalid.
 */
export function jsonProblem(text: string): JsonProblem | undefined {
  const broken = new Walk(text).run();
  if (!broken) return undefined;
  const { index, expected, word } = broken;
  if (word !== undefined) {
    const shown = word.length < LONGEST_WORD ? word : `${word}...`;
    return { reason: `Unrecognized token '${shown}': was expecting ${VALUES}`, ...placeIn(text, index + word.length) };
  }
  const reason = expected === undefined ? TOO_DEEP : `${unexpectedAt(text, index)}: was expecting ${expected}`;
  return { reason, ...placeIn(text, index) };
}

function placeIn(text: string, index: number): Pick<JsonProblem, 'line' | 'column'> {
  const before = text.slice(0, index);
  return { line: before.split('\n').length, column: index - before.lastIndexOf('\n') };
}

/** Whether a document is nested deeper than `MAX_JSON_DEPTH`. For a text that is not JSON the answer has no meaning. */
export function isTooDeep(text: string): boolean {
  // Each level takes two characters: one opens it, one closes it.
  if (text.length <= 2 * MAX_JSON_DEPTH) return false;
  let depth = 0;
  let isInString = false;
  for (let i = 0; i < text.length; i += 1) {
    const character = text[i];
    if (isInString) {
      if (character === '\\') i += 1;
      else if (character === '"') isInString = false;
    } else if (character === '"') isInString = true;
    else if (character === '{' || character === '[') depth += 1;
    else if (character === '}' || character === ']') depth -= 1;
    if (depth > MAX_JSON_DEPTH) return true;
  }
  return false;
}

/**
 * Parses a text as `JSON.parse` does.
 *
 * @param refuse creates the error to throw. `words` is, for example, `reason at line 1, column 2`; `problem` has the same as data
 */
export function parseJson(text: string, refuse: (words: string, problem: JsonProblem) => Error): unknown {
  try {
    const document: unknown = JSON.parse(text);
    if (!isTooDeep(text)) return document;
    throw new SyntaxError(TOO_DEEP);
  } catch (error) {
    const problem = jsonProblem(text);
    if (!problem) throw error;
    throw refuse(`${problem.reason} at line ${problem.line}, column ${problem.column}`, problem);
  }
}

/** SNS hides the parsed text in the error. */
const SOURCE = 'REDACTED (`StreamReadFeature.INCLUDE_SOURCE_IN_LOCATION` disabled)';

/**
 * Parses an attribute of a topic or a subscription that holds JSON. The error has the text of SNS.
 *
 * @param refuse makes the error from the recorded text, to which it may add the attribute's name
 */
export function parseJsonAttribute(text: string, refuse: (problem: string) => Error): unknown {
  return parseJson(text, (_, { reason, line, column }) =>
    refuse(`failed to parse JSON. ${reason}\n at [Source: ${SOURCE}; line: ${line}, column: ${column}]`),
  );
}
