import {
  type DeliveryPolicy,
  type DeliveryPolicySettings,
  effectivePolicy,
  type TopicPolicySettings,
} from '../../policy/delivery-policy/delivery-policy';
import type { Protocol } from '../../policy/outcome/protocol';
import type { PolicyDocument } from '../kernel/access';
import { AwsError } from '../kernel/aws-error';
import type { Random } from '../kernel/random';
import type { Resource } from '../kernel/service-api';
import { ResourceTags, TAG_RULES, type TagBreach, type TagRules } from '../kernel/tags';
import { invalidParameter } from './errors';
import { FifoMemory, type GroupSequencer } from './fifo';
import type { FilterPolicy, FilterPolicyScope } from './filter-policy';
import { defaultTopicPolicy } from './topic-policy';

export type SignatureVersion = '1' | '2';

/** What makes a topic the one it is. */
export interface TopicIdentity {
  readonly arn: string;
  readonly name: string;
  /** The account that owns it. */
  readonly account: string;
  /** @default false */
  readonly isFifo?: boolean;
}

/** A topic, standard or FIFO. */
export class Topic implements Resource {
  readonly arn: string;
  readonly name: string;
  readonly account: string;
  /** Of a FIFO topic only. */
  readonly fifo: FifoMemory | undefined;
  readonly tags = new ResourceTags(TOPIC_TAGS);
  /** In the order in which they subscribed. Replaced, never changed: whoever holds the list keeps what it held. */
  subscriptions: readonly Subscription[] = [];
  subscriptionsDeleted = 0;
  displayName = '';
  policy: PolicyDocument;
  /** @default - SNS's default: three retries, 20 s apart */
  deliveryPolicy: TopicPolicySettings | undefined;
  /** @default - messages are not encrypted */
  kmsMasterKeyId: string | undefined;
  /** @default '1' */
  signatureVersion: SignatureVersion | undefined;
  tracingConfig: string | undefined;
  /** Delivery-status logging, by AWS's attribute names: `SQSFailureFeedbackRoleArn`, … */
  readonly feedback = new Map<string, string>();
  private receiving: readonly Subscription[] | undefined;

  constructor({ arn, name, account, isFifo = false }: TopicIdentity) {
    this.arn = arn;
    this.name = name;
    this.account = account;
    this.fifo = isFifo ? new FifoMemory() : undefined;
    this.policy = defaultTopicPolicy(arn, account);
  }

  /** Those who receive what is published now. A list is never changed, like `subscriptions`. */
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
    this.confirmationsChanged();
  }

  /** A subscription of this topic waits to be confirmed, or no longer does. */
  confirmationsChanged(): void {
    this.receiving = undefined;
  }
}

/** Where a subscription's undeliverable messages go. */
export interface RedrivePolicy {
  readonly deadLetterTargetArn: string;
}

/** What makes a subscription the one it is. */
export interface SubscriptionIdentity {
  readonly arn: string;
  readonly topic: Topic;
  readonly protocol: Protocol;
  readonly endpoint: string;
  /** The account that subscribed. */
  readonly owner: string;
  /** What whoever confirms it must show; once it is deleted, what restores it. */
  readonly token: ConfirmationToken;
  /** On the way from a FIFO topic to a FIFO queue. @default - messages do not wait for each other */
  readonly groupSequencer?: GroupSequencer | undefined;
}

/** Which member of a `MessageStructure: json` message an endpoint receives: of a device, that of its push platform. */
function textKeyOf(protocol: Protocol, endpoint: string): string {
  return protocol === 'application' ? (endpoint.split('/')[1] ?? protocol) : protocol;
}

/** One endpoint of a topic. */
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
  /** Whether a link alone does not unsubscribe: so whoever confirmed has asked. */
  authenticateOnUnsubscribe = false;
  deleted = false;
  /**
   * Whether the queue it was made for is gone. SNS knows that one queue: another that is created under its name receives
   * nothing until somebody subscribes it again (second-hand evidence from AWS).
   */
  queueWasDeleted = false;
  rawMessageDelivery = false;
  filterPolicyScope: FilterPolicyScope = 'MessageAttributes';
  filterPolicy: FilterPolicy | undefined;
  /** Its own; see `effectivePolicy` for the one it is delivered by. */
  deliveryPolicy: DeliveryPolicySettings | undefined;
  redrivePolicy: RedrivePolicy | undefined;
  /** With which SNS writes to a Firehose stream. */
  subscriptionRoleArn: string | undefined;
  /** Paces an HTTP/S endpoint whose policy says so. */
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

  /** Whether it waits for its endpoint to confirm; it receives nothing until then. */
  get pending(): boolean {
    return this.waits;
  }

  set pending(waits: boolean) {
    this.waits = waits;
    this.topic.confirmationsChanged();
  }

  /** The policy an HTTP/S endpoint is delivered by now: its own, its topic's and the defaults, member by member. */
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
 * Paces the deliveries of one subscription. `maxReceivesPerSecond` is an average: what was not used of the last second may
 * be used at once. That a burst is at most one second's worth is our choice; AWS only says that bursts happen.
 * @see https://docs.aws.amazon.com/sns/latest/dg/sns-message-delivery-retries.html
 */
export class Throttle {
  /** When the next delivery would be due if all had kept the pace. */
  private paceMs = Number.NEGATIVE_INFINITY;

  /**
   * The instant at which a delivery that is ready now may go, in whole milliseconds like every instant.
   *
   * @param maxHoldMs whoever would be held longer than this gets no turn, and takes none from those behind
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
 * How long a token opens what it is for; an unconfirmed subscription is deleted as soon.
 * @see https://docs.aws.amazon.com/sns/latest/api/API_Subscribe.html
 */
const LIFETIME_MS = 2 * 86_400_000;

/** Whatever is none of SNS's making. */
const FORM = /^[0-9a-f]+$/;

/** What whoever confirms a subscription, or restores one, must show. */
export interface ConfirmationToken {
  readonly text: string;
  /** First instant, in milliseconds since the Unix epoch, at which it opens nothing any more. */
  readonly expiresAtMs: number;
}

export function newToken(random: Random, nowMs: number): ConfirmationToken {
  return { text: random.hex(LENGTH), expiresAtMs: nowMs + LIFETIME_MS };
}

/** The same, for two days from now. */
export function renewed({ text }: ConfirmationToken, nowMs: number): ConfirmationToken {
  return { text, expiresAtMs: nowMs + LIFETIME_MS };
}

/** Whether a text looks as tokens do. */
export function isTokenText(text: string): boolean {
  return FORM.test(text);
}

/**
 * The tags of topics. On record are the texts for keys that come twice and for too many tags; the others are ours.
 *
 * @see https://docs.aws.amazon.com/sns/latest/dg/sns-tags.html
 */
export const TOPIC_TAGS: TagRules = { refusesDuplicates: true, refuse };

function refuse(breaches: readonly TagBreach[]): AwsError {
  const broken = (rule: TagBreach['rule']) => breaches.find(breach => breach.rule === rule);
  const [first] = breaches;
  if (broken('duplicate')) return invalidParameter('Duplicated keys are not allowed.');
  if (!first || first.rule === 'most') {
    return new AwsError('TagLimitExceeded', 'Could not complete request: tag quota of per resource exceeded');
  }
  return invalidParameter(`Tags Reason: ${TAG_RULES[first.rule](first.text)}`);
}
