import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { readInventory } from '../../../account/inventory/read-inventory';
import { FIXABLE_CAUSES } from '../../../diagnosis/causes/explain';
import { checkInventory } from '../../../diagnosis/checks/check-inventory';
import type { AwsCall, Fix } from '../../../diagnosis/fixes/fix';
import { ROWS as CHECK_ROWS } from '../../diagnosis/checks/rows';
import { applyCalls } from '../../support/apply-fix';
import type { Deployed } from '../../support/deployed';
import { connectedTo } from '../connected-to';
import { OperatedAccount, openAccount } from '../operated-account';
import { ACCESS_FIX_ROWS } from './access-rows';
import { type FixRow, publishes } from './fix-row';
import { SETTING_FIX_ROWS } from './setting-rows';

const ROWS: readonly FixRow[] = [...ACCESS_FIX_ROWS, ...SETTING_FIX_ROWS];

type Advice = (deployed: Deployed, url: string) => Promise<readonly Fix[]>;

async function apply(fixes: readonly Fix[], { byHand }: FixRow, deployed: Deployed, url: string): Promise<void> {
  const calls = each(fixes.flatMap(it => it.calls ?? []));
  if (byHand === undefined) {
    expect(calls).not.toEqual([]);
    return applyCalls(url, calls);
  }
  expect({ says: fixes[0]?.says, calls }).toEqual({ says: expect.stringMatching(byHand.says), calls: [] });
  await byHand.change(deployed);
}

/** Breaks, sends, applies the fixes, and sends again. The receiver counts. */
async function arrivals(row: FixRow, advice: Advice) {
  const { fill, breaks, sends = publishes, receives = inBills } = row;
  const { deployed, url } = await openAccount(fill);
  await breaks?.(deployed);
  await receives(deployed);
  await sends(deployed);
  const before = await receives(deployed);
  await apply(await advice(deployed, url), row, deployed, url);
  await deployed.advance({ minutes: 1 });
  await receives(deployed);
  await sends(deployed);
  const after = await receives(deployed);
  await deployed.close();
  return { before, after };
}

const inBills = async (on: Deployed) => (await on.take('Bills')).length;

const each = (calls: readonly AwsCall[]) => [...new Map(calls.map(it => [JSON.stringify(it), it])).values()];

test.each(ROWS.filter(it => it.check !== undefined))('$check, $what: the message arrives', async row => {
  const counts = await arrivals(row, async (_, url) => {
    const found = await connectedTo(url, async aws => checkInventory(await readInventory(aws)));
    return found.filter(({ id }) => id === row.check).map(({ fix }) => fix);
  });
  expect(counts).toEqual({ before: row.broken ?? 0, after: 1 });
});

test.each(ROWS.filter(it => it.cause !== undefined))('$cause, $what: the message arrives', async row => {
  const counts = await arrivals(row, async (deployed, url) => {
    const { causes } = await new OperatedAccount(deployed, url, 'dlq').json(`why ${deployed.name('Dead')}`);
    expect(causes.map((it: { rule: string }) => it.rule)).toEqual([row.cause]);
    return [causes[0].fix];
  });
  expect(counts).toEqual({ before: row.broken ?? 0, after: 1 });
});

/**
 * Checks whose calls no account can need: SQS does not take such a count, and a subscription of another Region is not in an
 * inventory with what it delivers to.
 */
const NEVER_IN_AN_ACCOUNT = ['receive-count-out-of-range', 'principal-of-opt-in-region'];

test('each check and each cause whose fix can have calls has a row', () => {
  const fixable = CHECK_ROWS.flatMap(({ withFault }) => checkInventory(withFault).filter(({ fix }) => fix.calls));
  const checks = new Set([...ROWS.flatMap(({ check }) => check ?? []), ...NEVER_IN_AN_ACCOUNT]);
  expect([...new Set(fixable.map(({ id }) => id))].filter(it => !checks.has(it))).toEqual([]);
  const causes = new Set(ROWS.flatMap(({ cause }) => cause ?? []));
  expect(FIXABLE_CAUSES.filter(it => !causes.has(it))).toEqual([]);
});

const FAULTS = path.join(__dirname, 'faults.md');

function fixesTable(): string {
  const lines = (['check', 'cause'] as const).flatMap(kind => {
    const ids = [...new Set(ROWS.flatMap(it => it[kind] ?? []))].sort();
    return ids.map(id => {
      const faults = ROWS.filter(it => it[kind] === id).map(({ what }) => what);
      return `| \`${kind === 'check' ? 'dlo doctor' : 'dlo dlq why'}\` | \`${id}\` | ${faults.join('; ')} |\n`;
    });
  });
  return `| Command | Check or cause | Faults, each fixed so that the message arrives |\n|---|---|---|\n${lines.join('')}`;
}

test('faults.md lists the faults (DLO_REWRITE_DOCS=1 writes them)', () => {
  const page = readFileSync(FAULTS, 'utf8');
  const wanted = page.replace(
    /(<!-- fixes -->\n)[\s\S]*?(<!-- \/fixes -->)/,
    (_, start: string, end: string) => `${start}${fixesTable()}${end}`,
  );
  if (process.env['DLO_REWRITE_DOCS'] !== undefined) writeFileSync(FAULTS, wanted);
  else expect(page).toBe(wanted);
});
