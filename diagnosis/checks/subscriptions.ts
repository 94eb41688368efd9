import { parseArn } from '../../policy/arn';
import { isUnsupportedBetweenRegions } from '../../policy/aws-limits';
import { ownMember } from '../../policy/json-members';
import { isKnown, knownValue } from '../../template/maybe-known';
import { hasStandIn } from '../../template/stand-in';
import { keepUndelivered } from '../fixes/add-dead-letter-queue';
import type { Inventory, SubscriptionFacts } from '../inventory/inventory';
import { queueOf, topicOf } from '../inventory/look-ups';
import type { Check, CheckResult } from './finding';
import { dropsOldEvents, limitsTargetEvents, takesNoDeadLetterQueue } from './no-dead-letter-queue';

/** Mailboxes: a mail that does not arrive is reported nowhere, so a dead-letter queue would not receive it. */
const MAIL: ReadonlySet<string> = new Set(['email', 'email-json']);

/**
 * Amazon Q Developer in chat applications (formerly AWS Chatbot) subscribes itself to a channel's topics and manages
 * these subscriptions.
 */
const CHATBOT = /^https:\/\/[^/]+\.sns-api\.chatbot\.amazonaws\.com(\/|$)/i;

function keepsNothing(inventory: Inventory, isAbout: (protocol: string) => boolean): SubscriptionFacts[] {
  return inventory.subscriptions.filter(
    ({ protocol, endpoint, deadLetterTargetArn: target, isPending }) =>
      isAbout(protocol) &&
      isKnown(target) &&
      target === undefined &&
      isPending !== true &&
      !CHATBOT.test(knownValue(endpoint) ?? ''),
  );
}

function withoutDeadLetterQueue(what: string, isAbout: (protocol: string) => boolean) {
  return (inventory: Inventory): CheckResult[] =>
    keepsNothing(inventory, isAbout).map(resource => ({
      severity: 'at-risk',
      resource,
      location: 'Properties/RedrivePolicy',
      says: `The ${what} ${resource.name} has no dead-letter queue: a message is lost when SNS stops retrying it.`,
      fix: keepUndelivered(resource, inventory),
    }));
}

const NO_PROPERTY = ': aws-cdk-lib has no property for it here, so set it with addPropertyOverride on the CfnRule';

/** Targets without a dead-letter queue, except those that drop old events on purpose. */
function targetsWithout(inventory: Inventory): CheckResult[] {
  return inventory.targets.flatMap((resource): CheckResult[] => {
    const { kind, targetArn, deadLetterTargetArn: target, isEnabled } = resource;
    if (!isKnown(target) || target !== undefined || isEnabled === false) return [];
    if (!isKnown(targetArn) || dropsOldEvents(targetArn, inventory, resource)) return [];
    if (limitsTargetEvents(resource)) return [];
    const hatch = takesNoDeadLetterQueue(resource, inventory) ? NO_PROPERTY : '';
    return [
      {
        severity: 'at-risk',
        resource,
        location: kind === 'rule' ? 'Properties/Targets' : 'Properties/Target/DeadLetterConfig',
        says: `The ${kind} ${resource.name} has no dead-letter queue: an event is lost when EventBridge stops retrying it.`,
        fix: { says: `Give the target of the ${kind} a dead-letter queue${hatch}.` },
      },
    ];
  });
}

/** The service that the ARN of an endpoint must name. */
const SERVICES: Readonly<Record<string, string>> = { sqs: 'sqs', lambda: 'lambda', firehose: 'firehose' };

/** Why SNS refuses an endpoint for its protocol; undefined if it accepts it, or if that is unknown. */
function mismatch({ protocol, endpoint }: SubscriptionFacts): string | undefined {
  const text = knownValue(endpoint);
  if (text === undefined) return undefined;
  if (protocol === 'http' || protocol === 'https') {
    const [, scheme] = /^(https?):\/\//.exec(text.toLowerCase()) ?? [];
    return scheme === undefined || scheme === protocol ? undefined : `its endpoint begins with ${scheme}://`;
  }
  const service = ownMember(SERVICES, protocol);
  const got = parseArn(text)?.service;
  if (service === undefined || got === undefined || got === service || hasStandIn(got)) return undefined;
  return `its endpoint belongs to ${got}`;
}

function ofAnotherProtocol({ subscriptions }: Inventory): CheckResult[] {
  return subscriptions.flatMap((resource): CheckResult[] => {
    const why = mismatch(resource);
    if (why === undefined) return [];
    return [
      {
        severity: 'rejected',
        resource,
        location: 'Properties/Protocol',
        says: `The subscription ${resource.name} has the protocol ${resource.protocol}, but ${why}: SNS rejects it.`,
        fix: {
          says: 'Remove the protocol, so that it follows from the endpoint, or set the protocol of the endpoint.',
        },
      },
    ];
  });
}

