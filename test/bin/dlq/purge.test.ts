import { EXPORT_PERMISSIONS } from '../../../bin/dlq/export-command';
import { IMPORT_PERMISSIONS } from '../../../bin/dlq/import-command';
import { PURGE_PERMISSIONS } from '../../../bin/dlq/purge-command';
import { LEASE_PERMISSIONS } from '../../../bin/dlq/queue-change';
import { addOperators, type Takes, testPermissions } from '../command-permissions';
import { MemoryIo } from '../shared/memory-io';
import { MessagesAccount, ownAndPlainQueues } from './messages-account';

const OWN = 'Orders/DeadLetterQueue';

const FILE = 'messages.jsonl';

const TAKES: Takes = {
  'export Test-Quiet other.jsonl': EXPORT_PERMISSIONS.reads,
  [`import ${FILE} Test-Quiet`]: IMPORT_PERMISSIONS.reads,
  [`import ${FILE} Test-Quiet --execute`]: [...IMPORT_PERMISSIONS.reads, ...(IMPORT_PERMISSIONS.executes ?? [])],
  [`purge Test-Quiet --export ${FILE}`]: PURGE_PERMISSIONS.reads,
  [`purge Test-Quiet --export ${FILE} --execute --confirm Test-Quiet`]: [
    ...PURGE_PERMISSIONS.reads,
    ...(PURGE_PERMISSIONS.executes ?? []),
  ],
};

const numbers = (count: number) => Array.from({ length: count }, (_, at) => String(at + 1)).sort();

