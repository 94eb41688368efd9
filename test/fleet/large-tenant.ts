import { FleetTable } from '../../fleet/fleet-table';
import { itemKeys } from '../../policy/fleet/fleet-table';
import { fleetAccount } from './fleet-account';

/** Reads the matches of a tenant with `count` endpoints, in pages. */
export async function matchesOfLargeTenant(count: number) {
  const { table } = fleetAccount();
  const names = Array.from({ length: count }, (_, index) => `e${String(index).padStart(5, '0')}`);
  const items = names.map(endpoint => itemKeys.match({ tenant: 'large', endpoint }, 'a'));
  for (let from = 0; from < count; from += 5_000) await table.putAll(items.slice(from, from + 5_000));
  const found: string[] = [];
  let after: string | undefined;
  do {
    const page = await new FleetTable(table).matches('large', 'a', after, 500);
    found.push(...page.matches.map(({ sk }) => sk));
    after = page.after;
  } while (after !== undefined);
  return { names, found };
}
