import type { EventBridge } from '@aws-sdk/client-eventbridge';
import type { SdkActions } from '../../kernel/service-api';
import { eventBusActions } from './event-buses';
import { putEvents } from './put-events';
import { ruleActions } from './rules';
import { targetActions } from './targets';

/**
 * The API actions of EventBridge that the embedded AWS implements.
 *
 * @see https://docs.aws.amazon.com/eventbridge/latest/APIReference/API_Operations.html
 */
export const EVENTS_ACTIONS = {
  ...eventBusActions,
  ...ruleActions,
  ...targetActions,
  PutEvents: putEvents,
};

export type EventsActions = SdkActions<EventBridge, keyof typeof EVENTS_ACTIONS>;
