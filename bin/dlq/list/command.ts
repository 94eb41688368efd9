import { Command } from 'commander';
import { INVENTORY_READS, STACK_READS, TO_JUDGE_KEYS_AND_ROLES } from '../../../account/permissions';
import { addConnectionOptions, EXIT_CODES } from '../../command-line';
import { type CommandPermissions, permissionsText } from '../../permissions';
import type { DlqContext, DlqOptions } from '../command';

/** What `dlo dlq ls` is told. */
export interface ListOptions extends DlqOptions {
  readonly stack?: string;
}

export const LIST_PERMISSIONS: CommandPermissions = {
  command: 'dlq ls',
  reads: [...INVENTORY_READS, 'sqs:ListMessageMoveTasks', 'cloudwatch:GetMetricData'],
  more: [{ when: 'with --stack', actions: STACK_READS }, TO_JUDGE_KEYS_AND_ROLES],
};

const HELP = `
A dead-letter queue is whatever a subscription, a queue, a function, an event source mapping, a rule or a schedule names
as one: all of them are read, so that neither names nor tags matter. Those that hold letters come first, the one whose
first letter expires soonest before all. A queue that is named and not there is told of too: what is sent to it is lost.

A standard queue keeps a letter from when it was first sent, and CloudWatch counts its age from when SQS moved it: where
both are possible, the time until the first letter expires is told from the soonest to the latest. Of letters that were
received three times or more CloudWatch's figure may leave some out: dlo dlq peek looks at each.

  dlo dlq ls --region eu-central-1
  dlo dlq ls --stack Orders
  dlo dlq ls --json | jq -r '.queues[] | select(.depths.visible > 0).name'

${permissionsText(LIST_PERMISSIONS)}

${EXIT_CODES}`;

const work = () => import('./run-list');

/** `dlo dlq ls`. */
export function listCommand(world: DlqContext): Command {
  return addConnectionOptions(new Command('ls'))
    .description('list every dead-letter queue: who feeds it, its letters, when the first expires, what is missing')
    .option('--stack <name>', 'only what this stack has, or stacks nested in it')
    .option('--json', 'print the list as JSON')
    .addHelpText('after', HELP)
    .action(async (options: ListOptions) => (await work()).listQueues(options, world));
}
