import type { Place } from '../../kernel/place';
import type { Schedule, ScheduleDefinition } from '../schedule';

/** One invocation a schedule owes its target. */
export interface Execution {
  readonly schedule: Schedule;
  /** As the schedule was when the time came. */
  readonly definition: ScheduleDefinition;
  /** Sixteen hexadecimal digits; the same for every attempt, which is our choice. */
  readonly id: string;
  /** `2026-01-02T03:04:00Z` */
  readonly scheduledTime: string;
}

/**
 * What a target gets that is given no input.
 *
 * @see https://docs.aws.amazon.com/scheduler/latest/UserGuide/managing-targets-templated.html
 */
function defaultInput({ schedule, id, scheduledTime }: Execution, { account, region }: Place): string {
  return JSON.stringify({
    version: '0',
    id,
    'detail-type': 'Scheduled Event',
    source: 'aws.scheduler',
    account,
    time: scheduledTime,
    region,
    resources: [schedule.arn],
    detail: '{}',
  });
}

/**
 * What the target gets at one attempt.
 *
 * @see https://docs.aws.amazon.com/scheduler/latest/UserGuide/managing-schedule-context-attributes.html
 */
export function inputOf(execution: Execution, attempt: number, place: Place): string {
  const { schedule, definition, id, scheduledTime } = execution;
  const { Input } = definition.target;
  if (Input === undefined) return defaultInput(execution, place);
  return Input.replaceAll('<aws.scheduler.schedule-arn>', schedule.arn)
    .replaceAll('<aws.scheduler.scheduled-time>', scheduledTime)
    .replaceAll('<aws.scheduler.execution-id>', id)
    .replaceAll('<aws.scheduler.attempt-number>', String(attempt));
}
