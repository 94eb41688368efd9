import { RelayAccount, twoRelays } from './relay-account';

describe('dlo relay stop and start', () => {
  let account: RelayAccount;

  beforeEach(async () => {
    account = await RelayAccount.of(twoRelays);
  });

  test('say what they would do, and do nothing, without --execute', async () => {
    const { exitCode, out } = await account.dlo('stop Partner');
    expect(exitCode).toBe(0);
    const name = account.name('Partner');
    const { UUID } = await account.mapping('Partner');
    expect(out).toBe(`Stop ${name}, which delivers to https://partner.example.com/orders.
  Breaker now  closed
  Mapping      ${UUID} becomes disabled
* Messages wait in its queue, which keeps each for 10 d. No attempt of their schedule is spent
  meanwhile.
* Its breaker leaves it alone until somebody starts it.
Nothing has been changed: dlo relay stop ${name} --execute ${account.site} does it.
`);
    expect(await account.switched('Partner')).toEqual({ State: 'Enabled', MaximumConcurrency: 10 });
  });

  test.each([
    { from: 'closed', Enabled: true, MaximumConcurrency: 10, reported: null },
    { from: 'half-open', Enabled: true, MaximumConcurrency: 2, reported: 10 },
    { from: 'half-open', Enabled: true, MaximumConcurrency: 4, reported: 10 },
    { from: 'open', Enabled: false, MaximumConcurrency: 2, reported: 10 },
  ])('stop one that is $from at $MaximumConcurrency so that its breaker takes it for no work of its own', async row => {
    const { from, Enabled, MaximumConcurrency, reported } = row;
    if (from !== 'closed') await account.remap('Partner', { Enabled, MaximumConcurrency });
    expect(await account.json('stop Partner --execute')).toEqual({
      relay: account.name('Partner'),
      action: 'stop',
      from,
      to: 'stopped-by-hand',
      mappingId: (await account.mapping('Partner')).UUID,
      change: { enabled: false, maximumConcurrency: reported },
      executed: true,
    });
    await account.deployed.advance({ minutes: 30 });
    expect(await account.switched('Partner')).toEqual({ State: 'Disabled', MaximumConcurrency: 10 });
  });

  test.each([
    { from: 'open', Enabled: false, MaximumConcurrency: 2 },
    { from: 'half-open', Enabled: true, MaximumConcurrency: 4 },
    { from: 'stopped-by-hand', Enabled: false, MaximumConcurrency: 10 },
  ])('start one that is $from at its whole concurrency', async ({ from, Enabled, MaximumConcurrency }) => {
    await account.remap('Partner', { Enabled, MaximumConcurrency });
    expect(await account.json('start Partner --execute')).toMatchObject({ from, to: 'closed', executed: true });
    expect(await account.switched('Partner')).toEqual({ State: 'Enabled', MaximumConcurrency: 10 });
  });

  test('start what a breaker left behind that is no more', async () => {
    await account.remap('Bank', { Enabled: false, MaximumConcurrency: 2 });
    expect(await account.json('start Bank --execute')).toMatchObject({
      from: 'stopped-by-hand',
      to: 'running',
      change: { enabled: true, maximumConcurrency: 5 },
    });
    expect(await account.switched('Bank')).toEqual({ State: 'Enabled', MaximumConcurrency: 5 });
  });

  test('do it once, however often they are asked', async () => {
    const nothing = (text: string) => ({
      exitCode: 0,
      out: `Nothing to do: ${account.name('Partner')} ${text}\n`,
      err: '',
    });
    expect(await account.dlo('start Partner --execute')).toEqual(nothing('is running already.'));
    expect((await account.dlo('stop Partner --execute')).out).toContain('Done.');
    expect(await account.dlo('stop Partner --execute')).toEqual(nothing('is stopped by hand already.'));
    expect(await account.json('stop Partner --execute')).toMatchObject({ change: null, executed: false });
    await account.deployed.advance({ minutes: 1 });
    expect((await account.dlo('start Partner --execute')).out).toContain('Done.');
    expect(await account.dlo('start Partner --execute')).toEqual(nothing('is running already.'));
  });

  test('say that Lambda is at another change', async () => {
    const busy = {
      service: 'lambda',
      action: 'UpdateEventSourceMapping',
      code: 'ResourceInUseException',
      httpStatus: 400,
    };
    account.deployed.aws.faults.set({ ...busy, service: 'lambda' });
    const name = account.name('Partner');
    const text = `Lambda is still at another change of the mapping of ${name}: run this again in a minute`;
    expect(await account.dlo('stop Partner --execute')).toEqual({ exitCode: 1, out: '', err: `dlo: ${text}\n` });
  });

  test('stop while messages wait, spend none of their attempts, and deliver them once started', async () => {
    const { deployed } = account;
    const requests = () => deployed.aws.endpoint('partner.example.com').requests.length;
    await account.dlo('stop Partner --execute');
    await deployed.advance({ minutes: 1 });
    await deployed.publish('Orders', 'order 7');
    await deployed.advance({ hours: 3 });
    expect(requests()).toBe(0);
    await account.dlo('start Partner --execute');
    await deployed.advance({ minutes: 2 });
    expect(requests()).toBe(1);
  });
});
