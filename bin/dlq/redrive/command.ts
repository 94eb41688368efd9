import { Command } from 'commander';
import { FEEDER_READS, QUEUE_NAMED_READS } from '../../../account/permissions';
import { addConnectionOptions, EXIT_CODES } from '../../command-line';
import { type CommandPermissions, permissionsText } from '../../permissions';
import type { DlqContext, DlqOptions } from '../command';
import { DEFAULT_CANARY, DEFAULT_RATE, type RedriveOptions } from './options';
import type { CancelOptions } from './run-tasks';

export const REDRIVE_PERMISSIONS: CommandPermissions = {
  command: 'dlq redrive',
  reads: [...QUEUE_NAMED_READS, 'sqs:ListMessageMoveTasks', ...FEEDER_READS],
  executes: [
    'sqs:StartMessageMoveTask',
    'sqs:CancelMessageMoveTask',
    'sqs:ReceiveMessage',
    'sqs:DeleteMessage',
    'sqs:ChangeMessageVisibility',
    'sqs:SendMessage',
    'lambda:InvokeFunction',
    'cloudwatch:GetMetricData',
  ],
  keys: { executes: ['kms:Decrypt', 'kms:GenerateDataKey'] },
};

export const WATCH_PERMISSIONS: CommandPermissions = {
  command: 'dlq watch',
  reads: [...QUEUE_NAMED_READS, 'sqs:ListMessageMoveTasks'],
};

export const CANCEL_PERMISSIONS: CommandPermissions = {
  command: 'dlq cancel',
  reads: [...QUEUE_NAMED_READS, 'sqs:ListMessageMoveTasks'],
  executes: ['sqs:CancelMessageMoveTask'],
};

const REDRIVE_HELP = `
QUEUE is its name, ARN or URL. Without --execute it plans, and touches no letter: where they go, who carries them, how
fast, and what could go wrong. Letters go where they were to go at first, where that is one place; --to names another.

SQS moves them by a task of its own where it can: from the dead-letter queue of a queue, to a queue. Where it cannot, or
some are chosen by --filter, each is received, sent on and then deleted; for a function, it is invoked with the event.
First goes a canary. The others follow when none of it came back, and it is proven that somebody has taken it: the
destination stands empty, or as many were deleted from it as waited there before and the canary had. Where nobody takes
it, nothing more moves, and the command ends with 1 if more is left; --canary 0 goes past that. The canary is watched
for as long as the destination takes to fail for good, by its timeouts and retries, or an hour; what may come back later
is said. Where it is not known where failures end, nobody can tell, and the others follow.

Where the queue has a redrive policy of its own, and letters would have to be received here, it is refused where ten
receives or fewer move one on, unless it is done by --force.

--execute PLAN does what was planned, and refuses where anything has changed since: the depth, the queues, who reads them.
--execute alone shows the plan and asks, on a terminal; elsewhere it plans, looks again, and does it if nothing changed
in between. Ctrl-C ends it in good order: a task is cancelled, letters in hand are given back. Run it again for the rest.

EXPR is JMESPath, as in aws --query, over: data (the payload, as JSON where it is), body, attributes, who, messageId,
receiveCount, sentAt, sentAtMs, groupId, movedFromArn. What does not match stays.

  dlo dlq redrive orders-dlq
  dlo dlq redrive orders-dlq --execute 12-k3f9xac0m7pq
  dlo dlq redrive orders-dlq --rate 5 --filter "data.orderId == 'R-0042'" --execute
  dlo dlq redrive webhook-dlq --to arn:aws:sqs:eu-central-1:123456789012:webhook-relay

${permissionsText(REDRIVE_PERMISSIONS)}

${EXIT_CODES}`;

const WATCH_HELP = `
Follows the task of SQS that moves letters of QUEUE until it is over, and prints the last ten; where none runs, only
those. SQS tells how many have moved some seconds late. Ctrl-C ends the watch, and not the task.

  dlo dlq watch orders-dlq
  dlo dlq watch orders-dlq --json | jq '.tasks[0].moved'

${permissionsText(WATCH_PERMISSIONS)}

${EXIT_CODES}`;

const CANCEL_HELP = `
Ends the task of SQS that moves letters of QUEUE. What it has moved stays moved; it moves on for some seconds. Without
--execute it says what it would end.

  dlo dlq cancel orders-dlq
  dlo dlq cancel orders-dlq --execute

${permissionsText(CANCEL_PERMISSIONS)}

${EXIT_CODES}`;

function ofQueue(name: string, description: string, help: string): Command {
  return addConnectionOptions(new Command(name))
    .description(description)
    .argument('QUEUE', 'its name, ARN or URL')
    .option('--json', 'print it as JSON')
    .addHelpText('after', help);
}

/** `dlo dlq redrive`. */
export function redriveCommand(world: DlqContext): Command {
  return ofQueue('redrive', 'plan how letters go home, and send them: a canary first, then the rest', REDRIVE_HELP)
    .option('--to <arn>', 'the queue or function letters go to (default: where they were to go)')
    .option('--rate <n>', `messages a second, 1 to 500 (default: ${DEFAULT_RATE})`)
    .option('--canary <n>', `how many go first, 0 for none (default: ${DEFAULT_CANARY})`)
    .option('--filter <expr>', 'JMESPath: which letters go (default: all)')
    .option('--force', 'receive letters although that brings them nearer to another dead-letter queue')
    .option('--execute [plan]', 'do it, as planned')
    .action(async (queue: string, options: RedriveOptions) =>
      (await import('./run-redrive')).redriveQueue(queue, options, world),
    );
}

/** `dlo dlq watch`. */
export function watchCommand(world: DlqContext): Command {
  return ofQueue('watch', 'follow the task that moves letters of a queue, or show the last ten', WATCH_HELP).action(
    async (queue: string, options: DlqOptions) => (await import('./run-tasks')).watchQueue(queue, options, world),
  );
}

/** `dlo dlq cancel`. */
export function cancelCommand(world: DlqContext): Command {
  return ofQueue('cancel', 'end the task that moves letters of a queue', CANCEL_HELP)
    .option('--execute', 'do it')
    .action(async (queue: string, options: CancelOptions) =>
      (await import('./run-tasks')).cancelTask(queue, options, world),
    );
}
