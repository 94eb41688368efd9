import { Command } from 'commander';
import { INVENTORY_READS, QUEUE_NAMED_READS } from '../../../account/permissions';
import type { CommandContext } from '../../shared/command-line';
import { addConnectionOptions, EXIT_CODES } from '../../shared/command-line';
import { type CommandPermissions, permissionsText } from '../../shared/command-permissions';
import type { PurgeOptions } from './run-purge';

export const PURGE_PERMISSIONS: CommandPermissions = {
  command: 'dlq purge',
  reads: [...QUEUE_NAMED_READS, 'sqs:ListDeadLetterSourceQueues'],
  more: [{ when: 'if no redrive policy of a queue names QUEUE', actions: INVENTORY_READS }],
  executes: ['sqs:ReceiveMessage', 'sqs:ChangeMessageVisibility', 'sqs:DeleteMessage'],
  keys: { executes: ['kms:Decrypt'] },
};

const HELP = `
QUEUE is the name, ARN or URL of a dead-letter queue. Other queues are refused. FILE is an export of this queue by
dlo dlq export. It is read and checked first. Without --execute, it only prints the plan, and receives nothing.

It receives the messages, deletes those that are in FILE, and gives all others back. (SQS's own purge would also delete what
arrived after the export.) With --execute it asks for the queue's name. Without a terminal, give it with --confirm.

  dlo dlq export orders-dlq orders.jsonl
  dlo dlq purge orders-dlq --export orders.jsonl
  dlo dlq purge orders-dlq --export orders.jsonl --execute --confirm orders-dlq

${permissionsText(PURGE_PERMISSIONS)}

${EXIT_CODES}`;

const work = () => import('./run-purge');

/** `dlo dlq purge`. */
export function purgeCommand(world: CommandContext): Command {
  return addConnectionOptions(new Command('purge'))
    .description('delete the messages of a dead-letter queue that an export has')
    .argument('QUEUE', 'its name, ARN or URL')
    .requiredOption('--export <file>', 'a complete export of this queue')
    .option('--confirm <name>', "the queue's name, instead of typing it")
    .option('--force', 'receive although that brings messages nearer to another dead-letter queue')
    .option('--execute', 'do it')
    .option('--json', 'print it as JSON')
    .addHelpText('after', HELP)
    .action(async (queue: string, options: PurgeOptions) => (await work()).purgeMessages(queue, options, world));
}
