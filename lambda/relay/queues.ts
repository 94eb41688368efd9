import type { SQSClient } from '@aws-sdk/client-sqs';
import type { RelaySettings } from '../../policy/relay/relay-settings';
import { changeVisibility, sendDeadLetter } from '../shared/queue-calls';
import type { RelayQueues } from './ports';

/**
 * The queues of a relay.
 *
 * In a FIFO queue a dead letter has a deduplication id of its own. With the publisher's id, SQS would drop a message that is
 * dead-lettered twice within five minutes, for example after it was moved back.
 */
export function relayQueues(
  client: SQSClient,
  settings: Pick<RelaySettings, 'queueUrl' | 'deadLetterQueueUrl' | 'fifo'>,
): RelayQueues {
  const { queueUrl, deadLetterQueueUrl, fifo } = settings;
  return {
    changeVisibility: changes => changeVisibility(client, queueUrl, changes),
    deadLetterMessage: ({ messageId, sentAtMs, body, groupId }, attributes) => {
      const message = {
        QueueUrl: deadLetterQueueUrl,
        MessageBody: body,
        ...(groupId !== undefined && { MessageGroupId: groupId }),
        ...(fifo && { MessageDeduplicationId: `${messageId}.${sentAtMs}` }),
      };
      return sendDeadLetter(client, message, attributes);
    },
  };
}
