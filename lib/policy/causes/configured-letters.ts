import { mayDo } from '../access/may-do';
import { nameInArn, parseArn } from '../arn';
import type { Inventory, SubscriptionFacts } from '../inventory/inventory';
import { functionOf, keyOf, queueOf } from '../inventory/look-ups';
import { isTold, toldOf } from '../inventory/told';
import { subscriptionArnOf } from '../letters/envelope';
import { diagnoseDelivery } from './answers';
import { type Death, deathOfLetter } from './death';
import type { Evidence, SeenLetter } from './evidence';
import { type FailedDelivery, protocolOf } from './failed-delivery';

/** How SNS would be answered now, as things are configured; undefined where that cannot be said. */
type Foresight = (
  endpoint: string,
  topicArn: string,
  inventory: Inventory,
) => Pick<FailedDelivery, 'errorCode'> | undefined;

function isHere(arn: string, { region, account, isWhole }: Inventory): boolean {
  const parsed = parseArn(arn);
  return isWhole && parsed?.region === toldOf(region) && parsed?.account === toldOf(account);
}

function asks(topicArn: string, action: string, resource: string) {
  const sourceAccount = parseArn(topicArn)?.account;
  return { service: 'sns.amazonaws.com', action, resource, sourceArn: topicArn, sourceAccount };
}

function ofQueue(endpoint: string, topicArn: string, inventory: Inventory): ReturnType<Foresight> {
  const queue = queueOf(endpoint, inventory);
  if (!queue) {
    return isHere(endpoint, inventory) ? { errorCode: 'AWS.SimpleQueueService.NonExistentQueue' } : undefined;
  }
  if (mayDo(asks(topicArn, 'sqs:SendMessage', queue.arn), queue.policy) === 'no') return { errorCode: 'AccessDenied' };
  const key = keyOf(toldOf(queue.keyId), inventory);
  if (!key) return undefined;
  if (key.isEnabled === false) return { errorCode: 'KMS.DisabledException' };
  const isShut = mayDo(asks(topicArn, 'kms:GenerateDataKey', key.arn), key.policy) === 'no';
  return isShut ? { errorCode: 'KMS.AccessDeniedException' } : undefined;
}

function ofFunction(endpoint: string, topicArn: string, inventory: Inventory): ReturnType<Foresight> {
  const facts = functionOf(endpoint, inventory);
  if (!facts) return isHere(endpoint, inventory) ? { errorCode: 'ResourceNotFoundException' } : undefined;
  const isShut = mayDo(asks(topicArn, 'lambda:InvokeFunction', endpoint), facts.policy) === 'no';
  return isShut ? { errorCode: 'AccessDeniedException' } : undefined;
}

const FORESIGHTS: Readonly<Record<string, Foresight>> = { sqs: ofQueue, lambda: ofFunction };

/** The subscription a letter was for: the envelope names it; of a bare message it is known where there is but one. */
export function subscriptionOf({ decoded: { who } }: SeenLetter, evidence: Evidence): SubscriptionFacts | undefined {
  const { queueArn, inventory } = evidence;
  const feeding = inventory.subscriptions.filter(it => toldOf(it.deadLetterTargetArn) === queueArn);
  if (who.kind === 'notification') {
    const arn = subscriptionArnOf(who.envelope);
    const ofTopic = feeding.filter(it => toldOf(it.topicArn) === who.envelope.TopicArn);
    return feeding.find(it => it.arn === arn) ?? (arn === undefined && ofTopic.length === 1 ? ofTopic[0] : undefined);
  }
  const bare = feeding.filter(({ isRaw }) => toldOf(isRaw) === true);
  return bare.length === 1 ? bare[0] : undefined;
}

/** What must have been answered where nobody logged it: SNS would be refused the same way now. */
export function configuredDeath(seen: SeenLetter, evidence: Evidence): Death | undefined {
  const subscription = subscriptionOf(seen, evidence);
  if (!subscription || !isTold(subscription.endpoint) || !isTold(subscription.topicArn)) return undefined;
  const { endpoint, topicArn, protocol } = subscription;
  const { inventory } = evidence;
  const foreseen = FORESIGHTS[protocol]?.(endpoint, topicArn, inventory);
  if (!foreseen) return undefined;
  const known = protocolOf(endpoint, subscription);
  const failed = {
    ...foreseen,
    topicArn,
    destination: endpoint,
    subscription,
    inventory,
    ...(known && { protocol: known }),
  };
  return deathOfLetter(seen, {
    key: { failed: 'subscription', by: topicArn, code: foreseen.errorCode ?? '', destination: endpoint },
    isInferred: true,
    diagnose: () => ({
      ...diagnoseDelivery(failed),
      details: [`Nobody logged it: so ${nameInArn(endpoint)} would answer SNS now, as it is configured.`],
    }),
    example: {},
  });
}
