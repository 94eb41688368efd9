import type { Command } from 'commander';
import { dlqCommand } from '../../bin/dlq/dlq-command';
import { fleetCommand } from '../../bin/fleet/fleet-command';
import { redriveCommand } from '../../bin/redrive/redrive-command';
import { relayCommand } from '../../bin/relay/relay-command';
import { HttpRelay, RelayEndpoint, RelayFleet } from '../../lib';
import { FaultingProxy, READS } from '../support/faulting-proxy';
import { OperatedAccount, openAccount } from './operated-account';
import { ordersRedrive } from './redrive/redrive-account';
import { MemoryIo } from './shared/memory-io';

/** Arguments of the commands that have `--execute`, in the account below. */
const ARGUMENTS: Readonly<Record<string, string>> = {
  'dlq redrive': 'DEAD',
  'dlq cancel': 'DEAD',
  'dlq edit': 'DEAD MESSAGE --to DEAD',
  'dlq import': 'export.jsonl DEAD',
  'dlq purge': 'DEAD --export export.jsonl',
  'relay stop': 'Relay',
  'relay start': 'Relay',
  'redrive stop': 'Home',
  'redrive start': 'Home',
  'redrive run': 'Home',
  'fleet add': 'acme/more --url https://acme.example/hook --type paid',
  'fleet set': 'acme/orders --url https://acme.example/other',
  'fleet disable': 'acme/orders',
  'fleet enable': 'acme/orders',
  'fleet rotate': 'acme/orders --now',
  'fleet test': 'acme/orders',
  'fleet remove': 'acme/orders',
  'fleet replay': '--all',
};

/** The commands below a command that have `--execute`, with the words before them. */
function withExecute(command: Command, words: readonly string[] = []): readonly string[] {
  const named = [...words, command.name()];
  const isOne = command.options.some(({ long }) => long === '--execute') && command.name() !== 'permissions';
  return [...(isOne ? [named.join(' ')] : []), ...command.commands.flatMap(it => withExecute(it, named))];
}

describe('Without --execute', () => {
  const io = new MemoryIo();
  let account: OperatedAccount;
  let proxy: FaultingProxy;
  let dead: string;
  let message: string;

  beforeAll(async () => {
    const { deployed, url } = await openAccount(stack => {
      ordersRedrive(stack);
      new HttpRelay(stack, 'Relay', { endpoint: RelayEndpoint.fromUrl('https://partner.example.com') });
      new RelayFleet(stack, 'Fleet');
    });
    proxy = await FaultingProxy.before(url);
    account = new OperatedAccount(deployed, proxy.url, 'dlq');
    dead = deployed.name('Orders/DeadLetterQueue');
    message = await deployed.send('Orders/DeadLetterQueue', 'an order');
    await account.typed([
      'fleet',
      'add',
      'acme/orders',
      '--url',
      'https://acme.example/',
      '--type',
      'paid',
      '--execute',
    ]);
    await account.typed(['dlq', 'export', dead, 'export.jsonl'], {}, io);
    io.editor = text => text.replace('an order', 'another order');
  });

  afterAll(() => proxy.close());

  test('every command that has it is tried here', () => {
    const world = { io, nowMs: () => 0, wait: async () => {} };
    const commands = [dlqCommand(world), relayCommand(world), redriveCommand(world), fleetCommand(world)];
    expect(commands.flatMap(it => withExecute(it)).sort()).toEqual(Object.keys(ARGUMENTS).sort());
  });

  test.each(Object.entries(ARGUMENTS))('dlo %s %s makes only requests that read', async (command, args) => {
    const given = args.replaceAll('DEAD', dead).replace('MESSAGE', message);
    proxy.play([]);
    const { exitCode, err } = await account.typed([...command.split(' '), ...given.split(' ')], {}, io);
    expect([exitCode, err]).toEqual([0, '']);
    expect(proxy.calls.length).toBeGreaterThan(0);
    expect(proxy.calls.map(({ action }) => action).filter(action => !READS.test(action))).toEqual([]);
  });
});
