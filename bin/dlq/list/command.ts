import { Command } from 'commander';
import { DISPENSABLE_INVENTORY_READS, INVENTORY_READS, STACK_READS } from '../../account/inventory-reads';
import { addConnectionOptions } from '../../aws/connection-options';
import { listedNames } from '../../wording';
import type { DlqOptions, DlqWorld } from '../command';
import type { CommandPermissions } from '../permissions/command-permissions';

/** What `dlo dlq ls` is told. */
export interface ListOptions extends DlqOptions {
  readonly stack?: string;
}

const READS = [...INVENTORY_READS, 'sqs:ListMessageMoveTasks', 'cloudwatch:GetMetricData'];

export const LIST_PERMISSIONS: CommandPermissions = {
  command: 'dlq ls',
  reads: [...READS, ...STACK_READS, ...DISPENSABLE_INVENTORY_READS],
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

It takes the permissions
${listedNames(READS)};
with --stack also ${STACK_READS};
and where keys and roles are to be judged too
${listedNames(DISPENSABLE_INVENTORY_READS)}.
dlo dlq permissions ls prints them as a policy.

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
