import { Command } from 'commander';
import { DISPENSABLE_INVENTORY_READS, INVENTORY_READS, STACK_READS } from '../../account/inventory-reads';
import { addConnectionOptions } from '../../aws/connection-options';
import type { DlqOptions, DlqWorld } from '../command';
import type { CommandPermissions } from '../permissions/command-permissions';

/** What `dlo dlq ls` is told. */
export interface ListOptions extends DlqOptions {
  readonly stack?: string;
}

export const LIST_PERMISSIONS: CommandPermissions = {
  command: 'dlq ls',
  reads: [
    ...INVENTORY_READS,
    'sqs:ListMessageMoveTasks',
    'cloudwatch:GetMetricData',
    ...STACK_READS,
    ...DISPENSABLE_INVENTORY_READS,
  ],
};

const HELP = `
A dead-letter queue is whatever a subscription, a queue, a function, an event source mapping, a rule or a schedule names
as one: all of them are read, so that neither names nor tags matter. Those that hold letters come first, the one whose
first letter expires soonest before all. A queue that is named and not there is told of too: what is sent to it is lost.

A standard queue keeps a letter from when it was first sent, and CloudWatch counts its age from when SQS moved it: where
both are possible, the time until the first letter expires is told from the soonest to the latest.

  dlo dlq ls --region eu-central-1
  dlo dlq ls --stack Orders
  dlo dlq ls --json | jq -r '.queues[] | select(.depth.visible > 0).name'

It takes the permissions that dlo dlq permissions ls prints. Without those of kms and iam it says what it could not see,
and without cloudformation:ListStackResources it has no --stack.

Exit codes: 0 done, 1 could not, 2 bad input.`;

const work = () => import('./run-list');

/** `dlo dlq ls`. */
export function listCommand(world: DlqWorld): Command {
  return addConnectionOptions(new Command('ls'))
    .description('list every dead-letter queue: who feeds it, its letters, when the first expires, what is missing')
    .option('--stack <name>', 'only what this stack has, or stacks nested in it')
    .option('--json', 'print the list as JSON')
    .addHelpText('after', HELP)
    .action(async (options: ListOptions) => (await work()).listQueues(options, world));
}
