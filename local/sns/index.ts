import type { ResourceType } from '../cloudformation/resource-type';
import {
  subscriptionResource,
  type Topics,
  topicInlinePolicyResource,
  topicPolicyResource,
  topicResource,
} from './resources';
import type { Sns } from './sns';

export type { SnsActions } from './actions';
export type { TextMessage } from './direct-messages/text-messages';
export { signingCertificate, withSigningCertificate } from './envelope/signing';
export { Sns, type SnsOptions } from './sns';
export type { SnsTraceEvent } from './trace-events';
export {
  type Receipt,
  type RecipientBehaviour,
  Recipients,
  type RecordedProtocol,
} from './transports/recorded-transport';

/**
 * The CloudFormation resource types of SNS.
 *
 * @param topics SNS in the account and Region of any topic @default - topics of other accounts and Regions do not exist
 */
export function snsResourceTypes(sns: Sns, topics: Topics = sns): readonly ResourceType[] {
  return [
    topicResource(sns),
    subscriptionResource(sns, topics),
    topicPolicyResource(sns),
    topicInlinePolicyResource(sns),
  ];
}
