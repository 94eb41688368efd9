import { DeleteQueueCommand, ListQueueTagsCommand, TagQueueCommand } from '@aws-sdk/client-sqs';
import { LEASE_TAG } from '../../../account/changes/queue-lease';
import { EXPORT_PERMISSIONS } from '../../../bin/dlq/export-command';
import { PURGE_PERMISSIONS } from '../../../bin/dlq/purge-command';
import { addRole } from '../operated-account';
import { MemoryIo } from '../shared/memory-io';
import { RedriveAccount } from './manual-redrive/redrive-account';
import { ownAndPlainQueues } from './messages-account';

const FILE = 'messages.jsonl';

describe('the lease that a command has on a queue', () => {
  let account: RedriveAccount;

  beforeAll(async () => {
    account = await RedriveAccount.of(stack => {
      ownAndPlainQueues(stack);
      addRole(stack, 'Purger', [...PURGE_PERMISSIONS.reads, ...EXPORT_PERMISSIONS.reads, 'sqs:DeleteMessage']);
    });
  });

  afterEach(async () => {
    await account.deployed.advance({ minutes: 15 });
    for (const queue of ['Quiet', 'Lonely']) await account.drain(queue);
  });

  const tagOf = async (queue: string): Promise<string | undefined> => {
    const { Tags = {} } = await account.deployed.sqs.send(
      new ListQueueTagsCommand({ QueueUrl: account.deployed.ref(queue) }),
    );
    return Tags[LEASE_TAG];
  };

  /** Another command takes the lease. */
  const other = (queue: string, minutes: number) => {
    const until = new Date(account.deployed.aws.nowMs + minutes * 60_000).toISOString();
    const Tags = { [LEASE_TAG]: `other until ${until} dlq redrive` };
    return account.deployed.sqs.send(new TagQueueCommand({ QueueUrl: account.deployed.ref(queue), Tags }));
  };

  /** The commands that change a queue, each with its queue. */
  const CHANGES: readonly (readonly [string, string, string])[] = [
    ['redrive', 'Quiet', 'redrive Test-Quiet --canary 0 --filter body --execute'],
    ['purge', 'Quiet', `purge Test-Quiet --export ${FILE} --execute --confirm Test-Quiet`],
    ['import', 'Lonely', `import ${FILE} LONELY --execute`],
  ];

  async function withMessages(line: string) {
    await account.sendMany('Quiet', 12);
    const io = new MemoryIo({ [FILE]: await account.export('Quiet', FILE) });
    const args = line.replace('LONELY', account.queue('Lonely'));
    return { io, run: (more = '') => account.dlo(`${args}${more}`, {}, io) };
  }

  test.each(CHANGES)(
    'keeps another %s away until it expires or is taken over, and changes no plan',
    async (_, queue, line) => {
      const { run } = await withMessages(line);
      const plan = await account.plan('Quiet');
      await other(queue, 5);
      const before = [account.depth('Quiet'), account.depth('Lonely')];
      const { exitCode, out, err } = await run();
      expect([exitCode, out, account.depth('Quiet'), account.depth('Lonely')]).toEqual([1, '', ...before]);
      expect(err).toMatch(
        /dlo: dlo dlq redrive works on \S+, and has its lease until .* --steal-lease, if it was killed\./,
      );
      expect(await account.plan('Quiet')).toBe(plan);
      const stolen = await run(' --steal-lease');
      expect([stolen.exitCode, stolen.err]).toEqual([
        0,
        expect.stringContaining('took over the lease of dlo dlq redrive'),
      ]);
      expect([account.depth('Quiet'), account.depth('Lonely')]).not.toEqual(before);
      expect(await tagOf(queue)).toBeUndefined();
    },
  );

  test('is ignored after its end, or if another tool wrote it', async () => {
    const { run } = await withMessages('redrive Test-Quiet --canary 0 --filter body --execute');
    await other('Quiet', -1);
    expect(await run()).toMatchObject({ exitCode: 0, err: expect.not.stringContaining('warning') });
    const Tags = { [LEASE_TAG]: 'mine' };
    await account.deployed.sqs.send(new TagQueueCommand({ QueueUrl: account.deployed.ref('Quiet'), Tags }));
    await account.sendMany('Quiet', 2);
    expect((await run()).exitCode).toBe(0);
  });

  test('is renewed while the command works, and the command ends when another one has it', async () => {
    await account.sendMany('Quiet', 500);
    const seen = new Set<string>();
    const look = async () => {
      const tag = await tagOf('Quiet');
      if (tag?.includes('dlq redrive') && !tag.startsWith('other')) seen.add(tag);
      if (seen.size === 4) await other('Quiet', 5);
    };
    const run = () => account.dlo('redrive Test-Quiet --canary 0 --rate 1 --filter body --execute');
    const { exitCode, err } = await account.meanwhile(run, look);
    expect([exitCode, [...seen].map(tag => tag.split(' ')[0])]).toEqual([
      1,
      Array(4).fill([...seen][0]?.split(' ')[0]),
    ]);
    expect(err).toContain('dlo: warning: ended, because dlo dlq redrive has taken over the lease on Test-Quiet');
    expect(err).toMatch(/dlo: interrupted \(\d+ messages moved\); no message is lost\n/);
    expect(await tagOf('Quiet')).toMatch(/^other/);
    await other('Quiet', -1);
  });

  test('goes to one of two that begin at the same time', async () => {
    const { run } = await withMessages('redrive Test-Quiet --canary 0 --filter body --execute');
    const late = async () => void (await other('Quiet', 5));
    const { exitCode, err } = await account.meanwhile(run, late);
    expect([exitCode, account.depth('Quiet')]).toEqual([1, [12, 0]]);
    expect(err).toContain('--steal-lease');
    await other('Quiet', -1);
  });

  test('is not needed: without the permissions, the command says so and continues', async () => {
    const { io } = await withMessages('');
    const args = `purge Test-Quiet --export ${FILE} --execute --confirm Test-Quiet`;
    const { exitCode, out, err } = await account.dlo(args, await account.as('Purger'), io);
    expect([exitCode, out]).toEqual([0, expect.stringContaining('\n12 messages deleted for good.\n')]);
    expect(err).toMatch(/^dlo: warning: nothing keeps a second dlo away from Test-Quiet: sqs:ListQueueTags is denied/);
    expect(err.match(/warning/g)).toHaveLength(1);
  });

  test.each(CHANGES)(
    'a queue that is deleted in the middle ends the %s, which says how far it came',
    async (name, queue, line) => {
      const fresh = await RedriveAccount.of(ownAndPlainQueues);
      await fresh.sendMany('Quiet', 40);
      const io = new MemoryIo({ [FILE]: await fresh.export('Quiet', FILE) });
      const QueueUrl = fresh.deployed.ref(queue);
      const isHalfWay = () => (name === 'import' ? fresh.depth('Lonely')[0] >= 5 : fresh.depth('Quiet')[0] <= 35);
      let isGone = false;
      const remove = async () => {
        if (isGone || !isHalfWay()) return;
        isGone = true;
        await fresh.deployed.sqs.send(new DeleteQueueCommand({ QueueUrl }));
      };
      const args = `${line.replace('LONELY', fresh.queue('Lonely'))}${name === 'purge' ? '' : ' --rate 5'}`;
      const { exitCode, out, err } = await fresh.meanwhile(() => fresh.dlo(args, {}, io), remove);
      expect([exitCode, isGone]).toEqual([1, true]);
      expect(`${out}${err}`).toMatch(/\d+ messages? (moved|deleted for good|were sent before|was sent before)/);
      await fresh.deployed.close();
    },
  );
});
