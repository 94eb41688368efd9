import { response } from '../../../local';
import { addRole, idOf } from '../operated-account';
import { PARTNER, RelayAccount, twoRelays } from './relay-account';

const FIND = ['lambda:ListFunctions', 'lambda:ListEventSourceMappings'];
const LIST = [...FIND, 'sqs:GetQueueAttributes', 'cloudwatch:DescribeAlarms'];

/** What the help of each command says it takes. The last two change something, and only they need more than to read. */
const TAKES: Readonly<Record<string, readonly string[]>> = {
  ls: LIST,
  'show Partner': [...LIST, 'cloudwatch:GetMetricData', 'logs:FilterLogEvents'],
  'stop Partner': FIND,
  'start Partner': FIND,
  'stop Partner --execute': [...FIND, 'lambda:UpdateEventSourceMapping'],
};

const ALL = [...new Set(Object.values(TAKES).flat())];

describe('dlo relay', () => {
  let account: RelayAccount;

  beforeAll(async () => {
    account = await RelayAccount.of(stack => {
      twoRelays(stack);
      for (const [command, actions] of Object.entries(TAKES)) addRole(stack, `May${idOf(command)}`, actions);
      for (const lacking of ALL) {
        const others = ALL.filter(action => action !== lacking);
        addRole(stack, `Lacks${idOf(lacking)}`, others);
      }
    });
    // Of a relay whose attempts never fail, nobody reads a log.
    account.deployed.aws.endpoint(PARTNER).behave({ reply: response(503) });
    await account.deployed.publish('Orders', 'order 7');
    await account.deployed.advance({ minutes: 2 });
  });

  // What is stopped already need not be stopped.
  beforeEach(async () => {
    await account.deployed.advance({ minutes: 1 });
    expect(await account.dlo('start Partner --execute')).toMatchObject({ exitCode: 0 });
    await account.deployed.advance({ minutes: 1 });
  });

  test.each(Object.keys(TAKES))('%s takes no more than its help says', async command => {
    const { exitCode, err } = await account.dlo(command, await account.as(`May${idOf(command)}`));
    expect([exitCode, err]).toEqual([0, '']);
    const [name = ''] = command.split(' ');
    const help = (await account.dlo(`${name} --help`)).out.replace(/\s+/g, ' ');
    const said = help.includes('the permissions of dlo relay ls') ? [...LIST, help].join(' ') : help;
    expect((TAKES[command] ?? []).filter(action => !said.includes(action))).toEqual([]);
  });

  test.each(ALL)('needs %s, and says so where it is lacking', async action => {
    const environment = await account.as(`Lacks${idOf(action)}`);
    for (const [command, actions] of Object.entries(TAKES)) {
      const { exitCode, out, err } = await account.dlo(command, environment);
      if (!actions.includes(action)) expect([command, exitCode, err]).toEqual([command, 0, '']);
      else {
        expect([command, exitCode, out]).toEqual([command, 1, '']);
        expect(err.toLowerCase()).toContain(`dlo: ${action} is denied: `.toLowerCase());
        expect(err.toLowerCase()).toContain(`{"effect":"allow","action":"${action}"`.toLowerCase());
      }
    }
  });
});
