import type { ScheduleGroupSummary } from '@aws-sdk/client-scheduler';
import type { ScheduleGroup } from '../schedule-groups';

export function groupDescription({ arn, name, createdAtMs }: ScheduleGroup): ScheduleGroupSummary {
  const created = new Date(createdAtMs);
  return { Arn: arn, CreationDate: created, LastModificationDate: created, Name: name, State: 'ACTIVE' };
}
