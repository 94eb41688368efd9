import { spawnSync } from 'node:child_process';
import { CreateQueueCommand, SQSClient } from '@aws-sdk/client-sqs';
import { Command } from 'commander';
import { completionCommand } from '../../../bin/completion/completion-command';
import { completionScript, SHELLS } from '../../../bin/completion/completion-script';
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

/** What bash offers for a command line. */
function offered(line: string): readonly string[] {
  const words = line.split(' ');
  const list = words.map(word => `'${word}'`).join(' ');
  const answers =
    'queues) echo orders-dlq news-dlq;; fleets) echo hooks mail;; endpoints) echo acme/orders acme/bills;;';
  const asked = `dlo() { [[ $1 == completion && $* == *--region\\ eu-west-1* ]] && case $2 in ${answers} esac; }`;
  const ask = `${asked}; COMP_LINE='${line}'; COMP_WORDS=(${list}); COMP_CWORD=${words.length - 1}; _dlo; printf '%s\\n' "\${COMPREPLY[@]}"`;
  const script = `${completionScript(dlo(), 'bash')}\n${ask}`;
  const { stdout, stderr } = spawnSync('bash', ['--norc', '-c', script], { encoding: 'utf8' });
  expect(stderr).toBe('');
  return stdout.split('\n').filter(Boolean);
}

test.each([
  ['dlo ', ['dlq', 'fleet', 'policy']],
  ['dlo d', ['dlq']],
  ['dlo dlq p', ['peek', 'pick', 'purge', 'permissions']],
  ['dlo --color never dlq w', ['why', 'watch']],
  ['dlo dlq ls --prof', ['--profile', '--profiles']],
  ['dlo dlq ls --region eu-west-1 --full', ['--full-names']],
  ['dlo dlq ls --color ', ['auto', 'always', 'never']],
  ['dlo dlq export orders-dlq ', []],
  ['dlo dlq why --region eu-west-1 ', ['news-dlq', 'orders-dlq']],
  ['dlo dlq redrive --region eu-west-1 or', ['orders-dlq']],
  ['dlo dlq why --region ', []],
  ['dlo fleet show --region eu-west-1 acme/', ['acme/orders', 'acme/bills']],
  ['dlo fleet attempts --region eu-west-1 acme/o', ['acme/orders']],
  ['dlo fleet ls --region eu-west-1 --fleet ', ['hooks', 'mail']],
  ['dlo fleet replay --from ', ['dead-letters', 'log']],
])('bash completes %j', (line, words) => {
  expect([...offered(line)].sort()).toEqual([...words].sort());
});

/** Every command and option must be in each script. */
function everyWord(command: Command): readonly string[] {
  const own = command.options.flatMap(({ long }) => long ?? []);
  return [...own, ...command.commands.flatMap(part => [part.name(), ...everyWord(part)])];
}

test.each(SHELLS)('the script for %s has every command and option, and quotes every description', shell => {
  const script = completionScript(dlo(), shell);
  const plain = (word: string) => (shell === 'fish' ? word.replace(/^--/, '-l ') : word);
  expect(everyWord(dlo()).filter(word => !script.includes(plain(word)))).toEqual([]);
  const quotes = script.replaceAll("'\\''", '').replaceAll("\\'", '').split("'").length - 1;
  expect(quotes % 2).toBe(0);
});

test.each([
  [['completion', 'fish'], 0, /^# Completion of dlo for fish/],
  [['completion', 'powershell'], 2, /^$/],
])('dlo %j ends with %i', async (args, exitCode, out) => {
  const io = new MemoryIo();
  const program = new Command('dlo').addCommand(completionCommand(io, async () => dlo()));
  expect(await run(program, args, io)).toBe(exitCode);
  expect(io.out).toMatch(out);
});

test('dlo completion queues prints the names that begin with a prefix, whatever else was typed', async () => {
  const aws = LocalAws.start();
  const { url } = await aws.listen();
  const sqs = new SQSClient(aws.clientConfig());
  for (const QueueName of ['orders', 'orders-dlq', 'news']) await sqs.send(new CreateQueueCommand({ QueueName }));
  Object.assign(process.env, { AWS_ACCESS_KEY_ID: 'AKIAIOSFODNN7EXAMPLE', AWS_SECRET_ACCESS_KEY: 'secret' });
  const io = new MemoryIo();
  const program = new Command('dlo').addCommand(completionCommand(io, async () => dlo()));
  const typed = ['dlq', 'redrive', '--rate', '5', '--region', 'us-east-1', '--endpoint-url', url];
  expect(await run(program, ['completion', 'queues', 'ord', ...typed], io)).toBe(0);
  expect([io.out, io.err]).toEqual(['orders\norders-dlq\n', '']);
  await aws.close();
});
