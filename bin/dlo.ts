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

interface Part {
  /** Its line in the help of `dlo`. */
  readonly does: string;
  readonly load: () => Promise<Command>;
}

/** In the order of the help, which loads none of them. */
const PARTS: Readonly<Record<string, Part>> = {
  dlq: {
    does: 'dead-letter queues: what is in them, why, and sending it back',
    load: async () => (await import('./dlq/dlq-command')).dlqCommand(context),
  },
  doctor: {
    does: 'find what loses messages: in an app, in templates, or in an account',
    load: async () => (await import('./doctor/doctor-command')).doctorCommand(context),
  },
  cost: {
    does: 'what a synthesized app costs: a month idle, and a million messages, by construct',
    load: async () => (await import('./cost/cost-command')).costCommand(io),
  },
  'deploy-check': {
    does: 'what a deployment loses, doubles or delays: plays messages through the update',
    load: async () => (await import('./deploy-check/deploy-check-command')).deployCheckCommand(io),
  },
  policy: {
    does: 'delivery policies: what SNS does when a delivery fails',
    load: async () => (await import('./policy/policy-command')).policyCommand(io),
  },
  story: {
    does: 'simulate a story in the embedded AWS',
    load: async () => (await import('./story/story-command')).storyCommand(io),
  },
  local: {
    does: 'deploy a CDK app to an AWS on this machine, and serve it to any client',
    load: async () => (await import('./local/local-command')).localCommand(io),
  },
  console: {
    does: 'show dead-letter queues, their causes and their redrive in a browser',
    load: async () => (await import('./console/console-command')).consoleCommand({ io, nowMs, wait, serverClock }),
  },
  relay: {
    does: 'relays: what they do, why one does not; stop and start one',
    load: async () => (await import('./relay/relay-command')).relayCommand(context),
  },
  fleet: {
    does: 'fleets: endpoints of customers, why one gets nothing; add, stop, test and replay',
    load: async () => (await import('./fleet/fleet-command')).fleetCommand(context),
  },
  redrive: {
    does: 'redrives: what they do, why one does not; stop, start and run one',
    load: async () => (await import('./redrive/redrive-command')).redriveCommand(context),
  },
  completion: {
    does: 'print a script that completes commands and options in a shell',
    load: async () => (await import('./completion/completion-command')).completionCommand(io, words => program(words)),
  },
};

/** `dlo` with the commands that are named. Of the others it knows no more than its help tells. */
async function program(named: readonly string[]): Promise<Command> {
  const dlo = new Command('dlo')
    .description('Dead Letter Office: what happens to messages that SNS or SQS cannot deliver, and why.')
    .version(ownManifest().version)
    .addOption(colorOption())
    .hook('preAction', () => {
      terminal.color = dlo.opts<TerminalSettings>().color;
    });
  for (const [name, { does, load }] of Object.entries(PARTS)) {
    const command = named.includes(name) ? await load() : new Command(name);
    dlo.addCommand(command.description(does));
  }
  return dlo;
}

async function dlo(args: readonly string[]): Promise<number> {
  const named = args.find(arg => Object.hasOwn(PARTS, arg));
  return run(await program(named === undefined ? [] : [named]), args, io);
}

endOnInterrupt();

dlo(process.argv.slice(2)).then(exitCode => {
  process.exitCode = exitCode;
});
