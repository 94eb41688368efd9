import { isNode, nodes, type SourceFile, type SyntaxNode } from './source-files';

/** Something a file takes from elsewhere. */
export interface Import {
  readonly specifier: string;
  /** Whether nothing of it is left at run time, as of `import type`. */
  readonly isTypeOnly: boolean;
}

/** What a file names in `import`, `export … from`, `import()`, `require()` and `import('…')` types. */
export function importsOf({ syntax }: SourceFile): Import[] {
  return [...nodes(syntax)].flatMap(node => {
    const { type, source, callee, argument } = node;
    if (/^(Import|Export)\w*Declaration$/.test(type) && isNode(source)) {
      return [{ specifier: String(source['value']), isTypeOnly: isTypeOnly(node) }];
    }
    if (type === 'TsImportType' && isNode(argument)) {
      return [{ specifier: String(argument['value']), isTypeOnly: true }];
    }
    const isCall = isNode(callee) && (callee.type === 'Import' || callee['value'] === 'require');
    return isCall ? literalArguments(node['arguments']) : [];
  });
}

/** `import type { … }`, or nothing but `type`s between the braces. */
function isTypeOnly({ typeOnly, specifiers }: SyntaxNode): boolean {
  if (typeOnly === true) return true;
  return Array.isArray(specifiers) && specifiers.length > 0 && specifiers.every(it => it.isTypeOnly === true);
}

function literalArguments(given: unknown): Import[] {
  return [...nodes(given)]
    .filter(({ type }) => type === 'StringLiteral')
    .map(({ value }) => ({ specifier: String(value), isTypeOnly: false }));
}
