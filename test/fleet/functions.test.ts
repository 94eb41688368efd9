import { FleetModel } from './fleet-model';

describe('A fleet with a dead endpoint', () => {
  let isDown = true;
  const model = new FleetModel({
    seed: 1,
    answer: group => ({ status: group === 'acme/dead' && isDown ? 503 : 200, latencyMs: 200 }),
  });

  beforeAll(async () => {
    for (const group of ['acme/one', 'acme/dead', 'other/one']) model.add(group);
    for (let second = 0; second < 60; second += 1) {
      model.event('acme');
      model.event('other');
      await model.advance(1_000);
    }
    await model.advance(600_000);
  });

  test('delivers to the others at once', async () => {
    expect(model.delaysMs(group => group !== 'acme/dead').at(-1)).toBeLessThan(1_000);
    expect(await model.ledger()).toEqual({ due: 180, delivered: 120, dead: 0, parked: 60, queued: 0, lost: 0 });
  });

  test('returns its messages when a probe succeeds', async () => {
    isDown = false;
    await model.advance(1_800_000);
    expect(await model.ledger()).toEqual({ due: 180, delivered: 180, dead: 0, parked: 0, queued: 0, lost: 0 });
  });
});
