import type { IResource } from 'aws-cdk-lib';
import type { IRole } from 'aws-cdk-lib/aws-iam';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import type { SubscriptionProtocol } from 'aws-cdk-lib/aws-sns';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import type { Construct, IDependable } from 'constructs';
import type { DeliveryPolicySettings } from '../../../policy/delivery-policy/delivery-policy';
import type { Problem } from '../../../policy/problem';
import type { Warning } from '../../shared/warnings';

/** Whom a topic delivers to: all that is particular to one kind of delivery. */
export interface Recipient {
  readonly protocol: SubscriptionProtocol;
  readonly endpoint: string;
  /** The parameter the user named it by, and what an error shows of it. */
  readonly named: { readonly property: string; readonly value: string };
  /** The queue, function or stream delivered to. @default - none of ours */
  readonly consumer?: IResource;
  /** The consumer, where it is a queue. @default - it is none, or is not known */
  readonly queue?: IQueue;
  /** The consumer, where it is a function. @default - it is none, or is not known */
  readonly handler?: IFunction;
  /** Whether its dead-letter queue must be FIFO. @default false */
  readonly fifo?: boolean;
  /** When a failed delivery is tried again. @default - by the topic's policy, or SNS's own */
  readonly deliveryPolicy?: DeliveryPolicySettings;
  /** What SNS would reject of it, beside what it would reject of any delivery. */
  readonly problems: readonly Problem[];
  /** What is legal, and may reach nobody. @default - nothing */
  readonly warnings?: readonly Warning[];
  /** Makes the role SNS writes with. @default - it comes as itself */
  readonly role?: (scope: Construct) => IRole;
  /** Gives the topic its access; returns what the subscription must depend on. @default - it needs none */
  readonly admit?: (scope: Construct) => IDependable[];
}
