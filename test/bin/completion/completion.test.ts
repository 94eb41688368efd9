import { spawnSync } from 'node:child_process';
import { CreateQueueCommand, SQSClient } from '@aws-sdk/client-sqs';
import { Command } from 'commander';
import { completionCommand, SHELLS } from '../../../bin/completion/completion-command';
import { completionsOf } from '../../../bin/completion/completions';
import { dlqCommand } from '../../../bin/dlq/dlq-command';
import { fleetCommand } from '../../../bin/fleet/fleet-command';
import { policyCommand } from '../../../bin/policy/policy-command';
import { colorOption, run } from '../../../bin/shared/command-line';
import { LocalAws } from '../../../local';
import { MemoryIo } from '../shared/memory-io';

function dlo(): Command {
  const io = new MemoryIo();
  return new Command('dlo')
    .addOption(colorOption())
    .addCommand(dlqCommand({ io, nowMs: () => 0, wait: async () => {} }))
    .addCommand(fleetCommand({ io, nowMs: () => 0 }))
    .addCommand(policyCommand(io));
}

const NAMES = {
  queues: ['orders-dlq', 'news-dlq'],
  fleets: ['hooks', 'mail'],
  endpoints: ['acme/orders', 'acme/bills'],
};

test.each([
  ['dlo ', ['dlq', 'fleet', 'policy']],
  ['dlo d', ['dlq']],
  ['dlo dlq p', ['peek', 'pick', 'purge', 'permissions']],
  ['dlo --color never dlq w', ['why', 'watch']],
  ['dlo dlq ls --prof', ['--profile', '--profiles']],
  ['dlo dlq ls --region eu-west-1 --full', ['--full-names']],
  ['dlo dlq ls --color ', ['auto', 'always', 'never']],
  ['dlo dlq ls --he', ['--help']],
  ['dlo dlq export orders-dlq ', []],
  ['dlo dlq why --region eu-west-1 ', ['news-dlq', 'orders-dlq']],
  ['dlo dlq why --region eu-west-1 --json ', ['news-dlq', 'orders-dlq']],
  ['dlo dlq redrive --region eu-west-1 or', ['orders-dlq']],
  ['dlo dlq why --region ', []],
  ['dlo fleet show --region eu-west-1 acme/', ['acme/orders', 'acme/bills']],
  ['dlo fleet attempts --region eu-west-1 acme/o', ['acme/orders']],
  ['dlo fleet ls --region eu-west-1 --fleet ', ['hooks', 'mail']],
  ['dlo fleet replay --from ', ['dead-letters', 'log']],
])('%j is completed by %j', async (line, words) => {
  const found = await completionsOf(dlo(), line, async (list, prefix, typed) => {
    return typed.region === 'eu-west-1' ? NAMES[list].filter(it => it.startsWith(prefix)) : [];
  });
  expect(found.map(({ word }) => word).sort()).toEqual([...words].sort());
});

function completion() {
  const io = new MemoryIo();
  const program = new Command('dlo').addCommand(completionCommand(io, async () => dlo()));
  return { io, complete: (...args: string[]) => run(program, ['completion', ...args], io) };
}

test.each(SHELLS)('there is a script for %s', async shell => {
  const { io, complete } = completion();
  expect(await complete(shell)).toBe(0);
  expect(io.out).toMatch(`# Completion of dlo for ${shell}`);
});

test('there is no script for another shell', async () => {
  expect(await completion().complete('powershell')).toBe(2);
});

test('bash offers the words that dlo prints for the line up to the cursor', async () => {
  const { io, complete } = completion();
  await complete('bash');
  const asked = `dlo() { [[ $2-$3 == 'words-dlo dlq --region x p' ]] && printf 'peek\\tshow messages\\npick\\t\\n'; }`;
  const line = `COMP_LINE='dlo dlq --region x pe'; COMP_POINT=20; _dlo; printf '%s,' "\${COMPREPLY[@]}"`;
  const { stdout, stderr } = spawnSync('bash', ['--norc', '-c', `${io.out}\n${asked}; ${line}`], { encoding: 'utf8' });
  expect([stdout, stderr]).toEqual(['peek,pick,', '']);
});

test('dlo completion words prints commands with what they do, and names of the account that the line names', async () => {
  const aws = LocalAws.start();
  const { url } = await aws.listen();
  const sqs = new SQSClient(aws.clientConfig());
  for (const QueueName of ['orders', 'orders-dlq', 'news']) await sqs.send(new CreateQueueCommand({ QueueName }));
  Object.assign(process.env, { AWS_ACCESS_KEY_ID: 'AKIAIOSFODNN7EXAMPLE', AWS_SECRET_ACCESS_KEY: 'secret' });
  const { io, complete } = completion();
  await complete('words', `dlo dlq redrive --rate 5 --region us-east-1 --endpoint-url ${url} ord`);
  expect([io.out, io.err]).toEqual(['orders\t\norders-dlq\t\n', '']);
  await aws.close();
  await complete('words', 'dlo dlq pee');
  expect(io.out).toMatch(/\npeek\t\w+/);
});
