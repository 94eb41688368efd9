import { displayNameOf, parseArn } from '../../policy/arn';
import { knownValue } from '../../template/maybe-known';
import { resubscribe } from '../fixes/add-dead-letter-queue';
import { enableKey, encryptBySqs } from '../fixes/change-settings';
import type { Fix } from '../fixes/fix';
import { allowKeyUse, allowSend, KEY_USES, keyGuard, queueGuard } from '../fixes/grant-access';
import { type Access, joinedFix, letIn, mayAccess } from '../fixes/let-in';
import { type KeyFacts, mayLack, type QueueFacts } from '../inventory/inventory';
import { isAliasOfAws, keyOf, queueOf } from '../inventory/look-ups';
import { type AnswerRule, type FailedDelivery, fixAccess } from './answer-rule';

const SNS = 'sns.amazonaws.com';

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

function sending(failed: FailedDelivery): Access | undefined {
  const { topicArn } = failed;
  const queue = queueIn(failed);
  if (!queue) return undefined;
  const question = { action: 'sqs:SendMessage', resource: queue.arn, ...forTopic(topicArn) };
  return { asked: [question], guard: queueGuard(queue), grant: allowSend(queue, forTopic(topicArn)) };
}

function allowSending(failed: FailedDelivery): Fix {
  const { destination, topicArn } = failed;
  const access = sending(failed);
  if (access) return fixAccess(access);
  return { says: `Ask the owner of the queue ${destination} to let SNS send to it for the topic ${topicArn}.` };
}

function allowEncryption(failed: FailedDelivery): Fix {
  const { topicArn } = failed;
  const queue = queueIn(failed);
  const keyId = queue && knownValue(queue.keyId);
  const key = keyIn(failed);
  if (queue && (key?.isManagedByAws || (keyId !== undefined && isAliasOfAws(keyId)))) return encryptBySqs(queue);
  if (!key) return { says: `Ask the owner of the queue's key to allow ${SNS} ${KEY_USES.join(' and ')} on it.` };
  const asked = KEY_USES.map(action => ({ action, resource: key.arn, ...forTopic(topicArn) }));
  return fixAccess({ asked, guard: keyGuard(key, key.policy), grant: allowKeyUse(key, forTopic(topicArn)) });
}

function keyState(code: string, state: string, fix: (failed: FailedDelivery) => Fix, id?: string): AnswerRule {
  return {
    ...(id !== undefined && { id }),
    codes: [`KMS.${code}Exception`, `Kms${code}`],
    diagnose: failed => ({
      says: `The key of the queue ${displayNameOf(failed.destination)} ${state}: nothing can be sent to the queue.`,
      fix: fix(failed),
    }),
  };
}

function fixGone(failed: FailedDelivery): Fix {
  const { destination, subscription, isSubscribedAnew, inventory } = failed;
  if (!subscription) {
    if (mayLack(inventory, 'subscriptions')) return { says: 'Deploy the queue again, or send the messages elsewhere.' };
    return { says: 'No fix is needed: the subscription no longer exists. Send the messages to where they belong.' };
  }
  if (isSubscribedAnew && queueOf(destination, inventory)) {
    return { says: 'No fix is needed: the queue has been subscribed again. Redrive the messages.' };
  }
  const fix = resubscribe(destination, subscription, inventory);
  const access = sending(failed);
  // The queue that was created again may lack the policy of the deleted one.
  return access && mayAccess(access) !== 'yes' ? joinedFix([letIn(access), fix]) : fix;
}

function goneText({ destination, inventory }: FailedDelivery): string {
  const name = displayNameOf(destination);
  if (queueOf(destination, inventory)) {
    return `The queue ${name} was deleted and created again: SNS refuses to deliver, because it only knows the deleted queue.`;
  }
  if (mayLack(inventory, 'queues')) return `The queue ${name} did not exist when SNS delivered to it.`;
  return `The queue ${name} does not exist: it was deleted, but its subscription was not.`;
}

/**
 * SQS's answers to SNS. SNS does not retry client errors.
 * @see https://docs.aws.amazon.com/sns/latest/dg/sns-dead-letter-queues.html
 */
export const QUEUE_ANSWERS: readonly AnswerRule[] = [
  {
    id: 'queue-gone',
    codes: ['AWS.SimpleQueueService.NonExistentQueue', 'QueueDoesNotExist'],
    diagnose: failed => {
      return { says: goneText(failed), fix: fixGone(failed) };
    },
  },
  {
    id: 'queue-denies-sns',
    codes: ['AccessDenied', 'AccessDeniedException'],
    diagnose: failed => ({
      says: `The policy of the queue ${displayNameOf(failed.destination)} does not allow SNS to send for the topic ${displayNameOf(failed.topicArn)}.`,
      fix: allowSending(failed),
    }),
  },
  {
    id: 'key-denies-sns',
    codes: ['KMS.AccessDeniedException', 'KmsAccessDenied'],
    diagnose: failed => ({
      says: `SNS has no permission to use the key of the queue ${displayNameOf(failed.destination)}, so it cannot send to the queue.`,
      fix: allowEncryption(failed),
    }),
  },
  keyState(
    'Disabled',
    'is disabled',
    failed => {
      const key = keyIn(failed);
      return key ? enableKey(key) : { says: 'Enable the key.' };
    },
    'key-disabled',
  ),
  keyState('NotFound', 'does not exist', () => ({
    says: 'Give the queue another key: messages encrypted with the deleted key can no longer be read.',
  })),
  keyState(
    'InvalidState',
    'is scheduled for deletion, or not ready',
    failed => {
      const key = keyIn(failed);
      if (key?.isEnabled === false && key.state !== undefined) return enableKey(key);
      return { says: 'Cancel its deletion (kms:CancelKeyDeletion) and enable it (kms:EnableKey).' };
    },
    'key-not-ready',
  ),
  {
    codes: ['InvalidParameterValue'],
    saying: /message attributes/i,
    diagnose: failed => ({
      says: `The queue ${displayNameOf(failed.destination)} gets raw messages, and these have more message attributes than SQS accepts: 10.`,
      fix: {
        says: 'Publish with at most 10 message attributes, or turn raw message delivery off and read the envelope.',
      },
    }),
  },
  {
    codes: ['RequestThrottled', 'Throttling', 'ThrottlingException', 'KMS.ThrottlingException', 'KmsThrottled'],
    diagnose: failed => ({
      says: `The queue ${displayNameOf(failed.destination)}, or its key, was throttled for longer than SNS retries.`,
      fix: {
        says: 'No fix is needed once this is over. If it was the key, let the queue reuse data keys for longer.',
      },
    }),
  },
  {
    statuses: [500, 599],
    diagnose: failed => ({
      says: `SQS failed for the queue ${displayNameOf(failed.destination)} for longer than SNS retries.`,
      fix: { says: 'No fix is needed once this is over: redrive the messages.' },
    }),
  },
];
