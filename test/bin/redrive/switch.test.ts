import { DeleteParameterCommand, GetParametersCommand, PutParameterCommand, SSMClient } from '@aws-sdk/client-ssm';
import { switchOf } from '../../support/redrive-switch';
import { RedriveAccount, threeRedrives } from './redrive-account';

describe('dlo redrive stop and start', () => {
  let account: RedriveAccount;
  let ssm: SSMClient;
  let name: string;

  beforeAll(async () => {
    account = await RedriveAccount.of(threeRedrives);
    ssm = new SSMClient({ ...account.deployed.aws.clientConfig(), maxAttempts: 1 });
    name = await switchOf(account.deployed, 'ByLane');
  });

  async function said(): Promise<string | undefined> {
    const { Parameters: [parameter] = [] } = await ssm.send(new GetParametersCommand({ Names: [name] }));
    return parameter?.Value;
  }

  test('say what they would do, whom else it is for, and do nothing, without --execute', async () => {
    const { exitCode, out } = await account.dlo('stop Test/ByLane');
    expect(exitCode).toBe(0);
    expect(
      out,
    ).toBe(`Stop ${account.name('ByLane')}, which sends letters to queue ${account.deployed.name('Lane/Queue')}.
  Switch now  on
  Parameter   ${name} becomes off
* Nothing begins then, and what it is moving is cancelled at its next look, within a minute or two.
* What it has moved stays where it is; the letters it has not wait in the dead-letter queue.
* The same switch stops and starts ${account.name('Failures/Replay')}.
Nothing has been changed: dlo redrive stop ${account.name('ByLane')} --execute ${account.site} does it.
`);
    expect(await said()).toBeUndefined();
  });

  test('do it once, however often they are asked', async () => {
    const nothing = (says: string) => `Nothing to do: the switch of ${account.name('ByLane')} is ${says} already.\n`;
    expect((await account.dlo('start ByLane --execute')).out).toBe(nothing('on'));
    expect(await account.json('stop ByLane --execute')).toEqual({
      redrive: account.name('ByLane'),
      action: 'stop',
      from: 'on',
      to: 'off',
      parameter: name,
      others: [account.name('Failures/Replay')],
      executed: true,
    });
    expect(await said()).toBe('off');
    expect((await account.dlo('stop ByLane --execute')).out).toBe(nothing('off'));
    expect(await account.json('stop ByLane --execute')).toMatchObject({ executed: false });
  });

  test('start one whose switch says something else, and say so of one that is not enabled', async () => {
    await ssm.send(new PutParameterCommand({ Name: name, Value: 'perhaps', Overwrite: true }));
    expect(await account.json('start Replay')).toMatchObject({ from: 'unknown', to: 'on', executed: false });
    const { out } = await account.dlo('start Replay --execute');
    expect(out).toContain('* It is not enabled in its app: it does nothing even so.');
    expect(await said()).toBe('on');
  });

  test('say of a switch that is its app’s, and is not there, who makes it anew', async () => {
    const Name = account.deployed.ref('Switch');
    await ssm.send(new DeleteParameterCommand({ Name }));
    const { exitCode, err } = await account.dlo('stop Home --execute');
    expect([exitCode, err]).toEqual([
      1,
      `dlo: ${Name}, the switch of ${account.name('Home')}, is not there: npx cdk deploy --revert-drift makes it anew\n`,
    ]);
  });
});
