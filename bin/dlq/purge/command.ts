import { Command } from 'commander';
import { INVENTORY_READS, QUEUE_NAMED_READS } from '../../../account/permissions';
import { addConnectionOptions, EXIT_CODES } from '../../command-line';
import { type CommandPermissions, permissionsText } from '../../permissions';
import type { DlqContext, DlqOptions } from '../command';

/** What `dlo dlq purge` is told. */
export interface PurgeOptions extends DlqOptions {
  /** The file of an export. */
  readonly export: string;
  readonly execute?: boolean;
  /** The queue's name. */
  readonly confirm?: string;
  readonly force?: boolean;
}

export const PURGE_PERMISSIONS: CommandPermissions = {
  command: 'dlq purge',
  reads: [...QUEUE_NAMED_READS, 'sqs:ListDeadLetterSourceQueues'],
  more: [{ when: 'where no redrive policy of a queue names QUEUE', actions: INVENTORY_READS }],
  executes: ['sqs:ReceiveMessage', 'sqs:ChangeMessageVisibility', 'sqs:DeleteMessage'],
  keys: { executes: ['kms:Decrypt'] },
};

const HELP = `
QUEUE is the name, ARN or URL of a dead-letter queue: one that is nobody's is refused. FILE is an export of this very
queue by dlo dlq export, which is read and proven whole first. Without --execute it says what it would do, and receives
nothing.

Letters are received, and deleted where they are in FILE. All others are given back: SQS's own purge would delete what has
come since the export as well. With --execute it asks for the queue's name; where nobody sits before a terminal, --confirm
gives it.

  dlo dlq export orders-dlq orders.jsonl
  dlo dlq purge orders-dlq --export orders.jsonl
  dlo dlq purge orders-dlq --export orders.jsonl --execute --confirm orders-dlq

${permissionsText(PURGE_PERMISSIONS)}

${EXIT_CODES}`;

const work = () => import('./run-purge');

/** `dlo dlq purge`. */
export function purgeCommand(world: DlqContext): Command {
  return addConnectionOptions(new Command('purge'))
    .description('delete the letters of a dead-letter queue for good that an export has')
    .argument('QUEUE', 'its name, ARN or URL')
    .requiredOption('--export <file>', 'a whole export of this queue')
    .option('--confirm <name>', "the queue's name, instead of typing it")
    .option('--force', 'receive although receives bring letters nearer to another dead-letter queue')
    .option('--execute', 'do it')
    .option('--json', 'print it as JSON')
    .addHelpText('after', HELP)
    .action(async (queue: string, options: PurgeOptions) => (await work()).purgeMessages(queue, options, world));
}
