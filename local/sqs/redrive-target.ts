import { invalidValue } from './errors';
import type { QueueDirectory } from './queue';
import { allowsSource, checkTargetArn, readRedrivePolicy } from './redrive';

/**
 * May the queue `sourceArn` have this redrive policy? Our choice: the dead-letter queue's redrive-allow policy is asked
 * when the redrive policy is set, not again when a message is moved.
 *
 * @throws AwsError in AWS's words where they are known
 */
export function checkDeadLetterTarget(queues: QueueDirectory, sourceArn: string, text: string | undefined): void {
  const policy = readRedrivePolicy(text);
  if (!policy || text === undefined) return;
  checkTargetArn(policy, text, sourceArn);
  const target = queues.findByArn(policy.deadLetterTargetArn);
  if (!target) throw invalidValue(text, 'RedrivePolicy', 'Dead letter target does not exist.');
  if (!allowsSource(target.settings.redriveAllowPolicy, sourceArn)) {
    const reason = `The redrive allow policy of ${target.arn} does not let ${sourceArn} use it as its dead-letter queue.`;
    throw invalidValue(text, 'RedrivePolicy', reason);
  }
}
