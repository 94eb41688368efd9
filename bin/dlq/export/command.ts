import { Command } from 'commander';
import { QUEUE_NAMED_READS } from '../../../account/permissions';
import type { CommandContext } from '../../shared/command-line';
import { addConnectionOptions, EXIT_CODES } from '../../shared/command-line';
import { type CommandPermissions, permissionsText } from '../../shared/command-permissions';
import type { ExportOptions } from './run-export';

export const EXPORT_PERMISSIONS: CommandPermissions = {
  command: 'dlq export',
  reads: [...QUEUE_NAMED_READS, 'sqs:ReceiveMessage', 'sqs:ChangeMessageVisibility'],
  keys: { reads: ['kms:Decrypt'] },
};

const HELP = `
QUEUE is a name, ARN or URL. The messages stay in the queue. Each is hidden from other consumers until all are written,
its receive count rises by one, and it is given back. While it is incomplete, the file is named FILE.part. Only you may
read it.

FILE has one JSON document per line: a header with the queue's ARN, one line per message with its body and attributes, and
a last line with the number of messages and a SHA-256 of all lines before. Messages in flight elsewhere, delayed messages,
and messages of a FIFO queue behind the first ten of their group cannot be exported. The command says how many those are.
isComplete in the last line is true only if there are none.

  dlo dlq export orders-dlq orders.jsonl
  dlo dlq export orders-dlq orders.jsonl --json | jq .isComplete
  jq -r 'select(.message) | .message.body' orders.jsonl

${permissionsText(EXPORT_PERMISSIONS)}

${EXIT_CODES}`;

const work = () => import('./run-export');

/** `dlo dlq export`. */
export function exportCommand(world: CommandContext): Command {
  return addConnectionOptions(new Command('export'))
    .description('write all messages of a queue to a file, and leave them in the queue')
    .argument('QUEUE', 'its name, ARN or URL')
    .argument('FILE', 'the file to write, such as orders.jsonl')
    .option('--overwrite', 'replace FILE')
    .option('--force', 'receive although that brings messages nearer to another dead-letter queue')
    .option('--json', 'print the result as JSON')
    .addHelpText('after', HELP)
    .action(async (queue: string, file: string, options: ExportOptions) =>
      (await work()).exportMessages(queue, file, options, world),
    );
}
