import { matchesOfLargeTenant } from './large-tenant';

test('the matches of a tenant with 50,000 endpoints are read in pages', async () => {
  const { names, found } = await matchesOfLargeTenant(50_000);
  expect(found).toEqual(names);
});
