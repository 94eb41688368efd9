import { Command } from 'commander';
import { QUEUE_NAMED_READS } from '../../../account/permissions';
import { addConnectionOptions, EXIT_CODES } from '../../command-line';
import { type CommandPermissions, permissionsText } from '../../permissions';
import type { DlqContext, DlqOptions } from '../command';

/** What `dlo dlq export` is told. */
export interface ExportOptions extends DlqOptions {
  /** Whether a file that is there is replaced. */
  readonly overwrite?: boolean;
  readonly force?: boolean;
}

export const EXPORT_PERMISSIONS: CommandPermissions = {
  command: 'dlq export',
  reads: [...QUEUE_NAMED_READS, 'sqs:ReceiveMessage', 'sqs:ChangeMessageVisibility'],
  keys: { reads: ['kms:Decrypt'] },
};

const HELP = `
QUEUE is its name, ARN or URL. The letters stay in the queue: each is hidden from others until all are written, counts as
received once more, and is given back. FILE is there once it is whole; until then, and where it is interrupted, what is
written so far is FILE.part, which nothing takes for an export. Only you may read it.

FILE has JSON on each line: first what it is, with the queue's ARN; then a line for each letter, with its body, its
attributes and all that SQS says of it; last how many there are, and a SHA-256 of all before. What others have in flight,
what is delayed, and of a FIFO queue what is behind the first ten letters of a group, cannot be seen: it is said how much
that is, and isComplete in the last line is true only where it is nothing.

  dlo dlq export orders-dlq orders.jsonl
  dlo dlq export orders-dlq orders.jsonl --json | jq .isComplete
  jq -r 'select(.letter) | .letter.body' orders.jsonl

${permissionsText(EXPORT_PERMISSIONS)}

${EXIT_CODES}`;

const work = () => import('./run-export');

/** `dlo dlq export`. */
export function exportCommand(world: DlqContext): Command {
  return addConnectionOptions(new Command('export'))
    .description('write all letters of a queue into a file, and leave them in the queue')
    .argument('QUEUE', 'its name, ARN or URL')
    .argument('FILE', 'the file to write, such as orders.jsonl')
    .option('--overwrite', 'replace FILE')
    .option('--force', 'receive although receives bring letters nearer to another dead-letter queue')
    .option('--json', 'print what came of it as JSON')
    .addHelpText('after', HELP)
    .action(async (queue: string, file: string, options: ExportOptions) =>
      (await work()).exportMessages(queue, file, options, world),
    );
}
