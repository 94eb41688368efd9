import { Command } from 'commander';
import { completionCommand } from '../../bin/completion/completion-command';
import { consoleCommand } from '../../bin/console/console-command';
import { costCommand } from '../../bin/cost/cost-command';
import { deployCheckCommand } from '../../bin/deploy-check/deploy-check-command';
import { dlqCommand } from '../../bin/dlq/dlq-command';
import { doctorCommand } from '../../bin/doctor/doctor-command';
import { fleetCommand } from '../../bin/fleet/fleet-command';
import { localCommand } from '../../bin/local/local-command';
import { policyCommand } from '../../bin/policy/policy-command';
import { redriveCommand } from '../../bin/redrive/redrive-command';
import { relayCommand } from '../../bin/relay/relay-command';
import { storyCommand } from '../../bin/story/story-command';
import { MemoryIo } from '../bin/shared/memory-io';

/** A number with this many digits is milliseconds or bytes, which people do not write. */
const BARE = /\(default: \d{5,}\)/;

const context = () => ({ io: new MemoryIo(), nowMs: () => 0, wait: () => Promise.resolve() });

function everyCommand(command: Command, names: readonly string[] = []): [name: string, command: Command][] {
  const own = [...names, command.name()];
  return [[own.join(' '), command], ...command.commands.flatMap(part => everyCommand(part, own))];
}

const COMMANDS = everyCommand(
  [
    dlqCommand(context()),
    doctorCommand(context()),
    consoleCommand(context()),
    costCommand(context().io),
    deployCheckCommand(context().io),
    policyCommand(context().io),
    storyCommand(context().io),
    localCommand(context().io),
    relayCommand(context()),
    fleetCommand(context()),
    redriveCommand(context()),
    completionCommand(context().io, async () => new Command('dlo')),
  ].reduce((dlo, command) => dlo.addCommand(command), new Command('dlo')),
);

test('the list has every command', () => {
  expect(COMMANDS.map(([name]) => name)).toEqual(
    expect.arrayContaining(['dlo dlq why', 'dlo doctor', 'dlo redrive', 'dlo relay show', 'dlo fleet add']),
  );
});

test.each(COMMANDS)('the help of %s shows defaults as people write them', (_, command) => {
  const defaults = command.helpInformation().replace(/\s+/g, ' ');
  expect(defaults).not.toMatch(BARE);
});

test('the help of dlo dlq why shows its default as an option value', () => {
  const [, why] = COMMANDS.find(([name]) => name === 'dlo dlq why') ?? [];
  expect(why?.helpInformation().replace(/\s+/g, ' ')).toContain('(default: 24h)');
});
