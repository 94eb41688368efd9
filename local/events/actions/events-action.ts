import type { EventBridge } from '@aws-sdk/client-eventbridge';
import type { InputOf, OutputOf, SdkActions, ServiceAction } from '../../kernel/service-api';
import type { EventsState } from '../events-state';

/** One API action: its permission, the resource that permission is checked on, and its implementation. */
export type EventsAction<Name extends Capitalize<keyof EventBridge & string>> = ServiceAction<
  EventsState,
  InputOf<SdkActions<EventBridge, Name>[Name]>,
  OutputOf<SdkActions<EventBridge, Name>[Name]>
>;
