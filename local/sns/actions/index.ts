import type { SNS } from '@aws-sdk/client-sns';
import type { SdkActions } from '../../kernel/service-api';
import { directMessageActions } from './direct-messages';
import { publishActions } from './publish';
import { subscribe } from './subscribe';
import { subscriptionActions } from './subscriptions';
import { topicActions } from './topics';

/**
 * The API actions of Amazon SNS that the embedded AWS implements.
 *
 * @see https://docs.aws.amazon.com/sns/latest/api/API_Operations.html
 */
export const SNS_ACTIONS = {
  ...directMessageActions,
  ...topicActions,
  ...subscriptionActions,
  ...publishActions,
  Subscribe: subscribe,
};

export type SnsActions = SdkActions<SNS, keyof typeof SNS_ACTIONS>;
