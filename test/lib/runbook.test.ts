import { readFileSync } from 'node:fs';
import path from 'node:path';
import { RunbookSection } from '../../lib/private/alarms';
import { packageRoot } from '../../lib/private/handler-code';

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

describe('The runbook', () => {
  test('has a section for every alarm, and none for an alarm there is not', () => {
    expect([...sections.keys()].sort()).toEqual(Object.values(RunbookSection).sort());
  });

  test.each(Object.values(RunbookSection))('says under %s what to look at and what to do', anchor => {
    expect(sections.get(anchor)).toMatch(/\*\*Look\.\*\*[\s\S]+\*\*Do\.\*\*/);
  });
});
