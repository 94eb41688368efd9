import type { TopicPolicySettings } from '../../lib/policy/delivery-policy';
import type { PolicyDocument } from '../kernel/access';
import type { Resource } from '../kernel/doorkeeper';
import { defaultTopicPolicy } from './default-topic-policy';
import type { Subscription } from './subscription';

export type SignatureVersion = '1' | '2';

/** A standard topic. */
export class Topic implements Resource {
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

  constructor(
    readonly arn: string,
    readonly name: string,
    /** The account that owns it. */
    readonly account: string,
  ) {
    this.policy = defaultTopicPolicy(arn, account);
  }

  add(subscription: Subscription): void {
    this.subscriptions = [...this.subscriptions, subscription];
  }

  remove(subscription: Subscription): void {
    this.subscriptions = this.subscriptions.filter(other => other !== subscription);
    this.subscriptionsDeleted += 1;
  }
}
