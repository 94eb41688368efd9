import type { Scheduler } from '@aws-sdk/client-scheduler';
import type { SdkActions } from '../../kernel/service-api';
import { scheduleActions } from './schedules';

/**
 * The API actions of EventBridge Scheduler that the embedded AWS implements.
 *
 * @see https://docs.aws.amazon.com/scheduler/latest/APIReference/API_Operations.html
 */
export const SCHEDULER_ACTIONS = {
  ...scheduleActions,
};

export type SchedulerActions = SdkActions<Scheduler, keyof typeof SCHEDULER_ACTIONS>;
