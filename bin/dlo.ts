#!/usr/bin/env node
import { Command } from 'commander';
import { ServerClock } from '../account/connection/server-clock';
import { ownManifest } from '../account/documents/own-package';
import { nowMs, wait } from '../mover/aws/clock';
import { type CommandContext, colorOption, run } from './shared/command-line';
import { endOnInterrupt, processIo, type TerminalSettings } from './shared/io';
import { warn } from './shared/print';

// The SDK's advice to upgrade Node is for developers of this package, not for users of the command.
process.env['AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED'] = 'true';

const terminal: TerminalSettings = { color: 'auto' };
const io = processIo(terminal);

const serverClock = new ServerClock({ nowMs, wait }, text => warn(io, [text]));

const context: CommandContext = {
  io,
  nowMs: serverClock.nowMs,
  wait: serverClock.wait,
  serverClock,
  get pollSeconds() {
    return serverClock.pollSeconds;
  },
};

/** In the order of the help. Most need clients of the SDK, so a command is loaded only if it is named. */
const COMMANDS: ReadonlyMap<string, () => Promise<Command>> = new Map([
  ['dlq', async () => (await import('./dlq/dlq-command')).dlqCommand(context)],
  ['doctor', async () => (await import('./doctor/doctor-command')).doctorCommand(context)],
  ['cost', async () => (await import('./cost/cost-command')).costCommand(io)],
  ['deploy-check', async () => (await import('./deploy-check/deploy-check-command')).deployCheckCommand(io)],
  ['policy', async () => (await import('./policy/policy-command')).policyCommand(io)],
  ['story', async () => (await import('./story/story-command')).storyCommand(io)],
  ['local', async () => (await import('./local/local-command')).localCommand(io)],
  ['console', async () => (await import('./console/console-command')).consoleCommand({ io, nowMs, wait, serverClock })],
  ['relay', async () => (await import('./relay/relay-command')).relayCommand(io, context.nowMs, serverClock)],
  ['redrive', async () => (await import('./redrive/redrive-command')).redriveCommand(io, context.nowMs, serverClock)],
  [
    'completion',
    async () => (await import('./completion/completion-command')).completionCommand(io, () => program([])),
  ],
]);

/** Loads the command that the arguments name, or all for the help of `dlo`. */
function loaded(args: readonly string[]): Promise<Command[]> {
  const named = args.map(arg => COMMANDS.get(arg)).find(load => load !== undefined);
  return Promise.all((named ? [named] : [...COMMANDS.values()]).map(load => load()));
}

/** `dlo` with the command that the arguments name, or with all. */
async function program(args: readonly string[]): Promise<Command> {
  const dlo = new Command('dlo')
    .description('Dead Letter Office: what happens to messages that SNS or SQS cannot deliver, and why.')
    .version(ownManifest().version)
    .addOption(colorOption())
    .hook('preAction', () => {
      terminal.color = dlo.opts<TerminalSettings>().color;
    });
  for (const command of await loaded(args)) dlo.addCommand(command);
  return dlo;
}

async function dlo(args: readonly string[]): Promise<number> {
  return run(await program(args), args, io);
}

endOnInterrupt();

dlo(process.argv.slice(2)).then(exitCode => {
  process.exitCode = exitCode;
});
