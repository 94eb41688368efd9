import type { ResourceType } from '../../cloudformation/resource-type';
import { tagsProperty } from '../../cloudformation/tags-property';
import { isoInstant } from '../../kernel/clock';
import type { EventBridgeScheduler } from '../event-bridge-scheduler';

const MAX_GROUP_NAME_LENGTH = 64;

/** @see https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/aws-resource-scheduler-schedulegroup.html */
export function scheduleGroupResourceType(scheduler: EventBridgeScheduler): ResourceType {
  return {
    type: 'AWS::Scheduler::ScheduleGroup',
    create: (properties, context) => {
      const Name = properties.string('Name') ?? context.physicalName(MAX_GROUP_NAME_LENGTH);
      const Tags = tagsProperty(properties);
      const none = { ref: Name, attributes: { Arn: '' } };
      if (properties.allProblems().length > 0) return none;
      const { owner } = scheduler;
      const created = properties.attempt('Name', () => scheduler.call('CreateScheduleGroup', owner, { Name, Tags }));
      if (!created) return none;
      const { Arn = '', State = '', CreationDate } = scheduler.call('GetScheduleGroup', owner, { Name });
      const date = CreationDate ? isoInstant(CreationDate.getTime()) : '';
      return { ref: Name, attributes: { Arn, State, CreationDate: date, LastModificationDate: date } };
    },
  };
}
