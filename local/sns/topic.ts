import type { TopicPolicySettings } from '../../policy/delivery-policy/delivery-policy';
import type { PolicyDocument } from '../kernel/access';
import type { Resource } from '../kernel/doorkeeper';
import { ResourceTags } from '../kernel/resource-tags';
import { defaultTopicPolicy } from './default-topic-policy';
import { FifoMemory } from './fifo';
import type { Subscription } from './subscription';
import { TOPIC_TAGS } from './tags';

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
