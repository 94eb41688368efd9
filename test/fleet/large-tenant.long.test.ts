import { FleetModel } from './fleet-model';

/** 50,000 take half a minute. More than 10,000 take more than one invocation of the dispatcher. */
const COUNT = process.env['DLO_FLEET'] === 'full' ? 50_000 : 15_000;

test(`An event for a tenant with ${COUNT} endpoints reaches each of them, and another tenant does not wait`, async () => {
  const model = new FleetModel({ seed: 1, concurrency: 50 });
  for (let endpoint = 0; endpoint < COUNT; endpoint += 1) model.add(`large/e${endpoint}`);
  model.add('small/one');
  model.event('large');
  for (let second = 0; second < 60; second += 1) {
    model.event('small');
    await model.advance(1_000);
  }
  expect(model.ledger()).toEqual({ due: COUNT + 60, delivered: COUNT + 60, dead: 0, parked: 0, queued: 0, lost: 0 });
  // None came twice: no page was repeated.
  expect(model.requests).toHaveLength(COUNT + 60);
  expect(model.delaysMs(group => group === 'small/one').at(-1)).toBeLessThanOrEqual(1_000);
});
