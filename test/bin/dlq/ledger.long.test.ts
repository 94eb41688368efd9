import { SendMessageBatchCommand } from '@aws-sdk/client-sqs';
import { Duration } from 'aws-cdk-lib';
import { Queue } from 'aws-cdk-lib/aws-sqs';
import { Random } from '../../../local/kernel/random';
import { seedsToPlay } from '../../scenarios/seeds';
import { FaultingProxy, type FaultMode, type FaultRule } from '../../support/faulting-proxy';
import { MemoryIo } from '../shared/memory-io';
import { MessagesAccount } from './messages-account';

const FILE = 'messages.jsonl';

const SLICE = 3;

const MODES: readonly FaultMode[] = ['throttle', 'fail-before', 'fail-after-execution', 'drop', 'drop-answer'];

const ACTIONS = [
  'SendMessageBatch',
  'ReceiveMessage',
  'DeleteMessageBatch',
  'ChangeMessageVisibilityBatch',
  'TagQueue',
];

const pick = <T>(random: Random, from: readonly T[]): T => {
  const picked = from[random.integer(0, from.length - 1)];
  if (picked === undefined) throw new Error('there is nothing to pick from');
  return picked;
};

/** Two or three operations fail in some way, up to four of ten calls. */
function faultsOf(random: Random): readonly FaultRule[] {
  return Array.from({ length: 2 + Math.floor(random.fraction() * 2) }, () => ({
    action: `sqs:${pick(random, ACTIONS)}`,
    mode: pick(random, MODES),
    rate: 0.05 + random.fraction() * 0.35,
  }));
}

const count = (bodies: readonly string[], body: string) => bodies.filter(it => it === body).length;

/** What the commands said, and what became of the messages, over all seeds. */
const LEDGER: Record<string, Record<string, number>> = {};

function enter(command: string, entries: Readonly<Record<string, number>>): void {
  const sums = LEDGER[command] ?? {};
  for (const [name, value] of Object.entries({ runs: 1, ...entries })) sums[name] = (sums[name] ?? 0) + value;
  LEDGER[command] = sums;
}

