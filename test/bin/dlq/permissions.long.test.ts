import type { Stack } from 'aws-cdk-lib';
import { AccountRootPrincipal, PolicyStatement, Role } from 'aws-cdk-lib/aws-iam';
import { Key } from 'aws-cdk-lib/aws-kms';
import { SqsEventSource } from 'aws-cdk-lib/aws-lambda-event-sources';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { SqsSubscription } from 'aws-cdk-lib/aws-sns-subscriptions';
import { Queue } from 'aws-cdk-lib/aws-sqs';
import type { Command } from 'commander';
import { consoleCommand } from '../../../bin/console/console-command';
import { dlqCommand } from '../../../bin/dlq/dlq-command';
import { PERMISSIONS } from '../../../bin/dlq/permissions-command';
import { doctorCommand } from '../../../bin/doctor/doctor-command';
import { run } from '../../../bin/shared/command-line';
import { allTaken } from '../../../bin/shared/command-permissions';
import { newRule, newSchedule } from '../../support/feeders';
import { newFunction } from '../../support/inline-function';
import { idOf, OperatedAccount, openAccount } from '../operated-account';
import { MemoryIo } from '../shared/memory-io';

/** The command line of each command. Without the part after the bar it only reads, with it the command makes changes. */
const TYPED: Readonly<Record<string, readonly string[]>> = {
  'dlq ls': ['ls', 'ls --stack Test'],
  'dlq peek': ['peek work-dlq'],
  'dlq why': ['why work-dlq'],
  'dlq redrive': [
    'redrive work-dlq',
    'redrive work-dlq --canary 0 | --execute',
    'redrive news-dlq --canary 0 | --execute',
  ],
  'dlq watch': ['watch work-dlq'],
  'dlq cancel': ['cancel work-dlq', 'cancel work-dlq | --execute'],
  'dlq edit': ['edit work-dlq MESSAGE --to work', 'edit work-dlq MESSAGE --to work | --execute'],
  'dlq export': ['export work-dlq new.jsonl'],
  'dlq import': ['import news.jsonl work', 'import news.jsonl work | --execute'],
  'dlq purge': [
    'purge news-dlq --export news.jsonl',
    'purge news-dlq --export news.jsonl --confirm news-dlq | --execute',
  ],
  doctor: ['doctor --region us-east-1', 'doctor --region us-east-1 --stack Test'],
  // It serves until it is interrupted, and reads what dlq ls and doctor read.
  console: [],
};

const CASES = Object.entries(TYPED).flatMap(([command, lines]) =>
  lines.map(line => ({ command, line: line.replace(' |', ''), isActing: line.includes('|') })),
);

/** Commands that make changes, and need more than the reading policy for that. */
const ACTING = CASES.filter(({ isActing, line }) => isActing && !line.startsWith('cancel'));

const world = (io: MemoryIo) => ({ io, nowMs: () => 0, wait: async () => {} });

const commands = (): readonly Command[] => [
  ...dlqCommand(world(new MemoryIo())).commands.filter(command => !['permissions', 'pick'].includes(command.name())),
  doctorCommand(world(new MemoryIo())),
  consoleCommand(world(new MemoryIo())),
];

interface Policy {
  readonly Statement: readonly { readonly Action: readonly string[] }[];
}

function withoutKeys({ Statement }: Policy): Policy {
  return {
    Statement: Statement.map(it => ({ ...it, Action: it.Action.filter(action => !action.startsWith('kms:')) })),
  };
}

/** What `dlo dlq permissions` prints. */
async function printed(args: readonly string[]): Promise<Policy> {
  const io = new MemoryIo();
  expect(await run(dlqCommand(world(io)), ['permissions', ...args], io)).toBe(0);
  return JSON.parse(io.out);
}

const roleOf = (command: string, acts: boolean) => `${acts ? 'Does' : 'Sees'}${idOf(command)}`;

/** Adds queues that are encrypted with a key, their feeders and their readers. */
function lockedQueues(stack: Stack): void {
  const encryptionMasterKey = new Key(stack, 'Key');
  const locked = (queueName: string, more = {}) =>
    new Queue(stack, queueName, { queueName, encryptionMasterKey, ...more });
  const work = locked('work', { deadLetterQueue: { queue: locked('work-dlq'), maxReceiveCount: 3 } });
  newFunction(stack).addEventSource(new SqsEventSource(work));
  const news = new SqsSubscription(locked('news'), { deadLetterQueue: locked('news-dlq') });
  new Topic(stack, 'Topic', { topicName: 'orders' }).addSubscription(news);
  newRule(stack);
  newSchedule(stack);
}

