import { spawnSync } from 'node:child_process';
import path from 'node:path';
import {
  LambdaClient,
  PutFunctionConcurrencyCommand,
  UpdateFunctionConfigurationCommand,
} from '@aws-sdk/client-lambda';
import { DeleteQueueCommand } from '@aws-sdk/client-sqs';
import { DeleteParameterCommand, GetParametersCommand, PutParameterCommand, SSMClient } from '@aws-sdk/client-ssm';
import { EXIT_CODES } from '../../../bin/shared/command-line';
import { switchOf } from '../../support/redrive-switch';
import { cells, factsIn, section } from '../command-output';
import { addOperators, type Takes, testPermissions } from '../command-permissions';
import { ordersRedrive, RedriveAccount, threeRedrives } from './redrive-account';

describe('show', () => {
  const RUNBOOK = 'https://github.com/dead-letter-office/dead-letter-office/blob/v0.1.0/docs/runbook.md';

  const shutIn = (out: string) => section(out, 'Preconditions').match(/^.*FAILS.*$/gm) ?? [];

  test('dlo redrive ls of a Region without redrives says so, and ends with 0', async () => {
    const account = await RedriveAccount.of(() => {});
    expect(await account.dlo('ls')).toEqual({ exitCode: 0, out: 'No redrive is in us-east-1.\n', err: '' });
    expect(await account.json('ls')).toEqual({ region: 'us-east-1', redrives: [] });
  });

  describe('dlo redrive ls and show', () => {
    let account: RedriveAccount;

    beforeAll(async () => {
      account = await RedriveAccount.of(threeRedrives);
      await account.home.deadLetterMessage(['order 7']);
    });

    test('list every redrive: from where to where, its state, its messages, its switch, its last run', async () => {
      const { exitCode, out, err } = await account.dlo('ls');
      expect([exitCode, err]).toEqual([0, '']);
      const { deployed } = account;
      expect(cells(out)).toEqual([
        ['REDRIVE', 'FROM', 'TO', 'STATE', 'MESSAGES', 'SWITCH', 'LAST RUN'],
        [
          account.name('ByLane'),
          deployed.name('Bills/DeadLetterQueue'),
          `queue ${deployed.name('Lane/Queue')}`,
          ...['idle', '0', 'on', 'none that SQS lists'],
        ],
        [
          account.name('Failures/Replay'),
          deployed.name('Failures/DeadLetterQueue'),
          `function ${deployed.ref('Printer')}`,
          ...['idle, not enabled', '0', 'on', 'none that SQS lists'],
        ],
        [
          account.name('Home'),
          deployed.name('Orders/DeadLetterQueue'),
          `queue ${deployed.name('Orders')}`,
          ...['idle', '1', 'on', 'none that SQS lists'],
        ],
      ]);
    });

    test('say of one that waits what it is, that every gate is open, and how to begin a run', async () => {
      const { exitCode, out, err } = await account.dlo('show Test/Home');
      expect([exitCode, err, out.split('\n')[0]]).toEqual([0, '', account.name('Home')]);
      const { deployed } = account;
      expect(factsIn(out)).toEqual({
        Name: 'Test/Home',
        From: deployed.name('Orders/DeadLetterQueue'),
        To: `queue ${deployed.name('Orders')}`,
        By: 'a move task of SQS',
        Starts: `once ${deployed.ref('Health')} has recovered`,
        Steps: '10 messages at 1 a second, then 100 messages at 10 a second, then all that are left at 50 a second',
        Settles: '3 min after each step; the run stops if more than 25 % of a step return',
        Budget: '10,000 of 10,000 messages a day are left; at most 3 runs a day',
        State: 'idle',
        Switch: `on, by ${deployed.ref('Switch')}`,
        Messages: '1 visible, 0 in flight',
        Destination: '0 visible, 0 in flight',
        'Last run': 'none that SQS lists',
        'By itself': 'it leaves the messages (nothing-to-do): nothing asks for a run',
        'If asked now':
          'it starts a run with its canary: 10 messages at 1 a second, by a move task of SQS; an operator asks for a run',
        Log: deployed.ref('Home/Log'),
        Runbook: `${RUNBOOK}#redrive-stopped`,
      });
      expect(section(out, 'Preconditions')).toMatch(
        /^Preconditions for a run that would start now\nswitched-off +holds\n/,
      );
      expect(shutIn(out)).toEqual([]);
      expect(section(out, 'Last records')).toBe('Last records\nnone within a day');
      expect(section(out, 'What to do')).toContain(
        `starts a run now, with its canary:\n    dlo redrive run ${account.name('Home')} --execute ${account.site}\n`,
      );
    });

    test('say of a quarantine what is in it, and what to do, by commands that can be copied', async () => {
      await account.deployed.send('Lane/Quarantine', 'poison');
      const { out } = await account.dlo('show ByLane');
      const [name, url, arn] = [
        account.deployed.name('Lane/Quarantine'),
        account.deployed.ref('Lane/Quarantine'),
        account.deployed.arn('Lane/Quarantine'),
      ];
      expect(factsIn(out)['Failed again']).toBe(`${name}: 1 visible, 0 in flight`);
      const advice = section(out, 'What to do');
      expect(advice.replace(/\n {2}(?! )/g, ' ')).toContain(
        `* 1 message is in ${name}. They failed again after a redrive, and no redrive moves them out: ` +
          'look at them, fix what fails, then move them back for another attempt, or delete them. ' +
          `See ${RUNBOOK}#dead-letters-in-quarantine`,
      );
      expect(advice.trimEnd().split('\n').slice(-2)).toEqual([
        `    aws sqs receive-message --queue-url ${url} --visibility-timeout 10 --attribute-names All --message-attribute-names All --region us-east-1 ${account.site}`,
        `    aws sqs start-message-move-task --source-arn ${arn} --max-number-of-messages-per-second 1 --region us-east-1 ${account.site}`,
      ]);
    });

    test('say that SQS moves nothing out of the quarantine of a function', async () => {
      await account.deployed.send('Quarantine', 'poison');
      const { advice, failedAgain } = await account.json('show Replay');
      expect(failedAgain).toEqual([
        expect.objectContaining({
          isByRedrive: true,
          emptiedBy: null,
          messages: { visible: 1, inFlight: 0, delayed: 0 },
        }),
      ]);
      expect(advice.join('\n')).toContain('because SQS knows no source queue to move them to');
      expect(advice.join('\n')).not.toContain('start-message-move-task');
    });

    test.each([
      ['Nobody', (all: string) => `no redrive in us-east-1 is named Nobody: there are ${all}`],
      ['Test/', (all: string) => `Test/ matches several names: use one of ${all}`],
    ])('take the name %s for bad input', async (name, message) => {
      const all = ['ByLane', 'Failures/Replay', 'Home'].map(it => account.name(it)).join(', ');
      expect(await account.dlo(`show ${name}`)).toEqual({ exitCode: 2, out: '', err: `dlo: ${message(all)}\n` });
    });

    test('list one whose settings they cannot read, warn of it, and do nothing with it', async () => {
      const lambda = new LambdaClient({ ...account.deployed.aws.clientConfig(), maxAttempts: 1 });
      const FunctionName = account.name('Failures/Replay');
      const Variables = { REDRIVE_SETTINGS: '{"version":9}' };
      await lambda.send(new UpdateFunctionConfigurationCommand({ FunctionName, Environment: { Variables } }));
      const { exitCode, out, err } = await account.dlo('ls');
      expect([exitCode, cells(out)[2]]).toEqual([0, [FunctionName, '-', '-', '-', '-', '-', '-']]);
      expect(err).toContain(`dlo: warning: ${FunctionName}: REDRIVE_SETTINGS: enabled must be`);
      const stop = await account.dlo(`stop ${FunctionName} --execute`);
      expect([stop.exitCode, stop.out]).toEqual([1, '']);
      expect(stop.err).toContain('was deployed by another version, whose settings this version cannot read');
    });
  });

  describe('dlo redrive run and show, of messages among which is poison,', () => {
    let account: RedriveAccount;

    beforeAll(async () => {
      account = await RedriveAccount.of(ordersRedrive);
      await account.home.deadLetterMessage(
        Array.from({ length: 40 }, (_, order) => `${order % 2 === 0 ? 'poison' : 'order'} ${order}`),
      );
    });

    test('say what would begin, and begin nothing, without --execute', async () => {
      const { exitCode, out } = await account.dlo('run Home');
      const name = account.name('Home');
      expect([exitCode, out]).toEqual([
        0,
        `Run ${name}, which sends messages to queue ${account.deployed.name('Orders')}.
  It starts a run with its canary: 10 messages at 1 a second, by a move task of SQS; an operator
  asks for a run
Nothing has been done: dlo redrive run ${name} --execute ${account.site} does it.
`,
      ]);
      await account.deployed.advance({ seconds: 10 });
      expect(account.home.tasks).toEqual([]);
    });

    test('begin no run where a gate is shut, say which, and end with 1', async () => {
      await account.ring('Health', 'ALARM');
      const alarm = account.deployed.ref('Health');
      const kept = `alarm-firing: the alarm ${alarm} is in ALARM`;
      expect((await account.dlo('run Home')).out).toContain(
        `No run would start: ${account.name('Home')} starts no run`,
      );
      expect(await account.dlo('run Home --execute')).toEqual({
        exitCode: 1,
        out: '',
        err: `dlo: ${account.name('Home')} starts no run: ${kept}\n`,
      });
      const { out } = await account.dlo('show Home');
      expect(shutIn(out)).toEqual([
        expect.stringMatching(/^alarm-firing +FAILS: the alarm \S+ is in ALARM$/),
        expect.stringMatching(/^not-healthy-for-long +FAILS: /),
      ]);
      await account.ring('Health', 'OK');
      const [shut] = (await account.json('show Home')).gates.filter((gate: { isShut: boolean }) => gate.isShut);
      expect(shut).toMatchObject({
        cause: 'not-healthy-for-long',
        reason: expect.stringContaining('not been OK for 1 min'),
      });
    });

    test('begin a run where every gate is open, and show the task that is under way', async () => {
      await account.ring('Health', 'OK');
      await account.deployed.advance({ seconds: 62 });
      const { out: began, records } = await account.recorded('run Home --json --execute');
      expect(JSON.parse(began)).toMatchObject({ prospect: 'begins', executed: true });
      const both = { command: 'redrive run', resource: account.name('Home') };
      expect(records).toMatchObject([
        { ...both, phase: 'intent' },
        { ...both, phase: 'outcome' },
      ]);
      await account.deployed.advance({ seconds: 5 });
      expect(account.home.tasks).toEqual(['1/s RUNNING 0']);
      const { out } = await account.dlo('show Home');
      expect(factsIn(out)).toMatchObject({ State: 'moving', 'By itself': expect.stringMatching(/^it waits: /) });
      expect(section(out, 'Preconditions')).toMatch(/^Preconditions, while messages move\n/);
      expect(cells(section(out, 'Moves, one under way'))[2]?.slice(1)).toEqual([
        'RUNNING',
        '1',
        expect.any(String),
        '40',
        'its own',
      ]);
      expect(await account.json('run Home --execute')).toMatchObject({ prospect: 'nothing-to-do', executed: false });
    });

    test('tell of a run that stopped what came back, what was written of it, and where the runbook has it', async () => {
      await account.deployed.advance({ minutes: 20 });
      const { out } = await account.dlo('show Home');
      expect(factsIn(out)).toMatchObject({
        State: 'stopped (returned)',
        'Last run': expect.stringMatching(/^2026-01-01 00:0\d UTC: \d+ moved, \d+ returned; stopped: returned$/),
        'By itself': expect.stringMatching(/^it has stopped \(returned\): \d+ of \d+ messages came back$/),
      });
      expect(section(out, 'Last records').replace(/\s+/g, ' ')).toMatch(
        /^Last records 2026-01-01 00:1\d UTC tick stop returned done: \d+ of \d+ messages came back \(\d+ times since 2026-01-01 00:\d\d UTC\) /,
      );
      expect(section(out, 'What to do')).toContain(`${RUNBOOK}#redrive-stopped`);
      expect(cells((await account.dlo('ls')).out)[1]?.[3]).toBe('stopped (returned)');
    });

    test('see a switch and a dead-letter queue that are not there', async () => {
      const { deployed } = account;
      const ssm = new SSMClient({ ...deployed.aws.clientConfig(), maxAttempts: 1 });
      await ssm.send(new DeleteParameterCommand({ Name: deployed.ref('Switch') }));
      await deployed.sqs.send(new DeleteQueueCommand({ QueueUrl: deployed.ref('Orders/DeadLetterQueue') }));
      await deployed.advance({ minutes: 2 });
      const { exitCode, out, err } = await account.dlo('show Home');
      expect(exitCode).toBe(0);
      expect(err).toMatch(/^dlo: warning: \S+: GetParameter: ParameterNotFound: .*\n$/);
      expect(shutIn(out).slice(0, 2)).toEqual([
        expect.stringMatching(/^switch-unknown +FAILS: /),
        expect.stringMatching(/^no-dead-letter-queue +FAILS: /),
      ]);
      expect(section(out, 'What to do')).toMatch(
        /is neither on nor off, or does not exist[\s\S]*dead-letter queue does not exist/,
      );
    });
  });
});

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
    ).toBe(`Stop ${account.name('ByLane')}, which sends messages to queue ${account.deployed.name('Lane/Queue')}.
  Switch now  on
  Parameter   ${name} becomes off
* No run starts, and a running move is cancelled within a minute or two, when the function next
  checks.
* Messages that were moved stay moved. The others wait in the dead-letter queue.
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

  test('record who does it', async () => {
    for (const [action, to] of [
      ['start', 'on'],
      ['stop', 'off'],
    ] as const) {
      const both = { command: `redrive ${action}`, resource: name, who: { account: '123456789012' } };
      expect(await account.recorded(`${action} ByLane --execute`)).toMatchObject({
        exitCode: 0,
        records: [
          { ...both, phase: 'intent', details: { redrive: account.name('ByLane'), to } },
          { ...both, phase: 'outcome', outcome: {} },
        ],
      });
    }
    expect((await account.recorded('stop ByLane --execute')).records).toEqual([]);
  });

  test('start one whose switch says something else, and say so of one that is not enabled', async () => {
    await ssm.send(new PutParameterCommand({ Name: name, Value: 'perhaps', Overwrite: true }));
    expect(await account.json('start Replay')).toMatchObject({ from: 'unknown', to: 'on', executed: false });
    const { out } = await account.dlo('start Replay --execute');
    expect(out).toContain('* It is not enabled in its app, so it still does nothing.');
    expect(await said()).toBe('on');
  });

  test('say how a missing switch that its app creates is created again', async () => {
    const Name = account.deployed.ref('Switch');
    await ssm.send(new DeleteParameterCommand({ Name }));
    const { exitCode, err } = await account.dlo('stop Home --execute');
    expect([exitCode, err]).toEqual([
      1,
      `dlo: ${Name}, the switch of ${account.name('Home')}, does not exist: npx cdk deploy --revert-drift creates it again\n`,
    ]);
  });
});

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

/** The permissions that the help of each command lists. Only commands with --execute need more than read permissions. */
const TAKES: Takes = {
  ls: LIST,
  'show Home': [...LIST, 'logs:FilterLogEvents'],
  'run Home': LIST,
  'run Home --execute': [...LIST, 'lambda:InvokeFunction'],
  'start Home': SWITCH,
  'stop Home': SWITCH,
  'stop Home --execute': [...SWITCH, 'ssm:PutParameter'],
};

describe('dlo redrive', () => {
  let account: RedriveAccount;

  beforeAll(async () => {
    account = await RedriveAccount.of(stack => {
      ordersRedrive(stack);
      addOperators(stack, TAKES);
    });
    // The function cannot run, so that no run starts and each command can be repeated.
    const lambda = new LambdaClient({ ...account.deployed.aws.clientConfig(), maxAttempts: 1 });
    const asleep = { FunctionName: account.name('Home'), ReservedConcurrentExecutions: 0 };
    await lambda.send(new PutFunctionConcurrencyCommand(asleep));
    // The command invokes the function only if there are messages, and reads the alarm history only after a recent recovery.
    await account.home.deadLetterMessage(['order 7']);
    await account.ring('Health', 'ALARM');
    await account.deployed.advance({ minutes: 3 });
  });

  // Start it first: stopping a stopped one changes nothing.
  beforeEach(async () => {
    expect(await account.dlo('start Home --execute')).toMatchObject({ exitCode: 0 });
  });

  testPermissions(TAKES, LIST, () => account);
});

/** The command as a user installs it. It is built before the tests run. */
const DLO = path.join(__dirname, '../../../dist/bin/dlo.js');

test.each(['ls', 'show', 'stop', 'start', 'run'])('dlo redrive, as built has an example in the help of %s', command => {
  const { status, stdout } = spawnSync(process.execPath, [DLO, 'redrive', command, '--help'], { encoding: 'utf8' });
  expect(status).toBe(0);
  expect(stdout).toContain(`\n  dlo redrive ${command}`);
  expect(stdout).toContain(EXIT_CODES);
  expect(stdout.split('\n').filter(line => line.length > 120)).toEqual([]);
});
