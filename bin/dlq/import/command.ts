import { Command, InvalidArgumentError } from 'commander';
import { QUEUE_NAMED_READS } from '../../../account/permissions';
import { addConnectionOptions, EXIT_CODES } from '../../command-line';
import { type CommandPermissions, permissionsText } from '../../permissions';
import type { DlqContext, DlqOptions } from '../command';

/** What `dlo dlq import` is told. */
export interface ImportOptions extends DlqOptions {
  readonly execute?: boolean;
  /** Letters a second, at most. */
  readonly rate: number;
  readonly resendUnsure?: boolean;
}

export const IMPORT_PERMISSIONS: CommandPermissions = {
  command: 'dlq import',
  reads: QUEUE_NAMED_READS,
  executes: ['sqs:SendMessage'],
  keys: { executes: ['kms:Decrypt', 'kms:GenerateDataKey'] },
};

/** Our choice: a pace most consumers keep. */
const RATE = 100;

const HELP = `
FILE is an export of dlo dlq export. QUEUE is the name, ARN or URL of any queue: that the letters came from, or another.
Without --execute it says what it would do. An export that was cut or changed is refused, and nothing is sent.

Each letter is sent with its body, its attributes and its message group. For SQS it is a new one: with another id, and kept
as long as the queue keeps letters, from now. What was sent stands in FILE.imported: run again, it goes on where it was
interrupted, and sends none twice. Where it was cut off in the middle of a batch, nobody knows whether SQS has that batch:
it is told, and sent only with --resend-unsure. In a FIFO queue those behind one of these in its group wait for it; what this
import sends again within five minutes SQS drops, where it has it.

  dlo dlq import orders.jsonl orders
  dlo dlq import orders.jsonl orders --rate 10 --execute

${permissionsText(IMPORT_PERMISSIONS)}

${EXIT_CODES}`;

function rateOf(text: string): number {
  if (/^[1-9]\d{0,3}$/.test(text)) return Number(text);
  throw new InvalidArgumentError('It must be a whole number from 1 to 9999.');
}

const work = () => import('./run-import');

/** `dlo dlq import`. */
export function importCommand(world: DlqContext): Command {
  return addConnectionOptions(new Command('import'))
    .description('send the letters of an export to a queue, none of them twice')
    .argument('FILE', 'an export, such as orders.jsonl')
    .argument('QUEUE', 'its name, ARN or URL')
    .option('--rate <letters>', 'letters a second, at most', rateOf, RATE)
    .option('--resend-unsure', 'send also those of which nobody knows whether SQS has them')
    .option('--execute', 'do it')
    .option('--json', 'print it as JSON')
    .addHelpText('after', HELP)
    .action(async (file: string, queue: string, options: ImportOptions) =>
      (await work()).importMessages(file, queue, options, world),
    );
}
