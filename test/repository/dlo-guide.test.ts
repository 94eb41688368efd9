import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Command } from 'commander';
import { deployCheckCommand } from '../../bin/deploy-check/deploy-check-command';
import { dlqCommand } from '../../bin/dlq/dlq-command';
import { doctorCommand } from '../../bin/doctor/doctor-command';
import { localCommand } from '../../bin/local/local-command';
import { MemoryIo } from '../bin/shared/memory-io';
import { Night } from '../support/outage-night';
import { AtWork, line, type Step } from '../support/outage-night-commands';
import { shortened, withConsole } from '../support/transcript';
import { ROOT } from './source-files';

const FILE = path.join(ROOT, 'docs/dlo.md');

/** With this set, the test writes into the page what the commands print now. */
const IS_REWRITTEN = process.env['DLO_REWRITE_DOCS'] !== undefined;

const typed = (text: string) => (): string => text;

/** The commands of that night, in order. */
const STEPS: readonly Step[] = [
  typed('dlo dlq ls'),
  typed('dlo dlq why invoices-dlq'),
  line('aws sqs set-queue-attributes'),
  typed('dlo dlq redrive invoices-dlq'),
  line('dlo dlq redrive invoices-dlq --execute'),
  typed('dlo dlq why picking-dlq'),
  line('aws lambda update-function-configuration'),
  typed('dlo dlq redrive picking-dlq'),
  line('dlo dlq redrive picking-dlq --execute'),
  typed('dlo dlq why carrier-dlq'),
  typed('dlo dlq peek carrier-dlq -n 1'),
  typed('dlo dlq export carrier-dlq carrier.jsonl'),
  typed('dlo dlq purge carrier-dlq --export carrier.jsonl --execute'),
  typed('dlo dlq ls'),
  typed('dlo doctor --region us-east-1'),
];

/** The parts that the page shows of a long output. */
const SHOWN: Readonly<Record<string, readonly string[]>> = {
  'dlo doctor --region us-east-1': ['7 findings', 'LOSES', 'invoices  ', 'DELAYS', '3 findings'],
};

/** The documents that the page describes, and a command that prints each. */
const DOCUMENTS: Readonly<Record<string, string>> = {
  'dlq ls': 'dlq ls',
  'dlq peek': 'dlq peek mailing-dlq',
  'dlq why': 'dlq why mailing-dlq',
  'dlq redrive': 'dlq redrive picking-dlq',
  'dlq watch': 'dlq watch picking-dlq',
  'dlq cancel': 'dlq cancel picking-dlq',
  'dlq export': 'dlq export mailing-dlq mailing.jsonl',
  'dlq import': 'dlq import carrier.jsonl invoices-dlq --execute',
  'dlq redrive --execute': 'dlq redrive invoices-dlq --execute --canary 0',
  'dlq purge': 'dlq purge carrier-dlq --export carrier.jsonl',
  doctor: 'doctor --region us-east-1',
};

const guide = () => readFileSync(FILE, 'utf8');

const context = { io: new MemoryIo(), nowMs: () => 0, wait: async () => {} };

const COMMANDS: readonly Command[] = [...dlqCommand(context).commands, doctorCommand(context)];

describe('the guide to dlo', () => {
  let night: Night;
  let work: AtWork;

  beforeAll(async () => {
    night = await Night.begin();
    await night.breaks();
    work = new AtWork(night);
  });

  test('shows what the commands print today, on that night', async () => {
    const texts: string[] = [];
    const blocks: string[] = [];
    for (const step of STEPS) {
      const command = step(texts);
      const text = await work.type(command);
      texts.push(text);
      blocks.push(`$ ${command}\n${command in SHOWN ? shortened(text, SHOWN[command] ?? []) : text}`);
    }
    const page = withConsole(guide(), blocks);
    if (IS_REWRITTEN) writeFileSync(FILE, page);
    expect(guide()).toBe(page);
  });

  test('states when the alarm rang', () => {
    const [rang = 0] = night.shop.alarmed('/Shop/picking-died');
    const clock = new Date(Date.parse('2026-03-13T22:00:00Z') + rang * 1_000).toISOString().slice(11, 16);
    expect(guide()).toContain(`at ${clock} the alarm rings`);
  });

  test.each(Object.entries(DOCUMENTS))('names the members of the document of %s', async (command, typedNow) => {
    const [, said = ''] = new RegExp(`^\\| \`${command}\` \\| (.*) \\|$`, 'm').exec(guide()) ?? [];
    const printed = await work.type(`dlo ${typedNow} --json`);
    const document = JSON.parse(printed.slice(printed.indexOf('{')));
    const named = [...said.replace(/ \([^)]*\)/g, '').matchAll(/`(\w+)`/g)].map(([, name]) => name);
    expect(named).toEqual(Object.keys(document));
    const inLists = [...said.matchAll(/`(\w+)` \(([^)]*)\)/g)];
    for (const [, list = '', members = ''] of inLists) {
      const [first] = document[list] as readonly object[];
      if (first) for (const [, member = ''] of members.matchAll(/`(\w+)`/g)) expect(first).toHaveProperty(member);
    }
  });

  test('has a line for every command, in the order of the help', () => {
    const lines = [...guide().matchAll(/^\| `dlo (?:dlq )?(\w+)[^`]*` \| /gm)].map(([, name]) => name);
    expect(lines).toEqual(COMMANDS.map(command => command.name()));
  });

  test('names only options that a command has', () => {
    const known = new Set(
      [...COMMANDS, localCommand(context.io), deployCheckCommand(context.io)].flatMap(command =>
        command.options.map(({ long }) => long),
      ),
    );
    const named = [...guide().matchAll(/(?<![\w-])--[a-z][a-z-]+/g)].map(([option]) => option);
    const others = new Set(['--help', '--color', '--json', '--query', '--cli-input-json']);
    expect(named.filter(option => !known.has(option) && !others.has(option))).toEqual([]);
  });
});
