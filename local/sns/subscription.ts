import type { DeliveryPolicy, DeliveryPolicySettings } from '../../policy/delivery-policy/delivery-policy';
import { effectivePolicy } from '../../policy/delivery-policy/effective-policy';
import type { Protocol } from '../../policy/outcome/protocol';
import type { ConfirmationToken } from './confirmation-token';
import type { GroupLanes } from './delivery/group-lanes';
import { Throttle } from './delivery/throttle';
import type { FilterPolicy, FilterPolicyScope } from './filter/filter-policy';
import type { Topic } from './topic';

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
  readonly lanes?: GroupLanes | undefined;
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
  readonly lanes: GroupLanes | undefined;
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
    this.lanes = identity.lanes;
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
