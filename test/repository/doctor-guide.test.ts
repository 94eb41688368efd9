import { readFileSync } from 'node:fs';
import path from 'node:path';
import { CHECKS } from '../../diagnosis/checks/check-inventory';
import { WARNING_IDS } from '../../lib/shared/checks';
import { ROWS } from '../diagnosis/checks/rows';
import { ROOT } from './source-files';

const GUIDE = readFileSync(path.join(ROOT, 'docs/doctor.md'), 'utf8');
const WARNINGS = readFileSync(path.join(ROOT, 'docs/warnings.md'), 'utf8');
const IDS = CHECKS.map(({ id }) => id);

const sections = GUIDE.split(/^### /m)
  .slice(1)
  .map(text => {
    const [id = ''] = text.split('\n');
    return { id, text: text.split(/^## /m)[0] ?? '' };
  });

function sectionOf(id: string): string {
  return sections.find(it => it.id === id)?.text ?? '';
}

test('the guide to the doctor has one section for each check, and no others', () => {
  expect(sections.map(({ id }) => id).sort()).toEqual([...IDS].sort());
});

test('its example acknowledges the id of a check', () => {
  const acknowledged = [...GUIDE.matchAll(/dead-letter-office::([a-z-]+)/g)].map(([, id = '']) => id);
  expect(acknowledged).toHaveLength(1);
  expect(IDS).toEqual(expect.arrayContaining(acknowledged));
});

test('docs/warnings.md explains each check that is also a warning of the constructs', () => {
  const shared = IDS.filter(id => WARNING_IDS.some(it => it === id));
  expect(shared.length).toBeGreaterThan(10);
  for (const id of shared) expect(WARNINGS).toContain(`| \`${id}\` |`);
});

describe.each(IDS)('The section on %s', id => {
  const rows = ROWS.filter(row => row.id === id);

  test('states the severities of the check', () => {
    const [, said = ''] = /^Severity: (.*)\.$/m.exec(sectionOf(id)) ?? [];
    expect(said.split(', ').sort()).toEqual([...new Set(rows.map(({ severity }) => severity))].sort());
  });

  test('says what the check finds, why it costs messages, and how to fix it', () => {
    const parts = [...sectionOf(id).matchAll(/^- \*\*(.*?)\*\*: ((?:.|\n {2})+)/gm)];
    const names = parts.map(([, name]) => name);
    const optional = ['Our constructs', 'AWS CLI'].filter(name => names.includes(name));
    expect(names).toEqual(['Finds', 'Why', 'Plain CDK', ...optional]);
    for (const [, , text = ''] of parts) expect(text.trim()).toMatch(/^[`\w].*\.$/s);
  });

  test('states a command only if the doctor prints none that is complete', () => {
    const isPrinted = rows.some(({ calls = [] }) => calls.length > 0);
    expect(isPrinted && sectionOf(id).includes('**AWS CLI**')).toBe(false);
  });
});
