import { response } from '../../../local';
import { inlineFunction } from '../../support/inline-function';
import { cells } from '../command-output';
import { PARTNER, RelayAccount, SECRET_PATH, twoRelays } from './relay-account';

describe('dlo relay ls', () => {
  let account: RelayAccount;

  beforeAll(async () => {
    account = await RelayAccount.of(stack => {
      twoRelays(stack);
      inlineFunction(stack, 'NoRelay', 'exports.handler = async () => {};', { environment: { RELAY: 'no' } });
    });
  });

  test('lists every relay, whatever else is in the Region, and shows no secret', async () => {
    const { exitCode, out, err } = await account.dlo('ls');
    expect([exitCode, err]).toEqual([0, '']);
    expect(cells(out)).toEqual([
      ['RELAY', 'DELIVERS TO', 'BREAKER', 'DUE', 'IN FLIGHT', 'DEAD', 'FAILURE ALARM'],
      [account.name('Bank'), 'url of secret bank', 'no breaker', '0', '0', '0', 'OK'],
      [account.name('Partner'), `https://${PARTNER}/orders`, 'closed', '0', '0', '0', 'OK'],
    ]);
    const { out: json } = await account.dlo('ls --json');
    for (const secret of ['s3cret', SECRET_PATH]) expect(out + json).not.toContain(secret);
  });

  test('aligns its columns', async () => {
    const [heading = '', ...lines] = (await account.dlo('ls')).out.trimEnd().split('\n');
    const at = heading.indexOf('BREAKER');
    expect(lines.map(line => line.slice(at).split('  ')[0])).toEqual(['no breaker', 'closed']);
  });

  test('tells the state of each breaker, by what its mapping says', async () => {
    const shown = async (Enabled: boolean, MaximumConcurrency: number) => {
      await account.remap('Partner', { Enabled, MaximumConcurrency });
      const relay = (await account.json('ls')).relays[1];
      return [
        cells((await account.dlo('ls')).out)[2]?.[2],
        relay.state,
        relay.concurrency,
        relay.configuredConcurrency,
      ];
    };
    expect(await shown(false, 2)).toEqual([
      expect.stringMatching(/^open since 2026-01-01 00:\d\d UTC$/),
      'open',
      2,
      10,
    ]);
    expect(await shown(false, 10)).toEqual([
      expect.stringMatching(/^stopped by hand since 2026-01-01 00:\d\d UTC$/),
      'stopped-by-hand',
      10,
      10,
    ]);
    expect(await shown(true, 4)).toEqual(['half-open 4/10', 'half-open', 4, 10]);
    expect(await shown(true, 10)).toEqual(['closed', 'closed', 10, 10]);
  });

  test('says of a relay without a breaker that somebody stopped it, whatever concurrency it has', async () => {
    const stateOf = async () => (await account.json('ls')).relays[0].state;
    await account.remap('Bank', { Enabled: false, MaximumConcurrency: 2 });
    expect(await stateOf()).toBe('stopped-by-hand');
    await account.remap('Bank', { Enabled: true, MaximumConcurrency: 5 });
    expect(await stateOf()).toBe('running');
  });
});

describe('dlo relay ls, while an endpoint is down,', () => {
  test('counts what is due, in flight and dead, and tells that the alarm fires', async () => {
    const account = await RelayAccount.of(twoRelays);
    const { aws } = account.deployed;
    aws.endpoint(PARTNER).behave({ reply: response(503) });
    await account.deployed.send('Partner/Queue/DeadLetterQueue', 'an old one');
    await account.deployed.publish('Orders', 'order 7');
    await account.deployed.advance({ seconds: 30 });
    const messages = async () => (await account.json('ls')).relays[1].messages;
    expect(await messages()).toEqual({ visible: 0, inFlight: 1, dead: 1 });
    await account.remap('Partner', { Enabled: false, MaximumConcurrency: 10 });
    await account.deployed.publish('Orders', 'order 8');
    await account.deployed.advance({ minutes: 1 });
    expect(await messages()).toEqual({ visible: 2, inFlight: 0, dead: 1 });
    await account.fire('Partner/FailureRateAlarm');
    const { failureAlarm } = (await account.json('ls')).relays[1];
    expect(failureAlarm).toMatchObject({ name: account.deployed.ref('Partner/FailureRateAlarm'), state: 'ALARM' });
  });
});

test('dlo relay ls of a Region without relays says so, and ends with 0', async () => {
  const account = await RelayAccount.of(() => {});
  expect(await account.dlo('ls')).toEqual({ exitCode: 0, out: 'No relay is in us-east-1.\n', err: '' });
  expect(await account.json('ls')).toEqual({ region: 'us-east-1', relays: [] });
});
