import { displayNameOf, parseArn } from '../../policy/arn';
import { knownValue } from '../../template/maybe-known';
import { resubscribe } from '../fixes/add-dead-letter-queue';
import { enableKey, encryptBySqs } from '../fixes/change-settings';
import type { Fix } from '../fixes/fix';
import { allowKeyUse, allowSend } from '../fixes/grant-access';
import type { KeyFacts, QueueFacts } from '../inventory/inventory';
import { isAliasOfAws, keyOf, queueOf } from '../inventory/look-ups';
import { type AnswerRule, type FailedDelivery, fixAccess } from './answer-rule';

const SNS = 'sns.amazonaws.com';

/** What SNS asks of a key to put a message into an encrypted queue. */
const KEY_ACTIONS = ['kms:GenerateDataKey', 'kms:Decrypt'];

function forTopic(topicArn: string) {
  return { service: SNS, sourceArn: topicArn, sourceAccount: parseArn(topicArn)?.account };
}

function queueIn({ destination, inventory }: FailedDelivery): QueueFacts | undefined {
  return queueOf(destination, inventory);
}

function keyIn(failed: FailedDelivery): KeyFacts | undefined {
  const queue = queueIn(failed);
  return keyOf(queue && knownValue(queue.keyId), failed.inventory, queue);
}

function letIn(failed: FailedDelivery): Fix {
  const { destination, topicArn } = failed;
  const queue = queueIn(failed);
  if (!queue)
    return { says: `Have the owner of the queue ${destination} let SNS send to it for the topic ${topicArn}.` };
  const question = { action: 'sqs:SendMessage', resource: queue.arn, ...forTopic(topicArn) };
  return fixAccess({ question, policy: queue.policy, grant: allowSend(queue, forTopic(topicArn)) });
}

function letEncrypt(failed: FailedDelivery): Fix {
  const { topicArn } = failed;
  const queue = queueIn(failed);
  const keyId = queue && knownValue(queue.keyId);
  const key = keyIn(failed);
  if (queue && (key?.isManagedByAws || (keyId !== undefined && isAliasOfAws(keyId)))) return encryptBySqs(queue);
  if (!key) return { says: `Have the owner of the queue's key let ${SNS} do ${KEY_ACTIONS.join(' and ')} with it.` };
  const grant = allowKeyUse(key, forTopic(topicArn));
  const fixes = KEY_ACTIONS.map(action => {
    const question = { action, resource: key.arn, ...forTopic(topicArn) };
    return fixAccess({ question, policy: key.policy, grant });
  });
  return fixes.find(fix => fix === grant) ?? fixes[0] ?? grant;
}

/** A rule on what the key of a queue is in. */
function keyState(code: string, state: string, fix: (failed: FailedDelivery) => Fix): AnswerRule {
  return {
    codes: [`KMS.${code}Exception`, `Kms${code}`],
    diagnose: failed => ({
      says: `The key of the queue ${displayNameOf(failed.destination)} ${state}: nothing can be put into the queue.`,
      fix: fix(failed),
    }),
  };
}

function fixGone({ destination, subscription, isSubscribedAnew, inventory }: FailedDelivery): Fix {
  if (!subscription) {
    return { says: 'Nothing is left to mend: the subscription is gone too. Send the letters where they belong.' };
  }
  if (isSubscribedAnew && queueOf(destination, inventory)) {
    return { says: 'Nothing is left to mend: it was subscribed anew since. Send the letters home.' };
  }
  return resubscribe(destination, subscription, inventory);
}

function goneText({ destination, inventory }: FailedDelivery): string {
  const name = displayNameOf(destination);
  if (queueOf(destination, inventory)) {
    return `The queue ${name} was deleted and made anew: SNS still knows the old one, and refuses to deliver.`;
  }
  return `The queue ${name} does not exist: it was deleted, and its subscription was not.`;
}

/**
 * What SQS answers SNS. A client error SNS does not try again.
 * @see https://docs.aws.amazon.com/sns/latest/dg/sns-dead-letter-queues.html
 */
export const QUEUE_ANSWERS: readonly AnswerRule[] = [
  {
    codes: ['AWS.SimpleQueueService.NonExistentQueue', 'QueueDoesNotExist'],
    diagnose: failed => {
      return { says: goneText(failed), fix: fixGone(failed) };
    },
  },
  {
    codes: ['AccessDenied', 'AccessDeniedException'],
    diagnose: failed => ({
      says: `The policy of the queue ${displayNameOf(failed.destination)} does not let SNS send for the topic ${displayNameOf(failed.topicArn)}.`,
      fix: letIn(failed),
    }),
  },
  {
    codes: ['KMS.AccessDeniedException', 'KmsAccessDenied'],
    diagnose: failed => ({
      says: `SNS may not use the key of the queue ${displayNameOf(failed.destination)}, and so cannot put anything into it.`,
      fix: letEncrypt(failed),
    }),
  },
  keyState('Disabled', 'is disabled', failed => {
    const key = keyIn(failed);
    return key ? enableKey(key) : { says: 'Enable the key again.' };
  }),
  keyState('NotFound', 'does not exist', () => ({
    says: 'Give the queue another key: what is in it already cannot be read without the one it had.',
  })),
  keyState('InvalidState', 'waits to be deleted, or is not ready', failed => {
    const key = keyIn(failed);
    if (key?.isEnabled === false && key.state !== undefined) return enableKey(key);
    return { says: 'Cancel its deletion (kms:CancelKeyDeletion), and enable it again (kms:EnableKey).' };
  }),
  {
    codes: ['InvalidParameterValue'],
    saying: /message attributes/i,
    diagnose: failed => ({
      says: `The queue ${displayNameOf(failed.destination)} gets bare messages, and these have more attributes than SQS takes: 10.`,
      fix: { says: 'Publish with at most 10 attributes, or turn raw message delivery off and read the envelope.' },
    }),
  },
  {
    codes: ['RequestThrottled', 'Throttling', 'ThrottlingException', 'KMS.ThrottlingException', 'KmsThrottled'],
    diagnose: failed => ({
      says: `The queue ${displayNameOf(failed.destination)}, or its key, was throttled for longer than SNS retries.`,
      fix: {
        says: 'Nothing is left to mend once it is over; where it is the key, have the queue reuse data keys for longer.',
      },
    }),
  },
  {
    statuses: [500, 599],
    diagnose: failed => ({
      says: `SQS failed at the queue ${displayNameOf(failed.destination)} for longer than SNS retries.`,
      fix: { says: 'Nothing is left to mend once it is over: send the letters home.' },
    }),
  },
];
