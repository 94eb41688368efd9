import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { EXAMPLE_PLACE } from '../../local/kernel/place';
import { Random } from '../../local/kernel/random';
import { Simulation } from '../../local/simulation';
import { awsPolicyNames } from '../../template/access/managed-policies';
import managedPolicies from '../../template/access/managed-policies.json';
import { PATTERNS } from '../local/patterns/patterns';
import { ROOT } from './source-files';

/** With this set, the test writes the tables into the page. */
const IS_REWRITTEN = process.env['DLO_REWRITE_DOCS'] !== undefined;
const FILE = path.join(ROOT, 'docs/simulated.md');

const within = (page: string, region: string, text: string): string =>
  page.replace(
    new RegExp(`(<!-- ${region} -->\n)[^]*?(<!-- /${region} -->)`),
    (_, start: string, end: string) => `${start}${text}${end}`,
  );

/** The resource types by service, in a table. */
function typesTable(): string {
  const { home } = new Simulation({ place: EXAMPLE_PLACE, random: new Random('docs'), startAtMs: 0 });
  const own = ['AWS::CloudFormation::CustomResource', 'AWS::CloudFormation::Stack'];
  const types = [...new Set([...home.deployTarget().types.map(({ type }) => type), ...own])].sort();
  const byService = new Map<string, string[]>();
  for (const type of types) {
    const service = type.split('::')[1] ?? '';
    byService.set(service, [...(byService.get(service) ?? []), type]);
  }
  const rows = [...byService].map(
    ([service, all]) => `| ${service} | ${all.map(type => `\`${type.split('::')[2]}\``).join(', ')} |\n`,
  );
  return `| Service | Types |\n|---|---|\n${rows.join('')}`;
}

function policiesLine(): string {
  const { moto, date } = managedPolicies.about;
  const count = awsPolicyNames().length.toLocaleString('en');
  return `The embedded AWS knows ${count} of AWS's managed policies, from the list in moto ${moto} (${date}).\n`;
}

/** The patterns in two lists: a message reaches the end of the first ones, and the others only deploy. */
function patternLists(): string {
  const names = (reaches: boolean) =>
    Object.entries(PATTERNS)
      .filter(([, { send }]) => Boolean(send) === reaches)
      .map(([name]) => name.replace(/^aws-/, ''))
      .join(', ');
  return `- A message reaches the end: ${names(true)}.\n- Deployed only: ${names(false)}.\n`;
}

test('docs/simulated.md lists the resource types that are simulated, and the patterns that deploy', () => {
  const page = readFileSync(FILE, 'utf8');
  const tables = { types: typesTable(), policies: policiesLine(), patterns: patternLists() };
  const wanted = Object.entries(tables).reduce((text, [region, table]) => within(text, region, table), page);
  if (IS_REWRITTEN) writeFileSync(FILE, wanted);
  expect(IS_REWRITTEN ? wanted : page).toBe(wanted);
});