/** @see https://docs.aws.amazon.com/sns/latest/dg/fifo-topic-message-delivery.html */
function fifoToOthers(inventory: Inventory): CheckResult[] {
  return inventory.subscriptions.flatMap((resource): CheckResult[] => {
    const arn = knownValue(resource.topicArn);
    const isFifo = topicOf(arn, inventory, resource)?.isFifo ?? arn?.endsWith('.fifo');
    if (isFifo !== true || resource.protocol === 'sqs' || resource.protocol === 'unknown') return [];
    return [
      {
        severity: 'rejected',
        resource,
        location: 'Properties/Protocol',
        says: `${resource.name} subscribes ${resource.protocol} to a FIFO topic, which only delivers to queues: SNS rejects it.`,
        fix: { says: 'Subscribe a queue that the endpoint’s code reads, or use a standard topic.' },
      },
    ];
  });
}

function fifoQueueOfStandardTopic(inventory: Inventory): CheckResult[] {
  return inventory.subscriptions.flatMap((resource): CheckResult[] => {
    const topic = topicOf(knownValue(resource.topicArn), inventory, resource);
    const queue = queueOf(knownValue(resource.endpoint), inventory, resource);
    if (resource.protocol !== 'sqs' || topic?.isFifo !== false || queue?.isFifo !== true) return [];
    return [
      {
        severity: 'rejected',
        resource,
        location: 'Properties/Endpoint',
        says: `The FIFO queue ${queue.name} is subscribed to the standard topic ${topic.name}: SNS rejects it.`,
        fix: { says: 'Use a FIFO topic, or a standard queue.' },
      },
    ];
  });
}

/** @see https://docs.aws.amazon.com/sns/latest/dg/sns-cross-region-delivery.html */
function outOfReach({ subscriptions }: Inventory): CheckResult[] {
  return subscriptions.flatMap((resource): CheckResult[] => {
    const [from, to] = [parseArn(knownValue(resource.topicArn) ?? ''), parseArn(knownValue(resource.endpoint) ?? '')];
    if (!from || !to || !isUnsupportedBetweenRegions(from.region, to.region, resource.protocol)) return [];
    return [
      {
        severity: 'loses',
        resource,
        location: 'Properties/Endpoint',
        says: `${resource.name} delivers from ${from.region} to the opt-in Region ${to.region}, which SNS does not support for ${resource.protocol}: nothing arrives.`,
        fix: {
          says: 'Deliver to a queue in the topic’s Region, or in one that is enabled by default, and forward from there.',
        },
      },
    ];
  });
}

function unconfirmed({ subscriptions }: Inventory): CheckResult[] {
  return subscriptions
    .filter(({ isPending }) => isPending === true)
    .map(resource => ({
      severity: 'loses',
      resource,
      says: `The subscription ${resource.name} awaits confirmation: until then SNS neither delivers nor keeps its messages.`,
      fix: {
        says: 'Ask the owner of the endpoint to confirm it, or subscribe again, because confirmation requests expire.',
      },
    }));
}

/** A URL as aws-cdk-lib writes it when it is a construct's id, where slashes separate constructs. */
const URL_ID = /(?:^|\/)https?:--/i;

function urlAsId({ subscriptions }: Inventory): CheckResult[] {
  return subscriptions
    .filter(({ place }) => place?.constructPath !== undefined && URL_ID.test(place.constructPath))
    .map(resource => ({
      severity: 'on-change',
      resource,
      says: 'The URL is the id of this subscription’s construct: another URL replaces the subscription, the new one must be confirmed while the old one is deleted, and a secret in the URL appears in logical ids.',
      fix: {
        says: 'Create the subscription with an id of its own: new Subscription(scope, ‘Partner’, { endpoint, … }).',
      },
    }));
}

export const SUBSCRIPTION_CHECKS: readonly Check[] = [
  { id: 'endpoint-of-another-protocol', severities: ['rejected'], find: ofAnotherProtocol },
  { id: 'fifo-topic-to-other-than-queues', severities: ['rejected'], find: fifoToOthers },
  { id: 'fifo-queue-of-standard-topic', severities: ['rejected'], find: fifoQueueOfStandardTopic },
  { id: 'region-out-of-reach', severities: ['loses'], find: outOfReach },
  { id: 'confirmation-needed', severities: ['loses'], find: unconfirmed },
  { id: 'url-as-construct-id', severities: ['on-change'], find: urlAsId },
  {
    id: 'no-dead-letter-queue',
    severities: ['at-risk'],
    find: inventory => [
      ...withoutDeadLetterQueue('subscription', protocol => protocol !== 'sms' && !MAIL.has(protocol))(inventory),
      ...targetsWithout(inventory),
    ],
  },
  {
    id: 'sms-without-dead-letter-queue',
    severities: ['at-risk'],
    find: withoutDeadLetterQueue('phone’s subscription', it => it === 'sms'),
  },
];
