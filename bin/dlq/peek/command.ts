import { Command, InvalidArgumentError } from 'commander';
import { QUEUE_NAMED_READS } from '../../../account/permissions';
import { addConnectionOptions, EXIT_CODES } from '../../command-line';
import { type CommandPermissions, permissionsText } from '../../permissions';
import type { DlqContext, DlqOptions } from '../command';

/** What `dlo dlq peek` is told. */
export interface PeekOptions extends DlqOptions {
  /** How many letters. */
  readonly number: number;
  readonly full?: boolean;
  readonly force?: boolean;
}

export const PEEK_PERMISSIONS: CommandPermissions = {
  command: 'dlq peek',
  reads: [...QUEUE_NAMED_READS, 'sqs:ReceiveMessage', 'sqs:ChangeMessageVisibility', 'lambda:ListEventSourceMappings'],
  keys: { reads: ['kms:Decrypt'] },
};

/** Our choice: what fits on a screen or two. */
const NUMBER = 10;

const HELP = `
QUEUE is its name, ARN or URL. A letter that is looked at is hidden from others for a moment, and counts as received once
more; then it is given back. What others have in flight is not seen, and not waited for. Of a FIFO queue no more than ten
letters of a group are seen: SQS hands out no others of it meanwhile.

Where the queue itself has a redrive policy, a look counts towards yet another dead-letter queue: it is refused where
letters are moved after ten receives or fewer, unless it is done by --force.

  dlo dlq peek orders-dlq
  dlo dlq peek orders-dlq -n 1 --full
  dlo dlq peek orders-dlq -n 100 --json | jq -r '.letters[].payload'

${permissionsText(PEEK_PERMISSIONS)}

${EXIT_CODES}`;

function numberOf(text: string): number {
  if (/^[1-9]\d{0,5}$/.test(text)) return Number(text);
  throw new InvalidArgumentError('It must be a whole number from 1 to 999999.');
}

const work = () => import('./run-peek');

/** `dlo dlq peek`. */
export function peekCommand(world: DlqContext): Command {
  return addConnectionOptions(new Command('peek'))
    .description('look at letters of a queue: what they are, who sent them and why, when they expire')
    .argument('QUEUE', 'its name, ARN or URL')
    .option('-n, --number <count>', 'how many letters', numberOf, NUMBER)
    .option('--full', 'print bodies whole, as they came')
    .option('--force', 'look although each look brings letters nearer to another dead-letter queue')
    .option('--json', 'print it as JSON')
    .addHelpText('after', HELP)
    .action(async (queue: string, options: PeekOptions) => (await work()).peek(queue, options, world));
}
