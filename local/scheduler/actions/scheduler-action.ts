import type { Scheduler } from '@aws-sdk/client-scheduler';
import type { ActionOn, SdkActions } from '../../kernel/service-api';
import type { SchedulerState } from '../scheduler-state';

/** One API action: its permission, the resource that permission is checked on, and its implementation. */
export type SchedulerAction<Name extends Capitalize<keyof Scheduler & string>> = ActionOn<
  SchedulerState,
  SdkActions<Scheduler, Name>[Name]
>;
