import fc from 'fast-check';
import { isTooDeep, jsonOrUndefined, jsonProblem, MAX_JSON_DEPTH, parseJson } from '../../policy/json-text';

const VALUES = "(JSON String, Number, Array, Object or token 'null', 'true' or 'false')";
const VALUE = `a valid value ${VALUES}`;

function parses(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

describe('a text that is not JSON', () => {
  test.each([
    // Recorded on AWS (aws-semantics section 2.7).
    ['{invalid}', "Unexpected character ('i' (code 105)): was expecting double-quote to start field name", 1, 2],
    ['', `Unexpected end-of-input: was expecting ${VALUE}`, 1, 1],
    // As Jackson says it: "Unrecognized token 'bob': was expecting (…) at [Source: (String)"bob"; line: 1, column: 4]".
    ['nope', `Unrecognized token 'nope': was expecting ${VALUES}`, 1, 5],
    ['{"a": undefined}', `Unrecognized token 'undefined': was expecting ${VALUES}`, 1, 16],
    [`${'x'.repeat(300)}`, `Unrecognized token '${'x'.repeat(256)}...': was expecting ${VALUES}`, 1, 257],
    ['[trueish]', `Unrecognized token 'trueish': was expecting ${VALUES}`, 1, 9],
    ['[1,\n 2,\n]', `Unexpected character (']' (code 93)): was expecting ${VALUE}`, 3, 1],
    ['[1 2]', "Unexpected character ('2' (code 50)): was expecting comma to separate Array entries or ']'", 1, 4],
    ['{"a" 1}', "Unexpected character ('1' (code 49)): was expecting a colon to separate field name and value", 1, 6],
    ['{"a":1', "Unexpected end-of-input: was expecting comma to separate Object entries or '}'", 1, 7],
    ['{"a":1,}', "Unexpected character ('}' (code 125)): was expecting double-quote to start field name", 1, 8],
    ['{"a":1}}', "Unexpected character ('}' (code 125)): was expecting nothing after the value", 1, 8],
    [
      '{"a": "b',
      'Unexpected end-of-input: was expecting closing quote for a string value, or what a string may hold',
      1,
      9,
    ],
    [
      '["a\nb"]',
      "Unexpected character ('\n' (code 10)): was expecting closing quote for a string value, or what a string may hold",
      1,
      4,
    ],
    ['[', `Unexpected end-of-input: was expecting ${VALUE} or ']'`, 1, 2],
    ['💥', `Unexpected character ('💥' (code 128165)): was expecting ${VALUE}`, 1, 1],
  ])('%j is reported in our own words, with the position', (text, reason, line, column) => {
    expect(jsonProblem(text)).toEqual({ reason, line, column });
  });

  test('is refused with these words by readers of a value', () => {
    const refusal = () => parseJson('[1', words => new TypeError(words));
    expect(refusal).toThrow(
      new TypeError(
        "Unexpected end-of-input: was expecting comma to separate Array entries or ']' at line 1, column 3",
      ),
    );
  });
});

describe('a check whether a text is JSON', () => {
  test('agrees with JSON.parse on every document', () => {
    fc.assert(
      fc.property(fc.json(), text => {
        expect(jsonProblem(text)).toBeUndefined();
        expect(parseJson(text, words => new Error(words))).toEqual(JSON.parse(text));
      }),
    );
  });

  test('agrees with JSON.parse on every document in which one character was changed', () => {
    const broken = fc
      .tuple(fc.json(), fc.nat(), fc.constantFrom(...'{}[]",:\\ue-.0 1tn\u0001\n'))
      .map(([text, where, character]) => {
        const at = where % text.length;
        return text.slice(0, at) + character + text.slice(at + 1);
      });
    fc.assert(
      fc.property(broken, text => {
        expect(jsonProblem(text) === undefined).toBe(parses(text));
      }),
      { numRuns: 2_000 },
    );
  });

  test('works for documents of any length', () => {
    expect(jsonProblem(`"${'x'.repeat(1_048_576)}"`)).toBeUndefined();
  });
});

const nested = (depth: number, inside = ''): string => `${'['.repeat(depth)}${inside}${']'.repeat(depth)}`;

describe('a document that is nested too deeply', () => {
  test.each([
    [MAX_JSON_DEPTH, false],
    [MAX_JSON_DEPTH + 1, true],
    [1_000_000, true],
  ])('is refused above the limit: %i levels: %s', (depth, expected) => {
    expect(isTooDeep(nested(depth))).toBe(expected);
    expect(jsonOrUndefined(nested(depth)) === undefined).toBe(expected);
    expect(jsonProblem(nested(depth)) !== undefined).toBe(expected);
  });

  test('is refused with the position at which it becomes too deep', () => {
    expect(() => parseJson(nested(100_000), words => new TypeError(words))).toThrow(
      new TypeError('Document nesting depth (1001) exceeds the maximum allowed (1000) at line 1, column 1002'),
    );
  });

  test('is not one with brackets inside strings, or one after the other', () => {
    const brackets = nested(1, JSON.stringify(`\\"${'['.repeat(5_000)}`));
    expect(jsonOrUndefined(brackets)).toEqual(JSON.parse(brackets));
    expect(isTooDeep(`[${'[],'.repeat(5_000)}[]]`)).toBe(false);
  });
});
