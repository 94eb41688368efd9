import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { App } from 'aws-cdk-lib';
import { Annotations, Match, Template } from 'aws-cdk-lib/assertions';
import { examples, stackOf } from '../support/markdown-examples';
import { acknowledgeFunctions, annotations, findings, validate } from '../support/validations';
import { ROOT } from './source-files';

const README = readFileSync(path.join(ROOT, 'README.md'), 'utf8');

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

  test('has an example that is faultless to cdk-nag, cdk-preflight and CDK’s own validation, and warns of nothing', () => {
    const stack = stackOf(examples(README)[0] ?? '');
    const { root: app } = stack.node;
    if (!(app instanceof App)) throw new Error('the example has no app');
    validate(app);
    acknowledgeFunctions(app);
    expect(findings(app)).toEqual([]);
    expect(annotations(stack)).toEqual([]);
  });

  test('names the two commands package.json has, and files that exist', () => {
    const { scripts } = JSON.parse(readFileSync(path.join(ROOT, 'package.json'), 'utf8'));
    expect(README).toContain('npm ci && npm start');
    expect(README).toContain('npm ci && npm test');
    expect(Object.keys(scripts)).toEqual(expect.arrayContaining(['start', 'test']));
    const links = [...README.matchAll(/\]\(([\w./-]+)\)/g)].map(([, target = '']) => target);
    expect(links.length).toBeGreaterThan(4);
    for (const link of links) expect([link, existsSync(path.join(ROOT, link))]).toEqual([link, true]);
  });
});

describe('the guide to testing', () => {
  test('shows the example that docs/examples runs', () => {
    const guide = readFileSync(path.join(ROOT, 'docs/testing.md'), 'utf8');
    const example = readFileSync(path.join(ROOT, 'docs/examples/partner-outage.test.ts'), 'utf8');
    expect(examples(guide)).toEqual([example]);
  });
});
