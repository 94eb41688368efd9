import { Command } from 'commander';
import { FEEDER_READS, QUEUE_NAMED_READS } from '../../../account/permissions';
import type { CommandContext, CommandOptions } from '../../shared/command-line';
import { addConnectionOptions, EXIT_CODES } from '../../shared/command-line';
import { type CommandPermissions, permissionsText } from '../../shared/command-permissions';
import { DEFAULT_CANARY, DEFAULT_RATE, type ManualRedriveOptions } from './options';
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
QUEUE is a name, ARN or URL. Without --execute, it only prints a plan: the destination, how the messages are moved, how
fast, and the risks. The destination is where the messages were sent first, if that is one place. --to names another.

SQS moves the messages with a move task if it can: from the dead-letter queue of a queue to a queue. Otherwise, and with
--filter, each message is received, sent and then deleted. For a function, it is invoked with the event.
A canary goes first. The others follow if no message of the canary returns, and it is proven to be consumed: the
destination is empty, or as many messages were deleted from it as it had before plus the canary. If the canary is not
consumed, nothing more moves, and the command exits with 1. --canary 0 skips the canary. The canary is watched
for as long as the destination takes to fail for good, by its timeouts and retries, or an hour. Messages that may
return later are reported. If it is unknown where failures end, the others follow without that proof.

If the queue itself has a redrive policy, and messages have to be received here, it refuses if SQS moves them on after ten
receives or fewer, unless --force is given.

--execute PLAN carries out that plan, and refuses if anything has changed since: the number of messages, the queues, or
what reads them. --execute alone shows the plan and asks, on a terminal. Elsewhere it plans twice, and carries the plan out
if nothing changed in between. Ctrl-C stops it: a task is cancelled, received messages are given back. Run it again for
the rest.

EXPR is JMESPath, as in aws --query, over: data (the payload, parsed if it is JSON), body, attributes, who, messageId,
receiveCount, sentAt, sentAtMs, groupId, movedFromArn. Messages that do not match stay.

  dlo dlq redrive orders-dlq
  dlo dlq redrive orders-dlq --execute 12-k3f9xac0m7pq
  dlo dlq redrive orders-dlq --rate 5 --filter "data.orderId == 'R-0042'" --execute
  dlo dlq redrive webhook-dlq --to arn:aws:sqs:eu-central-1:123456789012:webhook-relay

${permissionsText(REDRIVE_PERMISSIONS)}

${EXIT_CODES}`;

const WATCH_HELP = `
Follows the move task of QUEUE until it ends, and prints the last ten tasks. Without a running task, it only prints them.
The count of SQS lags by some seconds. Ctrl-C ends the command, not the task.

  dlo dlq watch orders-dlq
  dlo dlq watch orders-dlq --json | jq '.tasks[0].moved'

${permissionsText(WATCH_PERMISSIONS)}

${EXIT_CODES}`;

const CANCEL_HELP = `
Cancels the move task of QUEUE. Moved messages stay moved. The task continues for some seconds. Without --execute, it only
prints what it would do.

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
export function redriveCommand(world: CommandContext): Command {
  return ofQueue('redrive', 'plan a redrive and carry it out: a canary first, then the rest', REDRIVE_HELP)
    .option('--to <arn>', 'the destination queue or function (default: where the messages were sent first)')
    .option('--rate <n>', `messages a second, 1 to 500 (default: ${DEFAULT_RATE})`)
    .option('--canary <n>', `how many messages go first, 0 for none (default: ${DEFAULT_CANARY})`)
    .option('--filter <expr>', 'JMESPath: which messages move (default: all)')
    .option('--force', 'receive although that brings messages nearer to another dead-letter queue')
    .option('--execute [plan]', 'carry out the plan')
    .action(async (queue: string, options: ManualRedriveOptions) =>
      (await import('./run-redrive')).redriveQueue(queue, options, world),
    );
}

/** `dlo dlq watch`. */
export function watchCommand(world: CommandContext): Command {
  return ofQueue('watch', 'follow the move task of a queue, or show the last ten', WATCH_HELP).action(
    async (queue: string, options: CommandOptions) => (await import('./run-tasks')).watchQueue(queue, options, world),
  );
}

/** `dlo dlq cancel`. */
export function cancelCommand(world: CommandContext): Command {
  return ofQueue('cancel', 'cancel the move task of a queue', CANCEL_HELP)
    .option('--execute', 'do it')
    .action(async (queue: string, options: CancelOptions) =>
      (await import('./run-tasks')).cancelTask(queue, options, world),
    );
}
