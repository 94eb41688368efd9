import {
  GetScheduleCommand,
  paginateListSchedules,
  SchedulerClient,
  type ScheduleSummary,
} from '@aws-sdk/client-scheduler';
import type { TargetFacts } from '../../diagnosis/inventory/inventory';
import { TARGET_EVENT_AGE_SECONDS } from '../../policy/limits/event-age';
import { mapKnown } from '../../template/told';
import type { AccountReader, Question } from './account-reader';
import { unlessEmpty } from './attribute-text';

const SCHEDULE: Question = {
  action: 'scheduler:GetSchedule',
  of: ['schedule', 'schedules'],
  tells: 'the target',
};

const DISABLED_SCHEDULE = 'DISABLED';

/** Not every Region has Scheduler: where it is not, its host has no address. */
function isNotInRegion(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOTFOUND';
}

async function allSchedules(scheduler: SchedulerClient): Promise<readonly ScheduleSummary[]> {
  const listed: ScheduleSummary[] = [];
  for await (const { Schedules = [] } of paginateListSchedules({ client: scheduler }, {})) listed.push(...Schedules);
  return listed;
}

/**
 * Every schedule of the Region; where it has no Scheduler, none. It takes the permissions `scheduler:ListSchedules` and
 * `scheduler:GetSchedule`.
 */
export async function readSchedules(reader: AccountReader): Promise<readonly TargetFacts[]> {
  const scheduler = reader.aws.client(SchedulerClient);
  const listed = await allSchedules(scheduler).catch((error: unknown) => {
    if (!isNotInRegion(error)) throw error;
    reader.note(`schedules are not read: EventBridge Scheduler has no address in ${reader.aws.region}`);
    return [];
  });
  return reader.each(listed, async ({ Arn: arn = '', Name = '', GroupName, State, Target }): Promise<TargetFacts> => {
    const asked = new GetScheduleCommand({ Name, GroupName });
    const target = await reader.ask(SCHEDULE, Name, async () => (await scheduler.send(asked)).Target);
    return {
      arn,
      name: Name,
      kind: 'schedule',
      targetArn: mapKnown(target, it => it?.Arn ?? Target?.Arn ?? ''),
      deadLetterTargetArn: mapKnown(target, it => unlessEmpty(it?.DeadLetterConfig?.Arn)),
      roleArn: mapKnown(target, it => unlessEmpty(it?.RoleArn)),
      isEnabled: State !== DISABLED_SCHEDULE,
      maximumEventAgeSeconds: mapKnown(
        target,
        it => it?.RetryPolicy?.MaximumEventAgeInSeconds ?? TARGET_EVENT_AGE_SECONDS,
      ),
    };
  });
}
