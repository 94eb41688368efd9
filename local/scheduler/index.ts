import type { ActionAfterCompletion, FlexibleTimeWindow, ScheduleState, Target } from '@aws-sdk/client-scheduler';
import { type PropertyReader, tagsProperty } from '../cloudformation/property-reader';
import { changeTags, type PutResource, putType, type ResourceType } from '../cloudformation/resource-type';
import { readTargetSettings } from '../event-delivery/targets';
import { isoInstant, isoInstantMs } from '../kernel/clock';
import { accessDenied, RequestChecks, ServiceApi } from '../kernel/service-api';
import { parseSchedule } from '../schedule-expression/schedule-expression';
import { SCHEDULER_ACTIONS, type SchedulerActions } from './actions';
import { Dispatcher } from './dispatcher';
import type { SchedulerDependencies } from './ports';
import { type Schedule, ScheduleGroups } from './schedule';
import { ScheduleRunner } from './schedule-runner';
import { SchedulerState } from './scheduler-state';
import type { SchedulerContext } from './trace-events';

export type { SchedulerTraceEvent } from './trace-events';

/**
 * Amazon EventBridge Scheduler: recurring and one-time schedules in any time zone. It invokes queues, topics, functions
 * and event buses, and by universal targets any API action that the embedded AWS supports.
 * @see https://docs.aws.amazon.com/scheduler/latest/UserGuide/what-is-scheduler.html
 */
export class EventBridgeScheduler extends ServiceApi<SchedulerState, SchedulerActions> {
  constructor(context: SchedulerContext, dependencies: SchedulerDependencies) {
    const { place, timeline } = context;
    const checks = new RequestChecks('scheduler', context, accessDenied(place, 'AccessDeniedException', 403));
    const groups = new ScheduleGroups(place, timeline.nowMs);
    const runner = new ScheduleRunner(context, groups, new Dispatcher(context, dependencies));
    super(checks, SCHEDULER_ACTIONS, new SchedulerState(context, checks, groups, runner, dependencies));
  }

  schedules(): readonly Schedule[] {
    return this.state.groups.schedules;
  }

  /** Runs a schedule as if its time had come, with another input. Nothing happens if it does not exist or is disabled. */
  runSchedule(arn: string, input: string): void {
    const schedule = this.state.groups.schedules.find(it => it.arn === arn);
    if (schedule) this.state.runner.run(schedule, input);
  }
}

export function schedulerResourceTypes(scheduler: EventBridgeScheduler): readonly ResourceType[] {
  return [scheduleResourceType(scheduler), scheduleGroupResourceType(scheduler)];
}

const MAX_NAME_LENGTH = 64;
const DATE = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

function scheduleResourceType(scheduler: EventBridgeScheduler): ResourceType {
  const put: PutResource = (properties, context, existing) => {
    const Name = properties.string('Name') ?? context.physicalName(MAX_NAME_LENGTH);
    const schedule = {
      Name,
      GroupName: properties.string('GroupName'),
      ScheduleExpression: properties.requiredString('ScheduleExpression'),
      ScheduleExpressionTimezone: properties.string('ScheduleExpressionTimezone'),
      StartDate: readDate(properties, 'StartDate'),
      EndDate: readDate(properties, 'EndDate'),
      Description: properties.string('Description'),
      State: properties.string('State') as ScheduleState | undefined,
      KmsKeyArn: properties.string('KmsKeyArn'),
      ActionAfterCompletion: properties.string('ActionAfterCompletion') as ActionAfterCompletion | undefined,
      FlexibleTimeWindow: readWindow(properties),
      Target: readTarget(properties),
    };
    const { GroupName, ScheduleExpression } = schedule;
    if (GroupName !== undefined) {
      properties.attempt('GroupName', () => scheduler.call('GetScheduleGroup', scheduler.owner, { Name: GroupName }));
    }
    const blamed = parseSchedule(ScheduleExpression) ? 'Target' : 'ScheduleExpression';
    const created =
      properties.allProblems().length === 0
        ? properties.attempt(blamed, () =>
            scheduler.call(existing ? 'UpdateSchedule' : 'CreateSchedule', scheduler.owner, schedule),
          )
        : undefined;
    return { ref: Name, attributes: { Arn: created?.ScheduleArn ?? '' } };
  };
  return putType('AWS::Scheduler::Schedule', put, ({ ref: Name, properties }) => {
    scheduler.call('DeleteSchedule', scheduler.owner, { Name, GroupName: properties.string('GroupName') });
  });
}

/** CloudFormation requires milliseconds in dates, the API does not. */
function readDate(properties: PropertyReader, name: 'StartDate' | 'EndDate'): Date | undefined {
  const text = properties.string(name);
  if (text === undefined) return undefined;
  const atMs = DATE.test(text) ? isoInstantMs(text) : undefined;
  if (atMs !== undefined) return new Date(atMs);
  return properties.problem(name, 'needs to follow the format yyyy-MM-ddTHH:mm:ss.SSSZ', text);
}

function readWindow(properties: PropertyReader): FlexibleTimeWindow | undefined {
  const window = properties.object('FlexibleTimeWindow');
  if (!window) return properties.problem('FlexibleTimeWindow', 'is required');
  return {
    Mode: window.requiredString('Mode') as FlexibleTimeWindow['Mode'],
    MaximumWindowInMinutes: window.number('MaximumWindowInMinutes'),
  };
}

function readTarget(properties: PropertyReader): Target | undefined {
  const target = properties.object('Target');
  if (!target) return properties.problem('Target', 'is required');
  const events = target.object('EventBridgeParameters');
  return {
    Arn: target.requiredString('Arn'),
    RoleArn: target.requiredString('RoleArn'),
    Input: target.string('Input'),
    ...readTargetSettings(target),
    ...(events && {
      EventBridgeParameters: {
        DetailType: events.requiredString('DetailType'),
        Source: events.requiredString('Source'),
      },
    }),
  };
}

const MAX_GROUP_NAME_LENGTH = 64;

function scheduleGroupResourceType(scheduler: EventBridgeScheduler): ResourceType {
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
    update: (properties, _context, existing) => {
      const ResourceArn = existing.attributes['Arn'] ?? '';
      properties.withoutEffect('Name');
      changeTags(
        tagsProperty(properties),
        existing,
        Tags => scheduler.call('TagResource', scheduler.owner, { ResourceArn, Tags }),
        TagKeys => scheduler.call('UntagResource', scheduler.owner, { ResourceArn, TagKeys }),
      );
      return { ref: existing.ref, attributes: existing.attributes };
    },
    delete: ({ ref: Name }) => scheduler.call('DeleteScheduleGroup', scheduler.owner, { Name }),
  };
}
