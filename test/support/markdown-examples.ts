import { transformSync } from '@swc/core';
import type { Stack } from 'aws-cdk-lib';
import * as deadLetterOffice from '../../lib';

/** The TypeScript examples of a Markdown text, without their indentation. */
export function examples(markdown: string): string[] {
  return [...markdown.matchAll(/^( *)```ts\n([\s\S]*?)^\1```$/gm)].map(([, indent = '', code = '']) =>
    code.replaceAll(new RegExp(`^${indent}`, 'gm'), ''),
  );
}

/** Runs an example as a user's module and returns its stack. */
export function stackOf(example: string): Stack {
  const { code } = transformSync(`${example}\nexport { stack };`, {
    jsc: { parser: { syntax: 'typescript' }, target: 'es2022' },
    module: { type: 'commonjs' },
  });
  const module = { exports: {} as { stack: Stack } };
  const load = (name: string) => (name === 'dead-letter-office' ? deadLetterOffice : require(name));
  new Function('module', 'exports', 'require', code)(module, module.exports, load);
  return module.exports.stack;
}
