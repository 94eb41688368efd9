import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { App, Stack } from 'aws-cdk-lib';
import { Annotations, Match, Template } from 'aws-cdk-lib/assertions';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { SqsSubscription } from 'aws-cdk-lib/aws-sns-subscriptions';
import { Queue } from 'aws-cdk-lib/aws-sqs';
import * as local from '../../local';
import { costOfStack } from '../support/costs';
import { examples, stackOf } from '../support/markdown-examples';
import { ROOT } from './source-files';

const README = readFileSync(path.join(ROOT, 'README.md'), 'utf8');

describe('README', () => {
  test('has one example, with a dead-letter queue for each way in which a message can fail', () => {
    const [example = '', ...others] = examples(README);
    expect(others).toEqual([]);
    const stack = stackOf(example);
    const template = Template.fromStack(stack);
    template.resourceCountIs('AWS::SNS::Subscription', 4);
    template.resourcePropertiesCountIs('AWS::SNS::Subscription', { Protocol: 'email' }, 1);
    // Three queues of deliveries, the processing queue with its dead-letter queue, and that of the function.
    template.resourceCountIs('AWS::SQS::Queue', 6);
    expect(Annotations.fromStack(stack).findError('*', Match.anyValue())).toEqual([]);
  });

  test('shows a test that passes for a topic and a queue with the names in it', async () => {
    const stack = new Stack(new App(), 'Shop');
    const archive = new Queue(stack, 'Archive', { queueName: 'Archive' });
    new Topic(stack, 'Orders', { topicName: 'Orders' }).addSubscription(new SqsSubscription(archive));
    const { directory } = (stack.node.root as App).synth();
    const [, code = ''] = README.match(/^```js\n([\s\S]*?)^```$/m) ?? [];
    const bodies: (() => Promise<void>)[] = [];
    const load = (name: string) => ({ 'dead-letter-office/local': local })[name];
    new Function('require', 'test', code.replace("'cdk.out'", JSON.stringify(directory)))(
      load,
      (_title: string, body: () => Promise<void>) => bodies.push(body),
    );
    expect(bodies).toHaveLength(1);
    for (const body of bodies) await body();
    expect.assertions(2);
  });

  test('has an example with at most 45 resources, 12 of them alarms', () => {
    const { resources, alarms } = costOfStack(stackOf(examples(README)[0] ?? ''));
    expect(resources).toBeLessThanOrEqual(45);
    expect(alarms).toBeLessThanOrEqual(12);
  });

  test('names two scripts of package.json, and files that exist', () => {
    const { scripts } = JSON.parse(readFileSync(path.join(ROOT, 'package.json'), 'utf8'));
    expect(README).toContain('npm ci && npm start');
    expect(README).toContain('npm ci && npm test');
    expect(Object.keys(scripts)).toEqual(expect.arrayContaining(['start', 'test']));
    const links = [...README.matchAll(/\]\(([\w./-]+)\)/g)].map(([, target = '']) => target);
    expect(links.length).toBeGreaterThan(4);
    for (const link of links) expect([link, existsSync(path.join(ROOT, link))]).toEqual([link, true]);
  });
});

test('the guide to testing shows examples that are tested in docs/examples, and a few lines at most that are not', () => {
  const guide = readFileSync(path.join(ROOT, 'docs/testing.md'), 'utf8');
  const folder = path.join(ROOT, 'docs/examples');
  const tested = readdirSync(folder).filter(file => file.endsWith('.test.ts'));
  const sources = tested.map(file => readFileSync(path.join(folder, file), 'utf8'));
  const [first, ...others] = examples(guide);
  expect(sources).toContain(first);
  const untested = others.filter(it => !sources.includes(it) && it.trim().split('\n').length > 6);
  expect(untested).toEqual([]);
});

describe('the guides', () => {
  const guides = readdirSync(path.join(ROOT, 'docs')).filter(file => file.endsWith('.md'));
  const files = ['README.md', 'CONTRIBUTING.md', ...guides.map(file => `docs/${file}`)];

  test('name scripts that package.json has', () => {
    const { scripts } = JSON.parse(readFileSync(path.join(ROOT, 'package.json'), 'utf8'));
    const named = files.flatMap(file => [
      ...readFileSync(path.join(ROOT, file), 'utf8').matchAll(/npm run ([\w:-]+)/g),
    ]);
    const missing = new Set(named.map(([, name = '']) => name).filter(name => !(name in scripts)));
    expect(named.length).toBeGreaterThan(10);
    expect([...missing]).toEqual([]);
  });

  /** The text without code blocks, which have no headings or links. */
  const proseOf = (file: string) => readFileSync(path.join(ROOT, file), 'utf8').replace(/^```[\s\S]*?^```$/gm, '');

  /** The anchors that GitHub gives to the headings of a page, and those that rows of a table state. */
  const anchorsOf = (file: string) =>
    [...proseOf(file).matchAll(/^#+ (.*)$|<a id="([\w-]+)">/gm)].map(
      ([, heading = '', id]) =>
        id ??
        heading
          .toLowerCase()
          .replace(/[^\w\- ]/g, '')
          .replaceAll(' ', '-'),
    );

  test.each(files)('%s links only to files and headings that exist', file => {
    const links = [...proseOf(file).matchAll(/\]\(([^)\s]+)\)/g)].map(([, link = '']) => link);
    const broken = links
      .filter(link => !/^https?:/.test(link))
      .filter(link => {
        const [target = '', anchor] = link.split('#');
        const page = target === '' ? file : path.join(path.dirname(file), target);
        if (!existsSync(path.join(ROOT, page))) return true;
        return anchor !== undefined && page.endsWith('.md') && !anchorsOf(page).includes(anchor);
      });
    expect(broken).toEqual([]);
  });
});