describe('the permissions of the commands', () => {
  test('are in a table, each in the order of the help', () => {
    const names = commands().map(command => command.name());
    expect(PERMISSIONS.map(({ command }) => command.replace(/^dlq /, ''))).toEqual(names);
    expect(Object.keys(TYPED)).toEqual(PERMISSIONS.map(({ command }) => command));
  });

  test.each(PERMISSIONS)('of $command are those its help names', permissions => {
    const { command } = permissions;
    const name = command.replace(/^dlq /, '');
    const io = new MemoryIo();
    const found = commands().find(it => it.name() === name);
    found?.configureOutput({ writeOut: text => io.stdout.write(text) }).outputHelp();
    const help = io.out.replace(/\s+/g, ' ');
    const named = new Set(
      help.match(
        /\b(?:sqs|sns|lambda|kms|iam|events|scheduler|pipes|cloudwatch|cloudformation|logs|dynamodb|firehose):[A-Z]\w+/g,
      ),
    );
    expect([...named].sort()).toEqual([...allTaken(permissions, true)].sort());
  });

  // An edit receives the message to plan.
  const acting = PERMISSIONS.filter(({ executes, keys }) => executes && !keys?.reads);

  test.each(acting)('of $command use no key where it only plans', async ({ command }) => {
    const { Statement } = await printed([command]);
    expect(Statement.flatMap(({ Action }) => Action)).not.toContainEqual(expect.stringMatching(/^kms:/));
  });

  describe('as dlo dlq permissions prints them', () => {
    let account: OperatedAccount;
    const files = new MemoryIo();
    let message: string;

    beforeAll(async () => {
      const policies = new Map<string, Policy>();
      for (const { command } of PERMISSIONS) {
        policies.set(roleOf(command, false), await printed(command.split(' ')));
        policies.set(roleOf(command, true), await printed([...command.split(' '), '--execute']));
      }
      policies.set('HasNoKey', withoutKeys(await printed(['peek'])));
      const { deployed, url } = await openAccount(stack => {
        lockedQueues(stack);
        for (const [id, { Statement }] of policies) {
          const role = new Role(stack, id, { assumedBy: new AccountRootPrincipal() });
          for (const statement of Statement) role.addToPolicy(PolicyStatement.fromJson(statement));
        }
      });
      account = new OperatedAccount(deployed, url, 'dlq');
    });

    beforeEach(async () => {
      message = await account.deployed.send('work-dlq', 'a message');
      await account.deployed.send('news-dlq', 'a message');
      await account.typed(['dlq', 'export', 'news-dlq', 'news.jsonl', '--overwrite'], {}, files);
    });

    afterEach(async () => {
      await account.deployed.advance({ minutes: 15 });
      for (const queue of ['work-dlq', 'work', 'news-dlq', 'news']) await account.deployed.take(queue);
    });

    const typed = async (line: string, role: string) => {
      const words = line.startsWith('doctor') ? [] : ['dlq'];
      const io = new MemoryIo({ 'news.jsonl': await files.readText('news.jsonl') });
      io.editor = text => text.replace('a message', 'another message');
      return account.typed([...words, ...line.replace('MESSAGE', message).split(' ')], await account.as(role), io);
    };

    test.each(CASES)('dlo $line runs with them, and misses nothing', async ({ command, line, isActing }) => {
      const { exitCode, err } = await typed(line, roleOf(command, isActing));
      expect([exitCode, err]).toEqual([0, expect.not.stringMatching(/warning|denied|answer is unknown/)]);
    });

    test('but for those of the key, nobody reads what is encrypted with it', async () => {
      const { exitCode, err } = await typed('peek work-dlq', 'HasNoKey');
      expect([exitCode, err]).toEqual([1, expect.stringContaining('kms:Decrypt')]);
    });

    test.each(ACTING)('dlo $line does nothing with those to look', async ({ command, line }) => {
      const { exitCode, err } = await typed(line, roleOf(command, false));
      expect([exitCode, err]).toEqual([
        1,
        expect.stringMatching(
          /sqs:(SendMessage|ReceiveMessage|DeleteMessage|StartMessageMoveTask|ChangeMessageVisibility) is denied/i,
        ),
      ]);
      expect(await account.deployed.take('work-dlq')).toHaveLength(1);
    });
  });
});
