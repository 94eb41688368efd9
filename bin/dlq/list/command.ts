import { Command } from 'commander';
import { INVENTORY_READS, STACK_READS, TO_JUDGE_KEYS_AND_ROLES } from '../../../account/permissions';
import type { CommandContext } from '../../shared/command-line';
import { addConnectionOptions, EXIT_CODES } from '../../shared/command-line';
import { type CommandPermissions, permissionsText } from '../../shared/command-permissions';
import type { ListOptions } from './run-list';

export const LIST_PERMISSIONS: CommandPermissions = {
  command: 'dlq ls',
  reads: [...INVENTORY_READS, 'sqs:ListMessageMoveTasks', 'cloudwatch:GetMetricData'],
  more: [{ when: 'with --stack', actions: STACK_READS }, TO_JUDGE_KEYS_AND_ROLES],
};

const HELP = `
A dead-letter queue is any queue that a subscription, queue, function, event source mapping, rule or schedule names as one.
Queues with messages come first, ordered by when their first message expires. A queue that is named but does not exist is
listed too: messages sent to it are lost.

A standard queue keeps a message from when it was first sent, but CloudWatch counts its age from when SQS moved it. If both
are possible, the time until the first message expires is a range. CloudWatch may ignore messages that were received three
times or more: dlo dlq peek shows each message.

  dlo dlq ls --region eu-central-1
  dlo dlq ls --stack Orders
  dlo dlq ls --json | jq -r '.queues[] | select(.depths.visible > 0).name'

${permissionsText(LIST_PERMISSIONS)}

${EXIT_CODES}`;

const work = () => import('./run-list');

/** `dlo dlq ls`. */
export function listCommand(world: CommandContext): Command {
  return addConnectionOptions(new Command('ls'))
    .description('list every dead-letter queue: what feeds it, its messages, when the first expires, what is missing')
    .option('--stack <name>', 'only resources of this stack and its nested stacks')
    .option('--json', 'print the list as JSON')
    .addHelpText('after', HELP)
    .action(async (options: ListOptions) => (await work()).listQueues(options, world));
}
