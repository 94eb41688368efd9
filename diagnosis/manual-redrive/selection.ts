import { parseArn } from '../../policy/arn';
import type { QueueMessage } from '../../policy/messages/decode-message';
import { readEnvelope, subscriptionArnOf } from '../../policy/messages/envelope';
import { knownValue } from '../../template/maybe-known';
import { feedersOf, type QueueFeeder } from '../inventory/feeders';
import { mayLack, type SubscriptionFacts } from '../inventory/inventory';
import type { ManualRedriveFacts, ManualRedriveOptions } from './manual-redrive-facts';

/**
 * The messages of a dead-letter queue that were for one destination. Several subscriptions may share the queue, and the
 * others must not receive a message again that was delivered to them.
 */
export interface Selection {
  /** The subscriptions that the envelopes of these messages name. */
  readonly subscriptionArns: readonly string[];
  /** The queue from which SQS moved these messages. @default - none */
  readonly sourceArn?: string;
}

/** All messages, some of them, or why it cannot be determined which. */
export type Selected =
  | { readonly kind: 'all' }
  | { readonly kind: 'some'; readonly selection: Selection }
  | { readonly kind: 'none'; readonly reason: string };

type Options = Pick<ManualRedriveOptions, 'to' | 'filter' | 'subscription'>;

const ALL: Selected = { kind: 'all' };

function none(reason: string): Selected {
  return { kind: 'none', reason };
}

function subscriptionsIn(feeders: readonly QueueFeeder[]): SubscriptionFacts[] {
  return feeders.flatMap(it => (it.kind === 'subscription' ? [it.resource] : []));
}

/** Where a feeder's messages were to be delivered; undefined if it is unknown. */
function endpointOf({ kind, resource }: QueueFeeder): string | undefined {
  if (kind === 'subscription') return knownValue(resource.endpoint);
  return kind === 'rule' || kind === 'schedule' ? knownValue(resource.targetArn) : resource.arn;
}

function isRaw({ isRaw: raw, protocol }: SubscriptionFacts): boolean {
  return protocol !== 'lambda' && knownValue(raw) === true;
}

function isSubscriptionArn(text: string): boolean {
  const { service, resource = '' } = parseArn(text) ?? {};
  return service === 'sns' && resource.includes(':');
}

/** The choices of an operator, as `--subscription` takes them. */
function choicesText(subscriptions: readonly SubscriptionFacts[]): string {
  return subscriptions.map(({ arn, endpoint }) => `${arn} (${knownValue(endpoint) ?? 'endpoint unknown'})`).join(', ');
}

function rawText(raw: readonly SubscriptionFacts[], queueName: string): string {
  return (
    `the messages of ${raw.map(it => it.arn).join(', ')} are raw: nothing in them shows which messages of ` +
    `${queueName} they are, and the others must not go there: --filter says which`
  );
}

/** The messages of the subscription that was named. It may no longer exist. */
function ofNamed(arn: string, { to, filter }: Options, facts: ManualRedriveFacts): Selected {
  const { deadLetters, inventory } = facts;
  const { name: queueName } = deadLetters;
  const feeders = feedersOf(deadLetters.arn, inventory);
  if (!isSubscriptionArn(arn)) {
    return none(`--subscription must be the ARN of a subscription, got ${JSON.stringify(arn)}`);
  }
  const feeding = subscriptionsIn(feeders);
  const found = feeding.find(it => it.arn === arn);
  if (found && isRaw(found)) {
    return feeders.length === 1 || filter !== undefined ? ALL : none(rawText([found], queueName));
  }
  if (!found && to === undefined) {
    const choices = feeding.length === 0 ? '' : `. Those that do: ${choicesText(feeding)}`;
    const isUnsure = mayLack(inventory, 'feeders');
    return none(
      `${isUnsure ? 'as far as could be read, ' : ''}${arn} sends no dead letters to ${queueName}: --to names the destination of its earlier ones${choices}`,
    );
  }
  return { kind: 'some', selection: { subscriptionArns: [arn] } };
}

/** The messages that were for the destination that was named. */
function ofDestination(to: string, { filter }: Options, feeders: readonly QueueFeeder[], queueName: string): Selected {
  const feeding = subscriptionsIn(feeders);
  const own = feeders.filter(it => endpointOf(it) === to);
  if (feeding.length === 0 || own.length === feeders.length) return ALL;
  if (own.length === 0) {
    if (filter !== undefined) return ALL;
    return none(
      `the messages of ${queueName} come from several places, and were not for ${to}: ` +
        `--subscription says whose messages go there, or --filter says which: ${choicesText(feeding)}`,
    );
  }
  if (own.some(({ kind }) => kind !== 'subscription' && kind !== 'queue')) return ALL;
  const raw = subscriptionsIn(own).filter(isRaw);
  if (raw.length > 0) return filter === undefined ? none(rawText(raw, queueName)) : ALL;
  const isSource = own.some(({ kind }) => kind === 'queue');
  const subscriptionArns = subscriptionsIn(own).map(({ arn }) => arn);
  return { kind: 'some', selection: { subscriptionArns, ...(isSource && { sourceArn: to }) } };
}

/**
 * Which messages of a dead-letter queue go to a destination: those of the named subscription; or, if several sources
 * share the queue, those that were for the destination. A filter selects among them.
 */
export function selectionFor(facts: ManualRedriveFacts, options: Options): Selected {
  const { deadLetters, inventory } = facts;
  const { to, subscription } = options;
  const { arn, name } = deadLetters;
  const feeders = feedersOf(arn, inventory);
  if (subscription !== undefined) return ofNamed(subscription, options, facts);
  return to === undefined || feeders.length < 2 ? ALL : ofDestination(to, options, feeders, name);
}

/**
 * Why a message does not belong to a selection; undefined if it does. The reason continues a sentence that begins with
 * the message.
 */
export function whyNotSelected(
  { body, movedFromArn }: Pick<QueueMessage, 'body' | 'movedFromArn'>,
  { subscriptionArns, sourceArn }: Selection,
): string | undefined {
  if (sourceArn !== undefined && movedFromArn === sourceArn) return undefined;
  const reading = readEnvelope(body);
  const arn = reading.kind === 'notification' ? subscriptionArnOf(reading.envelope) : undefined;
  if (arn === undefined) return 'names no subscription';
  return subscriptionArns.includes(arn) ? undefined : `is for another subscription, ${arn}`;
}