describe('dlo dlq purge', () => {
  let account: MessagesAccount;

  beforeAll(async () => {
    account = await MessagesAccount.of(stack => {
      ownAndPlainQueues(stack);
      addOperators(stack, TAKES, LEASE_PERMISSIONS.actions);
    });
  });

  afterEach(async () => {
    account.deployed.aws.faults.clear();
    await account.deployed.advance({ minutes: 15 });
    for (const queue of [OWN, 'DeadParcels', 'Lonely', 'Failures', 'Quiet']) await account.drain(queue);
  });

  /** An operator with an export of what is in the queue. */
  const withExport = async (queue: string) => new MemoryIo({ [FILE]: await account.export(queue, FILE) });

  const purged = (queue: string, io: MemoryIo, args = '') =>
    account.dlo(`purge ${account.queue(queue)} --export ${FILE} ${args}`.trim(), {}, io);

  const confirmed = (queue: string) => `--execute --confirm ${account.queue(queue)}`;

  test('says what it would do, and receives nothing', async () => {
    await account.sendMany(OWN, 12);
    const io = await withExport(OWN);
    const { exitCode, out, err } = await purged(OWN, io);
    expect([exitCode, err]).toEqual([0, '']);
    expect(out).toMatch(
      /^Purge \S+\n {2}Export {5}messages\.jsonl: 12 messages, exported \S+\n {2}Queue now {2}12 visible, 0 in flight, 0 delayed, as SQS counts\n {2}Fed by {5}queue \S+\n\* Only messages that are in the export are deleted, one by one\. Messages that arrived later stay\.\nNothing has been deleted\. With --execute, the command asks for the queue's name, and then deletes\.\n$/,
    );
    const counts = (await account.all(OWN)).map(({ Attributes }) => Attributes?.ApproximateReceiveCount);
    // One receive by the export, and one by this command.
    expect(counts).toEqual(Array.from({ length: 12 }, () => '2'));
  });

  test('deletes what the export has, and gives back what came since', async () => {
    await account.sendMany(OWN, 120);
    const io = await withExport(OWN);
    for (const body of ['late', 'later']) await account.send(OWN, body);
    const { exitCode, out, err } = await purged(OWN, io, confirmed(OWN));
    expect([exitCode, err]).toEqual([0, '']);
    expect(out).toContain('\n120 messages deleted for good.\nNot in the export, and kept: 2 messages.\n');
    const left = await account.all(OWN);
    expect(left.map(({ Body }) => Body).sort()).toEqual(['late', 'later']);
    await account.deployed.advance({ minutes: 15 });
    const again = await purged(OWN, io, `${confirmed(OWN)} --json`);
    expect(again.exitCode).toBe(0);
    expect(JSON.parse(again.out)).toMatchObject({ executed: true, deleted: 0, kept: 2, refused: 0, missing: 120 });
  });

  test('goes through the groups of a FIFO queue', async () => {
    for (let at = 1; at <= 10; at += 1) {
      await account.send('DeadParcels', String(at), { MessageGroupId: `g${at % 2}`, MessageDeduplicationId: `${at}` });
    }
    const io = await withExport('DeadParcels');
    await account.send('DeadParcels', 'late', { MessageGroupId: 'g1', MessageDeduplicationId: 'late' });
    expect((await purged('DeadParcels', io, confirmed('DeadParcels'))).out).toContain(
      '\n10 messages deleted for good.\n',
    );
    expect(await account.drain('DeadParcels')).toEqual(['late']);
  });

  test('tells what others have in flight, and leaves it', async () => {
    await account.sendMany(OWN, 25);
    const io = await withExport(OWN);
    await account.deployed.receive(OWN);
    const { exitCode, out, err } = await purged(OWN, io, confirmed(OWN));
    expect([exitCode, err]).toEqual([
      1,
      `dlo: some messages of the export may still be in ${account.queue(OWN)}, in flight elsewhere\n`,
    ]);
    expect(out).toContain(
      '\n15 messages deleted for good.\nIn the export, but not found: 10 messages; 10 in flight elsewhere, 0 delayed.\n',
    );
    await account.deployed.advance({ minutes: 15 });
    expect(await account.all(OWN)).toHaveLength(10);
  });

  test('asks for the queue’s name', async () => {
    await account.sendMany(OWN, 3);
    const io = await withExport(OWN);
    const name = account.queue(OWN);
    const nobody = await purged(OWN, io, '--execute');
    expect(nobody).toMatchObject({ exitCode: 2, out: '' });
    expect(nobody.err).toBe(`dlo: there is no terminal to ask on: add --confirm ${name}\n`);
    io.answer = () => 'yes';
    expect(await purged(OWN, io, '--execute')).toEqual({
      exitCode: 1,
      out: '',
      err: `dlo: nothing has been deleted: the answer was not ${name}\n`,
    });
    const reported = await purged(OWN, io, '--execute --json');
    expect([reported.exitCode, JSON.parse(reported.out)]).toMatchObject([1, { executed: false, deleted: 0 }]);
    expect((await purged(OWN, io, '--execute --confirm orders')).exitCode).toBe(2);
    expect(await account.drain(OWN)).toHaveLength(3);
    await account.sendMany(OWN, 3);
    const other = await withExport(OWN);
    let asked = '';
    other.answer = question => {
      asked = question;
      return `${name}\n`;
    };
    expect((await purged(OWN, other, '--execute')).out).toContain('\n3 messages deleted for good.\n');
    expect(asked).toBe(`Type ${name} to delete at most 3 messages for good: `);
  });

  test('refuses a queue at work, a file of another queue, and one that is not whole', async () => {
    const lonely = await purged('Lonely', await withExport('Lonely'), confirmed('Lonely'));
    expect([lonely.exitCode, lonely.err]).toEqual([
      2,
      `dlo: only dead-letter queues can be purged, but nothing in this account and Region uses ${account.queue('Lonely')} as one\n`,
    ]);
    await account.sendMany(OWN, 3);
    const io = await withExport(OWN);
    const other = await purged('Quiet', io, confirmed('Quiet'));
    expect(other.err).toBe(
      `dlo: ${FILE} is an export of ${account.deployed.arn(OWN)}, not of ${account.deployed.arn('Quiet')}\n`,
    );
    const cut = new MemoryIo({ [FILE]: (await io.readText(FILE)).split('\n').slice(0, 3).join('\n') });
    expect((await purged(OWN, cut, confirmed(OWN))).err).toContain(`dlo: ${FILE}: is incomplete`);
    expect((await purged('Noisy', io, confirmed('Noisy'))).err).toContain('after 3 receives SQS moves a message');
    expect((await account.dlo(`purge ${account.queue(OWN)}`)).err).toContain("'--export <file>' not specified");
    expect(await account.all(OWN)).toHaveLength(3);
  });

  test('knows a function’s dead-letter queue, which no queue names', async () => {
    await account.deployed.publish('Topic', '{"order":7}');
    await account.deployed.advance({ minutes: 1 });
    const io = await withExport('Failures');
    const { out } = await purged('Failures', io, confirmed('Failures'));
    expect(out).toContain(`Fed by     function ${account.deployed.ref('Clerk')}\n1 message deleted for good.\n`);
  });

  test('gives back what it has not deleted when it is interrupted, or SQS deletes nothing', async () => {
    await account.sendMany(OWN, 300);
    const io = await withExport(OWN);
    io.watch = () => io.interrupt();
    const { exitCode, out } = await purged(OWN, io, confirmed(OWN));
    expect(exitCode).toBe(1);
    const [, deleted = ''] = /\n(\d+) messages deleted for good\.\n/.exec(out) ?? [];
    expect(out).toContain('\nInterrupted: run the command again to continue.\n');
    const left = 300 - Number(deleted);
    expect(left).toBeGreaterThan(0);
    io.watch = undefined;
    account.deployed.aws.faults.set({ service: 'sqs', action: 'DeleteMessageBatch' });
    expect(await purged(OWN, io, confirmed(OWN))).toMatchObject({
      exitCode: 1,
      out: expect.stringContaining(`\n0 messages deleted for good, and ${left} messages may be: SQS sent no answer.\n`),
      err: expect.stringContaining(`dlo: SQS may have deleted ${left} messages of `),
    });
    account.deployed.aws.faults.clear();
    expect(await account.all(OWN)).toHaveLength(left);
  });

  test('brings back by an import what it has deleted', async () => {
    await account.sendMany(OWN, 30);
    const io = await withExport(OWN);
    await purged(OWN, io, confirmed(OWN));
    expect(await account.all(OWN)).toEqual([]);
    expect((await account.dlo(`import ${FILE} ${account.queue(OWN)} --execute`, {}, io)).exitCode).toBe(0);
    expect(await account.drain(OWN)).toEqual(numbers(30));
  });

  describe('and its siblings', () => {
    beforeEach(async () => {
      await account.sendMany('Quiet', 2);
      account.files = { [FILE]: await account.export('Quiet', FILE) };
    });

    testPermissions(TAKES, [], () => account);
  });
});
