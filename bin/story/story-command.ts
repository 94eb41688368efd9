import { Command, Option } from 'commander';
import { allowHostOption, portOf } from '../shared/command-line';
import type { Io } from '../shared/io';
import type { StoryOptions } from './run-story';

const DEFAULT_PORT = 4566;

const HELP = `
The story deploys a cloud assembly to the embedded AWS and simulates a day, without an AWS account. It prints what
happened when, the cause of each dead letter, and a ledger of all messages. With --console, a page in a browser plays it instead: go
back, stop time, break more, and follow the journey of each message.

Exit codes: 0 no message was lost, 1 at least one was, 2 bad input.`;

/** `dlo story`: simulates a day of outages on a deployed stack. */
export function storyCommand(io: Io): Command {
  const rental = new Command('rental')
    .description('a day of outages in the rental backend, and the proof that nothing was lost')
    .option('--assembly <dir>', 'a cloud assembly of RentalOrders, for example cdk.out (default: a fresh one)')
    .option('--seed <seed>', 'the random seed; the same seed gives the same story', '1')
    .option('--json', 'print the ledger, the alarms and the causes as JSON')
    .addOption(new Option('--trace <file>', 'write all events as JSON, one document per line').conflicts(['console']))
    .addOption(
      new Option('--console', 'play the day in a browser, with a time slider, until Ctrl-C').conflicts(['json']),
    )
    .option('--port <port>', 'the port of --console, or 0 for any free port', portOf, DEFAULT_PORT)
    .addOption(allowHostOption())
    .addHelpText('after', HELP)
    .action(async (options: StoryOptions) => (await import('./run-story')).runRentalStory(options, io));
  return new Command('story').addCommand(rental);
}
