import type {
  ActionAfterCompletion,
  CreateScheduleInput,
  FlexibleTimeWindow,
  ScheduleState,
  Target as TargetInput,
} from '@aws-sdk/client-scheduler';
import type { Resource } from '../kernel/doorkeeper';
import type { ScheduleExpression, TimeZone } from '../schedule-expression';

/** What a schedule invokes. */
export type ScheduleTarget = TargetInput & { readonly Arn: string; readonly RoleArn: string };

/** What `CreateSchedule` and `UpdateSchedule` say of a schedule, found in order. */
export interface ScheduleDefinition {
  /** As it was written. */
  readonly text: string;
  readonly expression: ScheduleExpression;
  readonly zone: TimeZone;
  readonly startAtMs: number | undefined;
  readonly endAtMs: number | undefined;
  readonly description: string | undefined;
  readonly state: ScheduleState;
  readonly target: ScheduleTarget;
  readonly flexibleTimeWindow: FlexibleTimeWindow;
  readonly actionAfterCompletion: ActionAfterCompletion;
}

/** What `CreateSchedule` and `UpdateSchedule` are given. */
export type ScheduleInput = Omit<CreateScheduleInput, 'ClientToken'>;

/** A schedule: when to invoke what. */
export class Schedule implements Resource {
  modifiedAtMs: number;

  constructor(
    readonly name: string,
    readonly groupName: string,
    readonly arn: string,
    readonly createdAtMs: number,
    public definition: ScheduleDefinition,
  ) {
    this.modifiedAtMs = createdAtMs;
  }
}