describe('What dlo says of messages while calls fail and answers are lost', () => {
  let account: MessagesAccount;
  let proxy: FaultingProxy;
  let random: Random;
  let fillings = 0;

  beforeAll(async () => {
    account = await MessagesAccount.of(stack => {
      // A destination that fails for good soon is not watched for long.
      const visibilityTimeout = Duration.seconds(1);
      for (const [name, fifo] of [
        ['', {}],
        ['Fifo', { fifo: true }],
      ] as const) {
        const queue = new Queue(stack, `${name}Dead`, fifo);
        new Queue(stack, `${name}Home`, {
          ...fifo,
          visibilityTimeout,
          deadLetterQueue: { queue, maxReceiveCount: 100 },
        });
      }
    });
    proxy = await FaultingProxy.before(account.url);
  });

  afterAll(() => {
    proxy.close();
    if (process.env['DLO_SEEDS'] === undefined) return;
    for (const [command, sums] of Object.entries(LEDGER)) process.stdout.write(`${command}: ${JSON.stringify(sums)}\n`);
  });

  /** Runs a command through the proxy with random faults. */
  async function faulted(args: string, io: MemoryIo) {
    const rules = faultsOf(random);
    proxy.play(rules, random.fraction());
    const words = `dlq ${args} --json --endpoint-url ${proxy.url}`.split(' ');
    const came = await account.typed(words, { AWS_MAX_ATTEMPTS: '2' }, io);
    proxy.play([]);
    const said = came.out === '' ? undefined : JSON.parse(came.out);
    return { ...came, said, context: JSON.stringify({ args, rules, ...came }) };
  }

  /** Takes the bodies out of a queue, after every message in flight has become visible again. */
  async function bodies(queue: string): Promise<readonly string[]> {
    await account.deployed.advance({ minutes: 20 });
    return account.drain(queue);
  }

  /** Sends messages that have not been in a queue before. */
  async function fill(queue: string, seed: number, groups = 15): Promise<readonly string[]> {
    fillings += 1;
    const all = Array.from({ length: random.integer(20, 50) }, (_, at) => `${seed}-${fillings}-${at}`);
    const QueueUrl = account.deployed.ref(queue);
    for (let from = 0; from < all.length; from += 10) {
      const Entries = all.slice(from, from + 10).map((MessageBody, at) => ({
        Id: String(at),
        MessageBody,
        ...(queue.startsWith('Fifo') && {
          MessageGroupId: `g${(from + at) % groups}`,
          MessageDeduplicationId: MessageBody,
        }),
      }));
      await account.deployed.sqs.send(new SendMessageBatchCommand({ QueueUrl, Entries }));
    }
    await account.deployed.advance({ seconds: 5 });
    return all;
  }

  async function redrive(kind: 'standard' | 'fifo', seed: number): Promise<void> {
    const [dead, home] = kind === 'fifo' ? ['FifoDead', 'FifoHome'] : ['Dead', 'Home'];
    const all = await fill(dead, seed);
    const canary = pick(random, [0, 5]);
    const { exitCode, said, context } = await faulted(
      `redrive ${account.queue(dead)} --filter body --canary ${canary} --rate 200 --execute`,
      new MemoryIo(),
    );
    const arrived = await bodies(home);
    const left = await bodies(dead);
    const { moved = 0, unsure = 0, undeleted = 0 } = said ?? {};
    const lost = all.filter(body => !arrived.includes(body) && !left.includes(body));
    const twice = all.filter(body => count(arrived, body) > 1);
    const inBoth = all.filter(body => arrived.includes(body) && left.includes(body));
    expect({ context, lost, twice }).toEqual({ context, lost: [], twice: [] });
    // Every message that a second redrive would send again is reported.
    expect({ context, isReported: inBoth.length <= unsure + undeleted }).toEqual({ context, isReported: true });
    expect({ context, arrived: arrived.length >= moved && arrived.length <= moved + unsure }).toEqual({
      context,
      arrived: true,
    });
    expect({
      context,
      left: left.length - (all.length - moved) <= undeleted && left.length >= all.length - moved,
    }).toEqual({ context, left: true });
    expect({ context, isAll: exitCode === 0 }).toEqual({
      context,
      isAll: moved === all.length && left.length + undeleted === 0,
    });
    enter(`redrive ${kind}`, {
      messages: all.length,
      moved,
      unsure,
      left: left.length - unsure,
      undeleted,
      duplicates: twice.length,
      lost: lost.length,
      incomplete: exitCode,
    });
  }

  async function exportAndPurge(seed: number): Promise<void> {
    const old = await fill('Dead', seed);
    const broken = new MemoryIo();
    const exported = await faulted(`export ${account.queue('Dead')} ${FILE}`, broken);
    const there = await bodies('Dead');
    const lines = (broken.written.get(FILE) ?? '').split('\n').filter(line => line.includes('"message"'));
    expect([exported.context, [...there].sort()]).toEqual([exported.context, [...old].sort()]);
    if (exported.exitCode === 0) expect([exported.context, lines.length]).toEqual([exported.context, old.length]);
    enter('export', { messages: old.length, exported: exported.said?.messages ?? 0, incomplete: exported.exitCode });

    const all = await fill('Dead', seed);
    const io = new MemoryIo({ [FILE]: await account.export('Dead', FILE) });
    await account.send('Dead', 'late');
    const name = account.queue('Dead');
    const purged = await faulted(`purge ${name} --export ${FILE} --execute --confirm ${name}`, io);
    const left = await bodies('Dead');
    const before = /before the error: (\d+) messages? deleted for good(?:, and (\d+))?/.exec(purged.err) ?? [];
    const { deleted = Number(before[1] ?? 0), unsure = Number(before[2] ?? 0) } = purged.said ?? {};
    const gone = all.length + 1 - left.length;
    expect([purged.context, left.includes('late')]).toEqual([purged.context, true]);
    expect([purged.context, gone >= deleted && gone <= deleted + unsure]).toEqual([purged.context, true]);
    // A purge that ends with an error may have deleted all, without knowing that these are all.
    const isAll = left.length === 1 && unsure === 0;
    expect([purged.context, purged.exitCode === 0 && !isAll]).toEqual([purged.context, false]);
    enter('purge', {
      messages: all.length,
      deleted,
      unsure,
      left: all.length - deleted - unsure,
      incomplete: purged.exitCode,
    });
  }

  async function importAll(kind: 'standard' | 'fifo', seed: number): Promise<void> {
    const [dead, home] = kind === 'fifo' ? ['FifoDead', 'FifoHome'] : ['Dead', 'Home'];
    // Of a group with several messages, an export may see only the first.
    const all = await fill(dead, seed, 50);
    const io = new MemoryIo({ [FILE]: await account.export(dead, FILE) });
    await account.drain(dead);
    const first = await faulted(`import ${FILE} ${account.queue(home)} --rate 200 --execute`, io);
    const before = (await account.all(home)).map(({ Body = '' }) => Body);
    const { sent = 0, unsureLines = [] } = first.said ?? {};
    expect([first.context, new Set(before).size]).toEqual([first.context, before.length]);
    if (first.said) {
      const isReported = before.length >= sent && before.length <= sent + unsureLines.length;
      expect([first.context, isReported]).toEqual([first.context, true]);
      expect([first.context, first.exitCode === 0]).toEqual([first.context, sent === all.length]);
    }
    const again = await account.dlo(`import ${FILE} ${account.queue(home)} --execute --resend-unsure --json`, {}, io);
    const { resent } = JSON.parse(again.out);
    await account.deployed.advance({ minutes: 1 });
    const after = await account.drain(home);
    const twice = all.filter(body => count(after, body) > 1).length;
    expect([first.context, again.exitCode, [...new Set(after)].sort()]).toEqual([first.context, 0, [...all].sort()]);
    expect([first.context, twice <= resent]).toEqual([first.context, true]);
    enter(`import ${kind}`, {
      messages: all.length,
      sent,
      unsure: unsureLines.length,
      left: all.length - sent - unsureLines.length,
      duplicatesReported: resent,
      duplicates: twice,
      lost: all.length - new Set(after).size,
      incomplete: first.exitCode,
    });
  }

  test.each(seedsToPlay(SLICE))('adds up, and names every possible duplicate: seed %i', async seed => {
    random = new Random(`ledger ${seed}`);
    await redrive('standard', seed);
    await redrive('fifo', seed);
    await exportAndPurge(seed);
    await importAll(pick(random, ['standard', 'fifo'] as const), seed);
  });
});
