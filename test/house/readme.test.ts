import { readFileSync } from 'node:fs';
import path from 'node:path';
import { transformSync } from '@swc/core';
import type { Stack } from 'aws-cdk-lib';
import { Annotations, Match, Template } from 'aws-cdk-lib/assertions';
import * as deadLetterOffice from '../../lib';
import { ROOT } from './source-files';

const README = readFileSync(path.join(ROOT, 'README.md'), 'utf8');

/** The TypeScript examples of a Markdown text, without what they are indented by. */
function examples(markdown: string): string[] {
  return [...markdown.matchAll(/^( *)```ts\n([\s\S]*?)^\1```$/gm)].map(([, indent = '', code = '']) =>
    code.replaceAll(new RegExp(`^${indent}`, 'gm'), ''),
  );
}

/** Runs an example as a user's module and answers the stack it makes. */
function stackOf(example: string): Stack {
  const { code } = transformSync(`${example}\nexport { stack };`, {
    jsc: { parser: { syntax: 'typescript' }, target: 'es2022' },
    module: { type: 'commonjs' },
  });
  const module = { exports: {} as { stack: Stack } };
  const load = (name: string) => (name === 'dead-letter-office' ? deadLetterOffice : require(name));
  new Function('module', 'exports', 'require', code)(module, module.exports, load);
  return module.exports.stack;
}

describe('README', () => {
  test('has one example, which synthesizes a dead-letter queue for each way a message can die', () => {
    const [example = '', ...others] = examples(README);
    expect(others).toEqual([]);
    const stack = stackOf(example);
    const template = Template.fromStack(stack);
    template.resourceCountIs('AWS::SNS::Subscription', 4);
    template.resourcePropertiesCountIs('AWS::SNS::Subscription', { Protocol: 'email' }, 1);
    // Three fan-out queues, the processing queue with its own, and the function's.
    template.resourceCountIs('AWS::SQS::Queue', 6);
    expect(Annotations.fromStack(stack).findError('*', Match.anyValue())).toEqual([]);
  });

  test('names the two commands package.json has, and files that exist', () => {
    const { scripts } = JSON.parse(readFileSync(path.join(ROOT, 'package.json'), 'utf8'));
    expect(README).toContain('npm ci && npm start');
    expect(README).toContain('npm ci && npm test');
    expect(Object.keys(scripts)).toEqual(expect.arrayContaining(['start', 'test']));
    const links = [...README.matchAll(/\]\(([\w./-]+)\)/g)].map(([, target = '']) => target);
    expect(links.length).toBeGreaterThan(4);
    for (const link of links) expect(() => readFileSync(path.join(ROOT, link))).not.toThrow();
  });
});

describe('the guide to testing', () => {
  test('shows the example that docs/examples runs', () => {
    const guide = readFileSync(path.join(ROOT, 'docs/testing.md'), 'utf8');
    const example = readFileSync(path.join(ROOT, 'docs/examples/partner-outage.test.ts'), 'utf8');
    expect(examples(guide)).toEqual([example]);
  });
});
