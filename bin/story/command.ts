import { Command } from 'commander';
import { BadInput } from '../../account/errors';
import { AssemblyError, LocalAws } from '../../local';
import type { Io } from '../io';
import { paintFor } from '../text';
import { playRentalDay } from './story';
import { synthesizeRentalOrders } from './synthesize';
import { storyJson, storyText } from './text';

interface StoryOptions {
  readonly seed: string;
  readonly assembly?: string;
  readonly json?: boolean;
  readonly trace?: string;
}

/** The day on which the story plays: a Monday. */
const STORY_DAY = '2026-01-05T00:00:00Z';

const HELP = `
The story deploys a cloud assembly into the embedded AWS and plays a day in it, without an account. It prints what
happened and when, why each dead letter died, and the ledger.

Exit codes: 0 nothing was lost, 1 something was, 2 bad input.`;

/** Something was lost: the command ends with 1. */
class LostMessages extends Error {}

async function deployed(assembly: string, { seed }: StoryOptions): Promise<LocalAws> {
  try {
    return await LocalAws.deploy(assembly, { seed, startAt: STORY_DAY });
  } catch (error) {
    if (error instanceof AssemblyError) throw new BadInput(error.problems);
    throw error;
  }
}

async function tellRental(options: StoryOptions, io: Io): Promise<void> {
  const aws = await deployed(options.assembly ?? synthesizeRentalOrders(), options);
  try {
    // A trace that cannot be written is said before the day is played, not after.
    if (options.trace !== undefined) await io.writeText(options.trace, '');
    const story = await playRentalDay(aws, hour => {
      if (io.stderr.isTTY) io.stderr.write(hour < 24 ? `\r${hour} of 24 hours` : '\r\u001b[K');
    });
    const paint = paintFor(io.stdout.isTTY);
    io.stdout.write(options.json ? `${storyJson(story, options.seed)}\n` : storyText(story, options.seed, paint));
    if (options.trace !== undefined) await io.writeText(options.trace, aws.trace.toJsonLines());
    const missing = story.lost + story.unaccounted;
    if (missing > 0) throw new LostMessages(`${missing} messages were lost, or are not accounted for`);
  } finally {
    await aws.close();
  }
}

/** `dlo story`: a bad day, played on a deployed stack. */
export function storyCommand(io: Io): Command {
  const rental = new Command('rental')
    .description('a day of outages in the rental backend, and the proof that nothing was lost')
    .option('--assembly <dir>', 'a cloud assembly of RentalOrders, for example cdk.out (default: a fresh one)')
    .option('--seed <seed>', 'what chance begins with; the same seed tells the same story', '1')
    .option('--json', 'print the ledger, the alarms and the causes as JSON')
    .option('--trace <file>', 'write everything that happened, one JSON document a line')
    .addHelpText('after', HELP)
    .action((options: StoryOptions) => tellRental(options, io));
  return new Command('story').description('play a story in the embedded AWS').addCommand(rental);
}
