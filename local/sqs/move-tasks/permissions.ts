import type { Caller, Latency } from '../../kernel/caller';
import type { SqsInternals } from '../desk';
import { checkMayDecrypt, checkMayEncrypt } from '../encryption';
import type { Queue } from '../queue';

/**
 * What it takes, besides the permission of the action itself, to start or cancel a task that takes messages from `source`.
 *
 * @throws AwsError for want of a permission, on the queue or on its key
 * @see https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/sqs-configure-dead-letter-queue-redrive.html
 */
export function checkMayRedrive({ context, checks }: SqsInternals, source: Queue, caller: Caller): void {
  for (const action of ['ReceiveMessage', 'DeleteMessage', 'GetQueueAttributes']) {
    checks.checkAccess(caller, `sqs:${action}`, source);
  }
  checkMayDecrypt(context, source, caller);
}

/**
 * What a task does in its starter's name with each message, one call after the other; it meets the faults a scenario has
 * set on these actions.
 *
 * @param latency is told how long the answers take in all, of a refusal too
 * @throws AwsError by a fault, or for want of a permission
 */
export function admitMove(
  { context, checks }: SqsInternals,
  source: Queue,
  destination: Queue,
  starter: Caller,
  latency: Latency,
): void {
  const admit = (action: string, queue: Queue): void => {
    const own: Latency = { ms: 0 };
    try {
      checks.checkAll(action, `sqs:${action}`, { ...starter, latency: own }, queue);
    } finally {
      latency.ms += own.ms;
    }
  };
  admit('ReceiveMessage', source);
  checks.recordingRefusals('ReceiveMessage', source.arn, () => checkMayDecrypt(context, source, starter));
  admit('SendMessage', destination);
  checks.recordingRefusals('SendMessage', destination.arn, () => checkMayEncrypt(context, destination, starter));
  admit('DeleteMessage', source);
}
