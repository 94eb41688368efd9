import type { EventBridge } from '@aws-sdk/client-eventbridge';
import type { ActionOn, SdkActions } from '../../kernel/service-api';
import type { EventsState } from '../events-state';

/** One API action: its permission, the resource that permission is checked on, and its implementation. */
export type EventsAction<Name extends Capitalize<keyof EventBridge & string>> = ActionOn<
  EventsState,
  SdkActions<EventBridge, Name>[Name]
>;
