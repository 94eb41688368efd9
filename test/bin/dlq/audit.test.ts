import { LogGroup } from 'aws-cdk-lib/aws-logs';
import { MemoryIo } from '../shared/memory-io';
import { RedriveAccount } from './manual-redrive/redrive-account';
import { ownAndPlainQueues } from './messages-account';

const FILE = 'messages.jsonl';

const GROUP = 'dlo-audit';

describe('the audit record', () => {
  let account: RedriveAccount;

  beforeAll(async () => {
    account = await RedriveAccount.of(stack => {
      ownAndPlainQueues(stack);
      new LogGroup(stack, 'Audit', { logGroupName: GROUP });
    });
  });

  afterEach(async () => {
    account.deployed.aws.faults.clear();
    await account.deployed.advance({ minutes: 15 });
    for (const queue of ['Quiet', 'Lonely']) await account.drain(queue);
  });

  /** Runs a change of 12 messages. Returns what it printed, and what it recorded. */
  async function run(line: string, environment: NodeJS.ProcessEnv = {}) {
    await account.sendMany('Quiet', 12);
    const io = new MemoryIo({ [FILE]: await account.export('Quiet', FILE) });
    const before = account.deployed.log(GROUP).length;
    const came = await account.dlo(line.replace('LONELY', account.queue('Lonely')), environment, io);
    const records = account.deployed
      .log(GROUP)
      .slice(before)
      .map(record => JSON.parse(record));
    return { ...came, records };
  }

  const CHANGES = [
    [
      'redrive Test-Quiet --canary 0 --filter body',
      'Quiet',
      { carrier: 'copy', filter: 'body' },
      { moved: 12, unsure: 0 },
    ],
    [`purge Test-Quiet --export ${FILE} --confirm Test-Quiet`, 'Quiet', { file: FILE, toDelete: 12 }, { deleted: 12 }],
    [`import ${FILE} LONELY`, 'Lonely', { file: FILE, toSend: 12 }, { sent: 12, unsure: [] }],
  ] as const;

  test.each(CHANGES)('has who did what, and the outcome, of dlo dlq %s', async (line, queue, details, outcome) => {
    const { exitCode, records } = await run(`${line} --execute --audit-log-group ${GROUP}`);
    const both = {
      format: 'dead-letter-office/audit',
      version: 1,
      change: records[0]?.change,
      who: { account: '123456789012', arn: expect.stringContaining('arn:aws:iam::123456789012:') },
      region: 'us-east-1',
      command: `dlq ${line.split(' ')[0]}`,
      resource: account.deployed.arn(queue),
      plan: line.startsWith('redrive') ? expect.stringMatching(/^12-/) : null,
    };
    expect([exitCode, records]).toMatchObject([
      0,
      [
        { ...both, phase: 'intent', details },
        { ...both, phase: 'outcome', outcome },
      ],
    ]);
  });

  test('names the log group by DLO_AUDIT_LOG_GROUP too, and has the error of a change that failed', async () => {
    const resource = account.deployed.arn('Lonely');
    const denied = {
      service: 'sqs',
      action: 'SendMessageBatch',
      resource,
      httpStatus: 403,
      code: 'AccessDenied',
    } as const;
    account.deployed.aws.faults.set(denied);
    const { exitCode, records } = await run(`import ${FILE} LONELY --execute`, { DLO_AUDIT_LOG_GROUP: GROUP });
    expect([exitCode, records]).toMatchObject([
      1,
      [{ phase: 'intent' }, { phase: 'outcome', error: expect.stringContaining('sqs:SendMessage is denied') }],
    ]);
  });

  test.each(CHANGES)('that cannot be written keeps the change of dlo dlq %s from being made', async line => {
    const { exitCode, out, err } = await run(`${line} --execute --audit-log-group nowhere`);
    expect([exitCode, out, account.depth('Quiet'), account.depth('Lonely')]).toEqual([1, '', [12, 0], [0, 0]]);
    expect(err).toMatch(/dlo: nothing has been changed, because it cannot be recorded: logs:CreateLogStream: /);
    expect(err).toContain('Create the log group nowhere, grant the permission, or name no log group');
  });

  test('is not written by a plan, and a lost outcome is printed', async () => {
    expect(await run(`import ${FILE} LONELY --audit-log-group nowhere`)).toMatchObject({ exitCode: 0, records: [] });
    await account.drain('Quiet');
    const before = account.deployed.log(GROUP).length;
    const fail = () => void account.deployed.aws.faults.set({ service: 'logs', action: 'PutLogEvents' });
    const { exitCode, err } = await account.meanwhile(
      () => run(`redrive Test-Quiet --canary 0 --filter body --execute --audit-log-group ${GROUP}`),
      () => (account.deployed.log(GROUP).length > before ? fail() : undefined),
    );
    expect([exitCode, err]).toEqual([
      0,
      expect.stringMatching(/warning: the outcome is not in the audit record .*"moved":12/),
    ]);
  });
});
