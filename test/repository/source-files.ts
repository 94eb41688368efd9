import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { parseSync } from '@swc/core';

export const ROOT = path.resolve(__dirname, '../..');

/** The folders of the source, examples included. */
export const SOURCE_FOLDERS = [
  'account',
  'bin',
  'console',
  'consumer',
  'diagnosis',
  'examples',
  'fleet',
  'lambda',
  'lib',
  'local',
  'mover',
  'policy',
  'template',
];

/** A TypeScript file of the source or the tests, parsed. Paths are relative to the root and use forward slashes. */
export interface SourceFile {
  readonly path: string;
  readonly text: string;
  /** Parsed when it is first read: most files are ruled out by their text. */
  readonly syntax: unknown;
}

/** Every TypeScript file below `folder`. */
export function sourceFiles(folder: string): SourceFile[] {
  return readdirSync(path.join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter(file => file.endsWith('.ts') && !file.endsWith('.d.ts'))
    .map(file => path.posix.join(folder, file.split(path.sep).join('/')))
    .map(file => parsed(file, readFileSync(path.join(ROOT, file), 'utf8')));
}

/** `text` as if it stood in the file `path`. */
export function parsed(path: string, text: string): SourceFile {
  let syntax: unknown;
  return {
    path,
    text,
    get syntax() {
      syntax ??= parseSync(text, { syntax: 'typescript' });
      return syntax;
    },
  };
}

export type SyntaxNode = Readonly<Record<string, unknown>> & { readonly type: string };

export const isNode = (value: unknown): value is SyntaxNode =>
  typeof value === 'object' && value !== null && typeof (value as { type?: unknown }).type === 'string';

/** Every node of a syntax tree, outermost first. */
export function* nodes(syntax: unknown): Generator<SyntaxNode> {
  const left = [syntax];
  while (left.length > 0) {
    const value = left.pop();
    if (typeof value !== 'object' || value === null) continue;
    if (isNode(value)) yield value;
    left.push(...Object.values(value).reverse());
  }
}
