import { Command, InvalidArgumentError } from 'commander';
import { QUEUE_NAMED_READS } from '../../../account/permissions';
import type { CommandContext } from '../../shared/command-line';
import { addConnectionOptions, EXIT_CODES } from '../../shared/command-line';
import { type CommandPermissions, permissionsText } from '../../shared/command-permissions';
import type { ImportOptions } from './run-import';

export const IMPORT_PERMISSIONS: CommandPermissions = {
  command: 'dlq import',
  reads: QUEUE_NAMED_READS,
  executes: ['sqs:SendMessage'],
  keys: { executes: ['kms:Decrypt', 'kms:GenerateDataKey'] },
};

/** Most consumers can keep this pace. */
const RATE = 100;

const HELP = `
FILE is an export of dlo dlq export. QUEUE is the name, ARN or URL of any queue. Without --execute, it only prints the plan.
An export that is incomplete or was changed is refused, and nothing is sent.

Each message is sent with its body, attributes and message group. For SQS it is a new message, with a new id and a new
retention period. FILE.imported records what was sent. Run the command again to continue after an interrupt: nothing is sent
twice. If an import is cut off while it sends a batch, it is unknown whether SQS has that batch. It is reported, and sent
only with --resend-unsure. In a FIFO queue, the later messages of its groups wait for it. SQS drops what this import
sends again within five minutes.

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
export function importCommand(world: CommandContext): Command {
  return addConnectionOptions(new Command('import'))
    .description('send the messages of an export to a queue, none of them twice')
    .argument('FILE', 'an export, such as orders.jsonl')
    .argument('QUEUE', 'its name, ARN or URL')
    .option('--rate <messages>', 'messages a second, at most', rateOf, RATE)
    .option('--resend-unsure', 'also send messages that SQS may already have')
    .option('--execute', 'do it')
    .option('--json', 'print it as JSON')
    .addHelpText('after', HELP)
    .action(async (file: string, queue: string, options: ImportOptions) =>
      (await work()).runImport(file, queue, options, world),
    );
}
