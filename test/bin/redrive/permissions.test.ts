import { LambdaClient, PutFunctionConcurrencyCommand } from '@aws-sdk/client-lambda';
import { addRole, idOf } from '../operated-account';
import { ordersRedrive, RedriveAccount } from './redrive-account';

const FIND = ['lambda:ListFunctions'];
const SWITCH = [...FIND, 'ssm:GetParameter'];
const LIST = [
  ...SWITCH,
  'lambda:GetEventSourceMapping',
  'sqs:GetQueueAttributes',
  'sqs:ListMessageMoveTasks',
  'cloudwatch:DescribeAlarms',
  'cloudwatch:DescribeAlarmHistory',
  'cloudwatch:GetMetricData',
];

/** What the help of each command says it takes. Those with --execute change something, and only they need more than to read. */
const TAKES: Readonly<Record<string, readonly string[]>> = {
  ls: LIST,
  'show Home': [...LIST, 'logs:FilterLogEvents'],
  'run Home': LIST,
  'run Home --execute': [...LIST, 'lambda:InvokeFunction'],
  'start Home': SWITCH,
  'stop Home': SWITCH,
  'stop Home --execute': [...SWITCH, 'ssm:PutParameter'],
};

const ALL = [...new Set(Object.values(TAKES).flat())];

describe('dlo redrive', () => {
  let account: RedriveAccount;

  beforeAll(async () => {
    account = await RedriveAccount.of(stack => {
      ordersRedrive(stack);
      for (const [command, actions] of Object.entries(TAKES)) addRole(stack, `May${idOf(command)}`, actions);
      for (const lacking of ALL) {
        const others = ALL.filter(action => action !== lacking);
        addRole(stack, `Lacks${idOf(lacking)}`, others);
      }
    });
    // Nothing begins by itself, nor what is asked to run: so that it can be asked again.
    const lambda = new LambdaClient({ ...account.deployed.aws.clientConfig(), maxAttempts: 1 });
    const asleep = { FunctionName: account.name('Home'), ReservedConcurrentExecutions: 0 };
    await lambda.send(new PutFunctionConcurrencyCommand(asleep));
    // Where there is no letter, nobody is asked to run; and nobody asks after a recovery where there was none of late.
    await account.home.bury(['order 7']);
    await account.ring('Health', 'ALARM');
    await account.deployed.advance({ minutes: 3 });
  });

  // What is stopped already need not be stopped.
  beforeEach(async () => {
    expect(await account.dlo('start Home --execute')).toMatchObject({ exitCode: 0 });
  });

  test.each(Object.keys(TAKES))('%s takes no more than its help says', async command => {
    const { exitCode, err } = await account.dlo(command, await account.as(`May${idOf(command)}`));
    expect([exitCode, err]).toEqual([0, '']);
    const [name = ''] = command.split(' ');
    const help = (await account.dlo(`${name} --help`)).out.replace(/\s+/g, ' ');
    const said = help.includes('the permissions of dlo redrive ls') ? [...LIST, help].join(' ') : help;
    expect((TAKES[command] ?? []).filter(action => !said.includes(action))).toEqual([]);
  });

  test.each(ALL)('needs %s, and says so where it is lacking, rather than make do with less', async action => {
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
