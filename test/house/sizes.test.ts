import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { nodes, parsed, ROOT, type SourceFile, type SyntaxNode, sourceFiles } from './source-files';

const MOST_LINES_A_FILE = 300;
const MOST_LINES_A_FUNCTION = 70;
/** Rows make a test long, and are read one at a time. */
const MOST_LINES_A_TEST = 600;

const FUNCTIONS: ReadonlySet<string> = new Set([
  'FunctionDeclaration',
  'FunctionExpression',
  'ArrowFunctionExpression',
  'ClassMethod',
  'PrivateMethod',
  'Constructor',
  'MethodProperty',
  'GetterProperty',
  'SetterProperty',
]);

const linesIn = (text: string): number => text.trimEnd().split('\n').length;

function longFiles(files: readonly SourceFile[], mostLines = MOST_LINES_A_FILE): string[] {
  return files.flatMap(file => {
    const lines = linesIn(file.text);
    return lines > mostLines ? [`${file.path}: ${lines} lines`] : [];
  });
}

function longFunctions({ path: file, text, syntax }: SourceFile): string[] {
  const bytes = Buffer.from(text);
  return [...nodes(syntax)].filter(isFunction).flatMap(({ span }) => {
    // Counted in bytes, from 1.
    const [start, end] = [span.start - 1, span.end - 1];
    const lines = linesIn(bytes.subarray(start, end).toString());
    const line = linesIn(`${bytes.subarray(0, start).toString()}.`);
    return lines > MOST_LINES_A_FUNCTION ? [`${file}:${line}: a function of ${lines} lines`] : [];
  });
}

type FunctionNode = SyntaxNode & { readonly span: { readonly start: number; readonly end: number } };

function isFunction(node: SyntaxNode): node is FunctionNode {
  return FUNCTIONS.has(node.type) && 'span' in node;
}

function scripts(): SourceFile[] {
  return readdirSync(path.join(ROOT, '.scripts'))
    .filter(file => file.endsWith('.mjs'))
    .map(file => parsed(`.scripts/${file}`, readFileSync(path.join(ROOT, '.scripts', file), 'utf8')));
}

const source = [...['lib', 'lambda', 'local', 'consumer', 'bin'].flatMap(sourceFiles), ...scripts()];

describe('sizes', () => {
  test(`files have ${MOST_LINES_A_FILE} lines at most`, () => {
    expect(source.length).toBeGreaterThan(0);
    expect(longFiles(source)).toEqual([]);
  });

  test(`tests have ${MOST_LINES_A_TEST} lines at most`, () => {
    expect(longFiles(sourceFiles('test'), MOST_LINES_A_TEST)).toEqual([]);
  });

  test(`functions have ${MOST_LINES_A_FUNCTION} lines at most`, () => {
    expect(source.flatMap(longFunctions)).toEqual([]);
  });

  const body = (lines: number) => '  act();\n'.repeat(lines);

  test.each([
    ['a function', `function long() {\n${body(69)}}`],
    ['an arrow', `// ü\nconst long = () => {\n${body(69)}};`],
    ['a method', `class Long {\n  run() {\n${body(69)}  }\n}`],
    ['a constructor', `class Long {\n  constructor() {\n${body(69)}  }\n}`],
    ['a method of an object', `const it = {\n  run() {\n${body(69)}  },\n};`],
  ])('finds %s of 71 lines', (_, text) => {
    expect(longFunctions(parsed('a.ts', text))).toEqual([expect.stringContaining('a function of 71 lines')]);
  });

  test('allows a function of 70 lines, and any number of them', () => {
    const text = `function long() {\n${body(68)}}\n`;
    expect(longFunctions(parsed('a.ts', text.repeat(4)))).toEqual([]);
  });

  test('finds a file of 301 lines, and allows one of 300', () => {
    expect(longFiles([parsed('a.ts', body(301)), parsed('b.ts', body(300))])).toEqual(['a.ts: 301 lines']);
  });
});
