import { GetParameterCommand, PutParameterCommand, SSMClient } from '@aws-sdk/client-ssm';
import { RedriveAccount, threeRedrives } from './redrive-account';

describe('dlo redrive stop and start', () => {
  let account: RedriveAccount;
  let ssm: SSMClient;

  beforeAll(async () => {
    account = await RedriveAccount.of(threeRedrives);
    ssm = new SSMClient({ ...account.deployed.aws.clientConfig(), maxAttempts: 1 });
  });

  const parameter = () => account.deployed.ref('ByLane/Switch');

  async function said(): Promise<string | undefined> {
    return (await ssm.send(new GetParameterCommand({ Name: parameter() }))).Parameter?.Value;
  }

  test('say what they would do, whom else it is for, and do nothing, without --execute', async () => {
    const { exitCode, out } = await account.dlo('stop Test/ByLane');
    expect(exitCode).toBe(0);
    const name = account.name('ByLane');
    expect(out).toBe(`Stop ${name}, which sends letters to queue ${account.deployed.name('Lane/Queue')}.
  Switch now  on
  Parameter   ${parameter()} becomes off
* Nothing begins then, and what it is moving is cancelled at its next look, within a minute or two.
* What it has moved stays where it is; the letters it has not wait in the dead-letter queue.
* The same switch stops and starts ${account.name('Failures/Replay')}.
Nothing has been changed: dlo redrive stop ${name} --execute does it.
`);
    expect(await said()).toBe('on');
  });

  test('do it once, however often they are asked', async () => {
    const nothing = (says: string) => `Nothing to do: the switch of ${account.name('ByLane')} is ${says} already.\n`;
    expect((await account.dlo('start ByLane --execute')).out).toBe(nothing('on'));
    expect(await account.json('stop ByLane --execute')).toEqual({
      redrive: account.name('ByLane'),
      action: 'stop',
      from: 'on',
      to: 'off',
      parameter: parameter(),
      others: [account.name('Failures/Replay')],
      executed: true,
    });
    expect(await said()).toBe('off');
    expect((await account.dlo('stop ByLane --execute')).out).toBe(nothing('off'));
    expect(await account.json('stop ByLane --execute')).toMatchObject({ executed: false });
  });

  test('start one whose switch says something else, and say so of one that is not enabled', async () => {
    await ssm.send(new PutParameterCommand({ Name: parameter(), Value: 'perhaps', Overwrite: true }));
    expect(await account.json('start Replay')).toMatchObject({ from: 'unknown', to: 'on', executed: false });
    const { out } = await account.dlo('start Replay --execute');
    expect(out).toContain('* It is not enabled in its app: it does nothing even so.');
    expect(await said()).toBe('on');
  });

  test('say of a switch that is not there who makes it anew', async () => {
    account.deployed.aws.faults.set({
      service: 'ssm',
      action: 'GetParameter',
      code: 'ParameterNotFound',
      httpStatus: 400,
    });
    const { exitCode, err } = await account.dlo('stop ByLane --execute');
    expect([exitCode, err]).toEqual([
      1,
      `dlo: ${parameter()}, the switch of ${account.name('ByLane')}, is not there: npx cdk deploy --revert-drift makes it anew\n`,
    ]);
  });
});
