import {
  type DeliveryPolicy,
  type DeliveryPolicySettings,
  effectivePolicy,
  type TopicPolicySettings,
} from '../../../policy/delivery-policy/delivery-policy';
import type { FilterPolicy } from '../../../policy/filter/filter-policy';
import type { FilterPolicyScope } from '../../../policy/filter/filter-tree';
import type { Protocol } from '../../../policy/outcome/protocol';
import { DAY_MS } from '../../../policy/time-units';
import type { PolicyDocument } from '../../kernel/access';
import { AwsError } from '../../kernel/aws-error';
import type { Random } from '../../kernel/random';
import type { Resource } from '../../kernel/service-api';
import { ResourceTags, TAG_RULES, type TagBreach, type TagRules } from '../../kernel/tags';
import { invalidParameter } from '../errors';
import { FifoMemory, type GroupSequencer } from './fifo';
import { defaultTopicPolicy } from './topic-policy';

export type SignatureVersion = '1' | '2';

interface TopicIdentity {
  readonly arn: string;
  readonly name: string;
  readonly account: string;
  /** @default false */
  readonly isFifo?: boolean;
}

export class Topic implements Resource {
  readonly arn: string;
  readonly name: string;
  readonly account: string;
  /** The deduplication and group state of a FIFO topic. Undefined for a standard topic. */
  readonly fifo: FifoMemory | undefined;
  readonly tags = new ResourceTags(TOPIC_TAGS);
  /** In the order in which they were created. The list is replaced and never changed, so a caller can keep it. */
  subscriptions: readonly Subscription[] = [];
  subscriptionsDeleted = 0;
  /** Whether it once delivered to a subscription that has been deleted. */
  hadReceiver = false;
  displayName = '';
  policy: PolicyDocument;
  /** @default - SNS's default: three retries, 20 s apart */
  deliveryPolicy: TopicPolicySettings | undefined;
  /** @default - messages are not encrypted */
  kmsMasterKeyId: string | undefined;
  /** @default '1' */
  signatureVersion: SignatureVersion | undefined;
  tracingConfig: string | undefined;
  /** Delivery-status logging, by attribute name of AWS: `SQSFailureFeedbackRoleArn`, … */
  readonly feedback = new Map<string, string>();
  private receiving: readonly Subscription[] | undefined;

  constructor({ arn, name, account, isFifo = false }: TopicIdentity) {
    this.arn = arn;
    this.name = name;
    this.account = account;
    this.fifo = isFifo ? new FifoMemory() : undefined;
    this.policy = defaultTopicPolicy(arn, account);
  }

  /** The subscriptions that receive a message published now. The list is never changed. */
  get confirmed(): readonly Subscription[] {
    this.receiving ??= this.subscriptions.filter(({ pending }) => !pending);
    return this.receiving;
  }

  add(subscription: Subscription): void {
    this.subscriptions = [...this.subscriptions, subscription];
    this.confirmationsChanged();
  }

  remove(subscription: Subscription): void {
    this.subscriptions = this.subscriptions.filter(other => other !== subscription);
    this.subscriptionsDeleted += 1;
    this.hadReceiver ||= !subscription.pending;
    this.confirmationsChanged();
  }

  /** A subscription has become pending or confirmed. */
  confirmationsChanged(): void {
    this.receiving = undefined;
  }
}

/** The dead-letter queue of a subscription. */
export interface RedrivePolicy {
  readonly deadLetterTargetArn: string;
}

export interface SubscriptionIdentity {
  readonly arn: string;
  readonly topic: Topic;
  readonly protocol: Protocol;
  readonly endpoint: string;
  /** The account that subscribed. */
  readonly owner: string;
  /** Confirms the subscription. Once it is deleted, restores it. */
  readonly token: ConfirmationToken;
  /** Set for a FIFO queue of a FIFO topic. @default - messages do not wait for each other */
  readonly groupSequencer?: GroupSequencer | undefined;
}

/**
 * The member of a `MessageStructure: json` message that an endpoint receives. For a device, the name of its push
 * platform.
 */
function textKeyOf(protocol: Protocol, endpoint: string): string {
  return protocol === 'application' ? (endpoint.split('/')[1] ?? protocol) : protocol;
}

/** A subscription: one endpoint of a topic. */
export class Subscription implements SubscriptionIdentity {
  readonly arn: string;
  readonly topic: Topic;
  readonly protocol: Protocol;
  readonly endpoint: string;
  readonly owner: string;
  token: ConfirmationToken;
  readonly groupSequencer: GroupSequencer | undefined;
  readonly textKey: string;
  confirmationWasAuthenticated = true;
  /**
   * Whether unsubscribing requires authentication, so that a link alone is not enough. The caller of
   * ConfirmSubscription chose this.
   */
  authenticateOnUnsubscribe = false;
  deleted = false;
  /**
   * Whether the subscribed queue was deleted. A new queue of the same name receives nothing until it is subscribed
   * again (second-hand evidence from AWS).
   */
  queueWasDeleted = false;
  rawMessageDelivery = false;
  filterPolicyScope: FilterPolicyScope = 'MessageAttributes';
  filterPolicy: FilterPolicy | undefined;
  /** Its own policy. `effectivePolicy` is the policy that governs its deliveries. */
  deliveryPolicy: DeliveryPolicySettings | undefined;
  redrivePolicy: RedrivePolicy | undefined;
  /** The role with which SNS writes to a Firehose stream. */
  subscriptionRoleArn: string | undefined;
  /** Used when the delivery policy of an HTTP/S endpoint has a throttle policy. */
  readonly throttle = new Throttle();
  private waits = false;
  private effective: { readonly own: unknown; readonly topics: unknown; readonly policy: DeliveryPolicy } | undefined;

