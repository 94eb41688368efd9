import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { COST_FIGURES } from '../support/cost-figures';
import { regionNames, withRegions } from '../support/cost-regions';
import { ROOT } from './source-files';

/** With this set, the test writes into the pages what the templates cost now. */
const IS_REWRITTEN = process.env['DLO_REWRITE_DOCS'] !== undefined;

const FILES = [
  'README.md',
  ...readdirSync(path.join(ROOT, 'docs'))
    .filter(file => file.endsWith('.md'))
    .map(file => `docs/${file}`),
];

const pageOf = (file: string) => readFileSync(path.join(ROOT, file), 'utf8');

const WITH_FIGURES = FILES.filter(file => regionNames(pageOf(file)).length > 0);

test('every figure is in a page', () => {
  const named = new Set(WITH_FIGURES.flatMap(file => regionNames(pageOf(file))));
  expect([...named].sort()).toEqual(Object.keys(COST_FIGURES).sort());
});

test.each(WITH_FIGURES)('%s states the costs and numbers of resources that the templates have', file => {
  const page = withRegions(pageOf(file), COST_FIGURES);
  if (IS_REWRITTEN) writeFileSync(path.join(ROOT, file), page);
  expect(pageOf(file)).toBe(page);
});

test.each([
  ['fleet-idle', 3],
  ['fleet-million', 3],
  ['fleet-million-unlogged', 1.5],
])('%s is at most %d US dollars', (figure, most) => {
  expect(Number(COST_FIGURES[figure]?.())).toBeLessThanOrEqual(most);
});
