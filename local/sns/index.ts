import type { ResourceType } from '../cloudformation/resource-type';
import { subscriptionResource } from './resources/subscription';
import { topicResource } from './resources/topic';
import { topicInlinePolicyResource, topicPolicyResource } from './resources/topic-policy';
import type { Sns } from './sns';

export { signingCertificate, signingCertUrl, withSigningCertificate } from './envelope/signing';
export type {
  FunctionInvoker,
  InvocationAnswer,
  QueueSender,
  SnsDependencies,
} from './ports';
export { type PendingConfirmation, Sns, type SnsOptions } from './sns';
export type { SnsActionName, SnsActions } from './sns-actions';
export type { Phones, TextMessage } from './text-messages';
export type { Cause, FilterReason, SnsTraceEvent } from './trace-events';
export type { Receipt, RecipientBehaviour, Recipients, RecordedProtocol } from './transports/recorded-transport';

/** The CloudFormation resource types of SNS. */
export function snsResourceTypes(sns: Sns): readonly ResourceType[] {
  return [topicResource(sns), subscriptionResource(sns), topicPolicyResource(sns), topicInlinePolicyResource(sns)];
}