  constructor(identity: SubscriptionIdentity) {
    this.arn = identity.arn;
    this.topic = identity.topic;
    this.protocol = identity.protocol;
    this.endpoint = identity.endpoint;
    this.owner = identity.owner;
    this.token = identity.token;
    this.groupSequencer = identity.groupSequencer;
    this.textKey = textKeyOf(identity.protocol, identity.endpoint);
  }

  /** Whether the endpoint has not confirmed yet. Until it does, SNS sends it the confirmation request and no published message. */
  get pending(): boolean {
    return this.waits;
  }

  set pending(waits: boolean) {
    this.waits = waits;
    this.topic.confirmationsChanged();
  }

  /**
   * The policy that governs deliveries to an HTTP/S endpoint now: its own policy, the topic's policy and the defaults,
   * merged member by member.
   */
  get effectivePolicy(): DeliveryPolicy {
    const { deliveryPolicy: own, topic } = this;
    if (this.effective?.own !== own || this.effective?.topics !== topic.deliveryPolicy || !this.effective) {
      const policy = effectivePolicy({ subscription: own, topic: topic.deliveryPolicy });
      this.effective = { own, topics: topic.deliveryPolicy, policy };
    }
    return this.effective.policy;
  }
}

/**
 * Paces the deliveries of one subscription. `maxReceivesPerSecond` is an average: deliveries that the last second did
 * not use may follow at once.
 * **Assumption SNS-22:** A burst is at most one second's worth of deliveries. AWS says only that bursts happen.
 * @see https://docs.aws.amazon.com/sns/latest/dg/sns-message-delivery-retries.html
 */
class Throttle {
  /** When the next delivery would be due at a perfectly even pace. */
  private paceMs = Number.NEGATIVE_INFINITY;

  /**
   * Returns when a delivery that is ready now may start, in whole milliseconds.
   * @param maxHoldMs a delivery that would have to wait longer gets undefined, and does not delay the deliveries behind
   * it
   */
  reserve(nowMs: number, maxReceivesPerSecond: number, maxHoldMs: number): number | undefined {
    const intervalMs = 1_000 / maxReceivesPerSecond;
    const unusedMs = 1_000 - intervalMs;
    const turnAtMs = Math.max(nowMs, this.paceMs - unusedMs);
    if (turnAtMs - nowMs > maxHoldMs) return undefined;
    this.paceMs = Math.max(this.paceMs, turnAtMs) + intervalMs;
    return Math.round(turnAtMs);
  }
}

const LENGTH = 288;

/**
 * The lifetime of a token, and so of a pending subscription.
 * @see https://docs.aws.amazon.com/sns/latest/api/API_Subscribe.html
 */
const LIFETIME_MS = 2 * DAY_MS;

/** The format of a token. SNS refuses other text as invalid. */
const FORM = /^[0-9a-f]+$/;

/** The token that confirms a subscription, or restores a deleted one. */
export interface ConfirmationToken {
  readonly text: string;
  /** Expiry, in milliseconds since the Unix epoch. */
  readonly expiresAtMs: number;
}

export function newToken(random: Random, nowMs: number): ConfirmationToken {
  return { text: random.hex(LENGTH), expiresAtMs: nowMs + LIFETIME_MS };
}

/** Returns the same token, valid for two days from now. */
export function renewed({ text }: ConfirmationToken, nowMs: number): ConfirmationToken {
  return { text, expiresAtMs: nowMs + LIFETIME_MS };
}

export function isTokenText(text: string): boolean {
  return FORM.test(text);
}

/**
 * The tags of topics. The texts for duplicate keys and for too many tags are recorded. **Assumption SNS-43:** AWS does
 * not publish this text in the other cases.
 * @see https://docs.aws.amazon.com/sns/latest/dg/sns-tags.html
 */
const TOPIC_TAGS: TagRules = { refusesDuplicates: true, refuse };

function refuse(breaches: readonly TagBreach[]): AwsError {
  const broken = (rule: TagBreach['rule']) => breaches.find(breach => breach.rule === rule);
  const [first] = breaches;
  if (broken('duplicate')) return invalidParameter('Duplicated keys are not allowed.');
  if (!first || first.rule === 'most') {
    return new AwsError('TagLimitExceeded', 'Could not complete request: tag quota of per resource exceeded');
  }
  return invalidParameter(`Tags Reason: ${TAG_RULES[first.rule](first.text)}`);
}
