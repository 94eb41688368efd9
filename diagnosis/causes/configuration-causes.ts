import { displayNameOf, parseArn } from '../../policy/arn';
import { ownMember } from '../../policy/json-members';
import { mayDo } from '../../template/access/may-do';
import { isKnown, knownValue } from '../../template/maybe-known';
import { streamRefusal } from '../fixes/stream-refusals';
import { feedersOf } from '../inventory/feeders';
import { type Inventory, type InventoryPart, mayLack, type SubscriptionFacts } from '../inventory/inventory';
import { functionOf, keyOf, queueOf, streamOf } from '../inventory/look-ups';
import { answerCode, type FailedDelivery, protocolOf } from './answer-rule';
import { type FailureRecord, failureOfMessage } from './cause';
import { diagnoseDelivery } from './endpoint-answers';
import type { Evidence, SampledMessage } from './evidence';
import { mayWrite } from './stream-answers';
import { isLogging, subscriptionOf } from './suspects';

/** An answer, in the form of a log record. */
type PredictedAnswer = Required<Pick<FailedDelivery, 'statusCode' | 'errorCode'>>;

/** Predicts from the configuration how an endpoint would answer SNS now; undefined if the configuration does not show it. */
type Prediction = (endpoint: string, topicArn: string, inventory: Inventory) => PredictedAnswer | undefined;

/** Whether the inventory would contain the resource of an ARN if it existed. */
function wouldList(arn: string, part: InventoryPart, inventory: Inventory): boolean {
  const { region, account, isComplete } = inventory;
  const parsed = parseArn(arn);
  if (!isComplete || mayLack(inventory, part)) return false;
  return parsed?.region === knownValue(region) && parsed?.account === knownValue(account);
}

function asks(topicArn: string, action: string, resource: string) {
  const sourceAccount = parseArn(topicArn)?.account;
  return { service: 'sns.amazonaws.com', action, resource, sourceArn: topicArn, sourceAccount };
}

function ofQueue(endpoint: string, topicArn: string, inventory: Inventory): PredictedAnswer | undefined {
  const queue = queueOf(endpoint, inventory);
  if (!queue) {
    return wouldList(endpoint, 'queues', inventory)
      ? { statusCode: 400, errorCode: 'AWS.SimpleQueueService.NonExistentQueue' }
      : undefined;
  }
  if (mayDo(asks(topicArn, 'sqs:SendMessage', queue.arn), queue.policy) === 'no')
    return { statusCode: 403, errorCode: 'AccessDenied' };
  const key = keyOf(knownValue(queue.keyId), inventory, queue);
  if (!key) return undefined;
  if (key.isEnabled === false) return { statusCode: 400, errorCode: 'KMS.DisabledException' };
  const isShut = mayDo(asks(topicArn, 'kms:GenerateDataKey', key.arn), key.policy) === 'no';
  return isShut ? { statusCode: 400, errorCode: 'KMS.AccessDeniedException' } : undefined;
}

function ofFunction(endpoint: string, topicArn: string, inventory: Inventory): PredictedAnswer | undefined {
  const facts = functionOf(endpoint, inventory);
  if (!facts)
    return wouldList(endpoint, 'functions', inventory)
      ? { statusCode: 404, errorCode: 'ResourceNotFoundException' }
      : undefined;
  const isShut = mayDo(asks(topicArn, 'lambda:InvokeFunction', endpoint), facts.policy) === 'no';
  return isShut ? { statusCode: 403, errorCode: 'AccessDeniedException' } : undefined;
}

function ofStream(endpoint: string, topicArn: string, inventory: Inventory): PredictedAnswer | undefined {
  const subscription = inventory.subscriptions.find(
    it => knownValue(it.topicArn) === topicArn && knownValue(it.endpoint) === endpoint,
  );
  const stream = streamOf(endpoint, inventory);
  if (!stream && wouldList(endpoint, 'streams', inventory))
    return { statusCode: 400, errorCode: 'ResourceNotFoundException' };
  const refusal = stream && streamRefusal(stream, inventory);
  if (refusal) return { statusCode: 400, errorCode: refusal.code };
  const isShut = mayWrite(subscription, endpoint, inventory) === 'no';
  return isShut ? { statusCode: 400, errorCode: 'AccessDeniedException' } : undefined;
}

const PREDICTIONS: Readonly<Record<string, Prediction>> = { sqs: ofQueue, lambda: ofFunction, firehose: ofStream };

/**
 * Whether a raw message can only belong to this subscription, according to the configuration: nothing else sends to the
 * queue, and no log would show the delivery.
 */
function isOnlyPossibleSender(subscription: SubscriptionFacts, { queueArn, inventory, topicLogs }: Evidence): boolean {
  const [topicArn, endpoint] = [knownValue(subscription.topicArn), knownValue(subscription.endpoint)];
  const protocol = endpoint === undefined ? undefined : protocolOf(endpoint, subscription);
  if (topicArn === undefined || protocol === undefined || feedersOf(queueArn, inventory).length > 1) return false;
  if (mayLack(inventory, 'feeders')) return false;
  const isUnread = topicLogs.some(it => it.topicArn === topicArn && it.unread !== undefined);
  return isUnread || isLogging(topicArn, protocol, inventory) === false;
}

/**
 * Returns the failure that the configuration predicts: SNS logged no delivery of this message, and the queue or function
 * would refuse SNS now. Undefined if it would not.
 */
export function configuredFailure(seen: SampledMessage, evidence: Evidence): FailureRecord | undefined {
  const subscription = subscriptionOf(seen, evidence);
  if (!subscription || !isKnown(subscription.endpoint) || !isKnown(subscription.topicArn)) return undefined;
  const { endpoint, topicArn, protocol } = subscription;
  const { inventory } = evidence;
  if (seen.decoded.who.kind !== 'notification' && !isOnlyPossibleSender(subscription, evidence)) return undefined;
  const foreseen = ownMember(PREDICTIONS, protocol)?.(endpoint, topicArn, inventory);
  if (!foreseen) return undefined;
  const known = protocolOf(endpoint, subscription);
  const isUnread = evidence.topicLogs.some(it => it.topicArn === topicArn && it.unread !== undefined);
  const failed = {
    ...foreseen,
    topicArn,
    destination: endpoint,
    subscription,
    inventory,
    ...(known && { protocol: known }),
  };
  return failureOfMessage(seen, {
    key: { failed: 'subscription', by: topicArn, code: answerCode(failed), destination: endpoint },
    isInferred: true,
    diagnose: () => ({
      ...diagnoseDelivery(failed),
      details: [
        `${isUnread ? 'The log was not read' : 'No log shows it'}: according to the configuration, ${displayNameOf(endpoint)} would answer SNS like this now.`,
      ],
    }),
    example: {},
  });
}
