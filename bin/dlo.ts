#!/usr/bin/env node
import { Command } from 'commander';
import { nowMs, wait } from '../mover/clock';
import { dlqCommand } from './dlq/command';
import { doctorCommand } from './doctor/command';
import { localCommand } from './local/command';
import { policyCommand } from './policy/command';
import { redriveCommand } from './redrive/command';
import { relayCommand } from './relay/command';
import { run } from './shared/command-line';
import { endOnInterrupt, processIo } from './shared/io';
import { ownManifest } from './shared/own-package';
import { storyCommand } from './story/command';

// The SDK's advice to upgrade Node is for developers of this package, not for users of the command.
process.env['AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED'] = 'true';

const io = processIo();

const program = new Command('dlo')
  .description('Dead Letter Office: what happens to messages that SNS or SQS cannot deliver, and why.')
  .version(ownManifest().version)
  .addCommand(dlqCommand({ io, nowMs, wait }))
  .addCommand(doctorCommand({ io, nowMs, wait }))
  .addCommand(policyCommand(io))
  .addCommand(storyCommand(io))
  .addCommand(localCommand(io))
  .addCommand(relayCommand(io))
  .addCommand(redriveCommand(io));

endOnInterrupt();

run(program, process.argv.slice(2), io).then(exitCode => {
  process.exitCode = exitCode;
});
