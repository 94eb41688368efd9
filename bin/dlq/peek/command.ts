import { Command, InvalidArgumentError } from 'commander';
import { QUEUE_NAMED_READS } from '../../../account/permissions';
import type { CommandContext } from '../../shared/command-line';
import { addConnectionOptions, EXIT_CODES } from '../../shared/command-line';
import { type CommandPermissions, permissionsText } from '../../shared/command-permissions';
import type { PeekOptions } from './run-peek';

export const PEEK_PERMISSIONS: CommandPermissions = {
  command: 'dlq peek',
  reads: [...QUEUE_NAMED_READS, 'sqs:ReceiveMessage', 'sqs:ChangeMessageVisibility', 'lambda:ListEventSourceMappings'],
  keys: { reads: ['kms:Decrypt'] },
};

/** Fits on a screen or two. */
const NUMBER = 10;

const HELP = `
QUEUE is a name, ARN or URL. Each message is hidden from other consumers for a moment, its receive count rises by one, and
it is given back. Messages in flight elsewhere are not shown. Of a FIFO queue, at most ten messages of a group are shown.

If the queue itself has a redrive policy, each look brings its messages nearer to another dead-letter queue. If SQS moves
them after ten receives or fewer, the command refuses, unless --force is given.

  dlo dlq peek orders-dlq
  dlo dlq peek orders-dlq -n 1 --full
  dlo dlq peek orders-dlq -n 100 --json | jq -r '.messages[].payload'

${permissionsText(PEEK_PERMISSIONS)}

${EXIT_CODES}`;

function numberOf(text: string): number {
  if (/^[1-9]\d{0,5}$/.test(text)) return Number(text);
  throw new InvalidArgumentError('It must be a whole number from 1 to 999999.');
}

const work = () => import('./run-peek');

/** `dlo dlq peek`. */
export function peekCommand(world: CommandContext): Command {
  return addConnectionOptions(new Command('peek'))
    .description('show messages of a queue: what they are, what sent them and why, when they expire')
    .argument('QUEUE', 'its name, ARN or URL')
    .option('-n, --number <count>', 'how many messages', numberOf, NUMBER)
    .option('--full', 'print whole bodies, unchanged')
    .option('--force', 'receive although that brings messages nearer to another dead-letter queue')
    .option('--json', 'print it as JSON')
    .addHelpText('after', HELP)
    .action(async (queue: string, options: PeekOptions) => (await work()).peek(queue, options, world));
}
