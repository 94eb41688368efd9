import { Command } from 'commander';
import { dlqCommand } from '../../bin/dlq/command';
import { doctorCommand } from '../../bin/doctor/command';
import { localCommand } from '../../bin/local/command';
import { policyCommand } from '../../bin/policy/command';
import { redriveCommand } from '../../bin/redrive/command';
import { relayCommand } from '../../bin/relay/command';
import { storyCommand } from '../../bin/story/command';
import { MemoryIo } from '../bin/policy/memory-io';

/** A number of so many digits is milliseconds or bytes, as a program has them. */
const BARE = /\(default: \d{5,}\)/;

const world = () => ({ io: new MemoryIo(), nowMs: () => 0, wait: () => Promise.resolve() });

function everyCommand(command: Command, names: readonly string[] = []): [name: string, command: Command][] {
  const own = [...names, command.name()];
  return [[own.join(' '), command], ...command.commands.flatMap(part => everyCommand(part, own))];
}

const COMMANDS = everyCommand(
  [
    dlqCommand(world()),
    doctorCommand(world()),
    policyCommand(world().io),
    storyCommand(world().io),
    localCommand(world().io),
    relayCommand(world().io),
    redriveCommand(world().io),
  ].reduce((dlo, command) => dlo.addCommand(command), new Command('dlo')),
);

test('every command is looked at', () => {
  expect(COMMANDS.map(([name]) => name)).toEqual(
    expect.arrayContaining(['dlo dlq why', 'dlo doctor', 'dlo redrive', 'dlo relay show']),
  );
});

test.each(COMMANDS)('the help of %s says what an option is by default as a person writes it', (_, command) => {
  const defaults = command.helpInformation().replace(/\s+/g, ' ');
  expect(defaults).not.toMatch(BARE);
});

test('the help of dlo dlq why says it as it takes it', () => {
  const [, why] = COMMANDS.find(([name]) => name === 'dlo dlq why') ?? [];
  expect(why?.helpInformation().replace(/\s+/g, ' ')).toContain('(default: 24h)');
});
