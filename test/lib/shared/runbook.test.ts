import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Stack } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { ProcessingQueue } from '../../../lib';
import { RunbookSection } from '../../../lib/shared/alarms';
import { handlerCode } from '../../../lib/shared/own-function';
import { packageAbove, packageRoot } from '../../../lib/shared/own-package';
import type { RedriveCause } from '../../../policy/redrive/redrive-decision';
import { REDRIVE_SETTINGS_VARIABLE, type RedriveSettings } from '../../../policy/redrive/redrive-settings';
import { newApp } from '../support';

const runbook = readFileSync(path.join(packageRoot(), 'docs', 'runbook.md'), 'utf8');

/** The sections below the title, by the anchor GitHub gives each, with their text. */
const sections = new Map(
  runbook
    .split(/^## /m)
    .slice(1)
    .map(section => {
      const [title = '', ...lines] = section.split('\n');
      return [title.toLowerCase().replaceAll(' ', '-'), lines.join('\n')];
    }),
);

/** Sections to which no alarm links. The beginning of the runbook links to them. */
const WITHOUT_ALARM = [
  'the-names-the-commands-want',
  'a-subscription-that-was-never-confirmed',
  'a-queue-that-a-redrive-looks-after',
];

describe('The runbook', () => {
  test('has a section for every alarm, and none without an alarm', () => {
    expect([...sections.keys()].sort()).toEqual([...Object.values(RunbookSection), ...WITHOUT_ALARM].sort());
  });

  test.each(WITHOUT_ALARM)('links at its beginning to %s', anchor => {
    expect(runbook.split(/^## /m)[0]).toContain(`](#${anchor})`);
  });

  test.each(Object.values(RunbookSection))('says under %s what to look at and what to do', anchor => {
    expect(sections.get(anchor)).toMatch(/\*\*Look\.\*\*[\s\S]+\*\*Do\.\*\*/);
  });
});

describe('For a dead letter that arrived, the runbook says how to send it on', () => {
  const [, toDo = ''] = sections.get('dead-letters-arrived')?.split('**Do.**') ?? [];
  const blocks = [...toDo.matchAll(/^\*(.+?)\.\*[^`]*(?:`[^`\n]+`[^`]*)*```\n([\s\S]+?)```$/gm)];

  test('for each kind of subscriber', () => {
    expect(blocks.map(([, kind]) => kind)).toEqual([
      'The subscriber is a queue',
      'The subscriber is a function',
      'It is the dead-letter queue of a function',
      'The subscriber is an HTTP endpoint',
      'It is the dead-letter queue of a rule',
    ]);
  });

  test.each([
    ['The subscriber is a queue', 'aws sqs send-message'],
    ['The subscriber is a function', 'aws lambda invoke'],
    ['It is the dead-letter queue of a function', 'aws lambda invoke'],
    ['The subscriber is an HTTP endpoint', 'curl --fail'],
    ['It is the dead-letter queue of a rule', 'aws events put-events'],
  ])('with a command whose exit code says whether it succeeded: %s', (kind, send) => {
    const commands = blocks.find(([, it]) => it === kind)?.[2] ?? '';
    expect(commands).toMatch(/^send\(\) \{\n[\s\S]+\n\}\n$/);
    const [, last = ''] = commands.split(/^ {2}(?=\S)/m).slice(-2);
    expect(last).toContain(send);
  });

  test('and removes it only after that, and sends nothing if there is no message', () => {
    expect(toDo).toContain(' > body.json && [ -s body.json ]\n}\n');
    expect(toDo).toContain('\ntake && send && remove\nwhile take; do send && remove || break; done\n');
    expect(toDo.split('delete-message')).toHaveLength(2);
  });
});

describe('For a redrive, the runbook', () => {
  /** The causes that stop a run. The other causes only prevent a run, and trigger no alarm. */
  const STOPS: readonly RedriveCause[] = [
    'abandoned',
    'alarm-firing',
    'alarm-missing',
    'alarm-without-data',
    'backlog',
    'backlog-too-old',
    'cancelled',
    'consumer-stopped',
    'history-too-short',
    'messages-spent',
    'no-dead-letter-queue',
    'no-destination',
    'not-consumed',
    'not-healthy-for-long',
    'returned',
    'switch-unknown',
    'switched-off',
    'task-failed',
    'unknown',
  ];

  test('says what to do about each cause of a stop', () => {
    const rows = sections.get('redrive-stopped')?.match(/^\| `.*$/gm) ?? [];
    const causes = rows.flatMap(row =>
      [...(row.split('|')[1] ?? '').matchAll(/`([a-z-]+)`/g)].map(([, cause]) => cause),
    );
    expect(causes.filter(cause => cause !== 'cause').sort()).toEqual(STOPS);
  });

  test('has commands that find their values in the settings of the function', () => {
    const names = sections.get('the-names-the-commands-want') ?? '';
    const read = names.matchAll(new RegExp(`${REDRIVE_SETTINGS_VARIABLE} \\| fromjson \\| \\.(\\w+)`, 'g'));
    const wanted: readonly (keyof RedriveSettings)[] = ['switchParameter', 'deadLetters'];
    expect([...read].map(([, name]) => name)).toEqual(wanted);
  });
});

describe('The link to the runbook in every alarm', () => {
  function descriptions(context: Readonly<Record<string, unknown>> = {}): string[] {
    const stack = new Stack(newApp({ context }), 'Stack');
    new ProcessingQueue(stack, 'Queue');
    const alarms = Template.fromStack(stack).findResources('AWS::CloudWatch::Alarm');
    return Object.values(alarms).map(({ Properties }) => Properties.AlarmDescription);
  }

  test('leads to the runbook of this version, by its tag', () => {
    const { version } = JSON.parse(readFileSync(path.join(packageRoot(), 'package.json'), 'utf8'));
    const link = `https://github.com/dead-letter-office/dead-letter-office/blob/v${version}/docs/runbook.md#`;
    expect(descriptions()).toHaveLength(3);
    expect(descriptions().filter(text => !text.includes(` ${link}`))).toEqual([]);
  });

  test('leads to a page of the user if the context names one', () => {
    const page = 'https://wiki.example.com/runbook';
    const own = descriptions({ 'dead-letter-office:runbookUrl': page });
    expect(own.filter(text => !text.includes(` ${page}#`))).toEqual([]);
  });

  test.each([
    ['wiki', '"4 characters that are not a URL"'],
    [7, '7'],
    [{}, '{}'],
  ])('cannot be %j', (stated, got) => {
    expect(() => descriptions({ 'dead-letter-office:runbookUrl': stated })).toThrow(
      `dead-letter-office:runbookUrl must be an absolute http or https URL, got ${got}`,
    );
  });
});

describe('The code of a handler', () => {
  test('is found in this package from wherever the constructs run', () => {
    const root = packageRoot();
    expect(JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8')).name).toBe('dead-letter-office');
    expect(packageAbove(path.join(root, 'dist', 'lib')).root).toBe(root);
  });

  test('is found in an installed package, outside the project', () => {
    const project = mkdtempSync(path.join(tmpdir(), 'project-'));
    const installed = path.join(project, 'node_modules', 'dead-letter-office');
    mkdirSync(path.join(installed, 'dist', 'lib', 'private'), { recursive: true });
    writeFileSync(path.join(project, 'package.json'), '{"name":"somebody-elses-app"}');
    writeFileSync(path.join(installed, 'package.json'), '{"name":"dead-letter-office"}');
    expect(packageAbove(path.join(installed, 'dist', 'lib', 'private')).root).toBe(installed);
  });

  test('cannot be found outside the package, and the error says so', () => {
    expect(() => packageAbove(tmpdir())).toThrow('is the package dead-letter-office');
  });

  test('is reported by a clear error if it was never built', () => {
    expect(() => handlerCode('no-such-handler')).toThrow(
      /bundle of handler 'no-such-handler' is missing from .*: run npm run build/,
    );
  });
});
