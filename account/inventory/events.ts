import {
  DescribeEventBusCommand,
  EventBridgeClient,
  ListEventBusesCommand,
  ListRulesCommand,
  ListTargetsByRuleCommand,
  type Rule,
  type Target,
} from '@aws-sdk/client-eventbridge';
import {
  GetScheduleCommand,
  paginateListSchedules,
  SchedulerClient,
  type ScheduleSummary,
} from '@aws-sdk/client-scheduler';
import type { QueueUserFacts, TargetFacts } from '../../diagnosis/inventory/inventory';
import { formatArn } from '../../policy/arn';
import { TARGET_EVENT_AGE_SECONDS } from '../../policy/aws-limits';
import { isKnown, mapKnown } from '../../template/maybe-known';
import { allPages } from '../connection/calls';
import { type AccountPlace, type AccountReader, type Question, unlessEmpty } from './account-reader';

const BUS: Question = {
  action: 'events:DescribeEventBus',
  of: ['event bus', 'event buses'],
  tells: 'the dead-letter queue',
};

/** Lists the event buses of the Region. It needs the permission `events:ListEventBuses`. */
async function eventBusNames(events: EventBridgeClient): Promise<readonly string[]> {
  return allPages(async NextToken => {
    const { EventBuses = [], NextToken: next } = await events.send(new ListEventBusesCommand({ NextToken }));
    return { items: EventBuses.flatMap(({ Name }) => Name ?? []), next };
  });
}

/**
 * Reads the dead-letter queues of the Region's event buses. It needs the permissions `events:ListEventBuses` and
 * `events:DescribeEventBus`.
 */
export async function readEventBuses(reader: AccountReader, place: AccountPlace): Promise<readonly QueueUserFacts[]> {
  const events = reader.aws.client(EventBridgeClient);
  return reader.each(await eventBusNames(events), async (Name): Promise<QueueUserFacts> => {
    const bus = await reader.ask(BUS, Name, () => events.send(new DescribeEventBusCommand({ Name })));
    return {
      arn: formatArn({ ...place, service: 'events', resource: `event-bus/${Name}` }),
      name: Name,
      kind: 'bus',
      isEnabled: true,
      sourceArn: undefined,
      deadLetterTargetArn: mapKnown(bus, ({ DeadLetterConfig }) => unlessEmpty(DeadLetterConfig?.Arn)),
      keyId: mapKnown(bus, ({ KmsKeyIdentifier }) => unlessEmpty(KmsKeyIdentifier)),
    };
  });
}

const RULES: Question = { action: 'events:ListRules', of: ['event bus', 'event buses'], tells: 'the rules' };

const TARGETS: Question = { action: 'events:ListTargetsByRule', of: ['rule', 'rules'], tells: 'the targets' };

const DISABLED = 'DISABLED';

/** Whether an AWS service manages the rule. Users cannot change its targets. */
function isOfService({ ManagedBy }: Rule): boolean {
  return ManagedBy !== undefined && ManagedBy !== '';
}

function targetFacts({ Name = '', Arn: arn = '', State }: Rule, target: Target): TargetFacts {
  return {
    arn,
    name: `${Name}/${target.Id}`,
    kind: 'rule',
    targetArn: target.Arn ?? '',
    deadLetterTargetArn: unlessEmpty(target.DeadLetterConfig?.Arn),
    roleArn: unlessEmpty(target.RoleArn),
    isEnabled: State !== DISABLED,
    maximumEventAgeSeconds: target.RetryPolicy?.MaximumEventAgeInSeconds ?? TARGET_EVENT_AGE_SECONDS,
  };
}

/**
 * Reads every target of every rule of the Region, except rules that AWS services manage. It needs the permissions `events:ListEventBuses`, `events:ListRules` and
 * `events:ListTargetsByRule`.
 */
export async function readRuleTargets(reader: AccountReader): Promise<readonly TargetFacts[]> {
  const events = reader.aws.client(EventBridgeClient);
  const rules = await reader.each(await eventBusNames(events), EventBusName => {
    const page = async (NextToken: string | undefined) => {
      const { Rules = [], NextToken: next } = await events.send(new ListRulesCommand({ EventBusName, NextToken }));
      return { items: Rules.filter(rule => !isOfService(rule)), next };
    };
    return reader.ask(RULES, EventBusName, () => allPages(page));
  });
  const targets = await reader.each(rules.filter(isKnown).flat(), async rule => {
    const { Name = '', EventBusName } = rule;
    const page = async (NextToken: string | undefined) => {
      const asked = new ListTargetsByRuleCommand({ Rule: Name, EventBusName, NextToken });
      const { Targets = [], NextToken: next } = await events.send(asked);
      return { items: Targets.map(target => targetFacts(rule, target)), next };
    };
    return reader.ask(TARGETS, Name, () => allPages(page));
  });
  return targets.filter(isKnown).flat();
}

const SCHEDULE: Question = {
  action: 'scheduler:GetSchedule',
  of: ['schedule', 'schedules'],
  tells: 'the target',
};

const DISABLED_SCHEDULE = 'DISABLED';

/** In a Region without EventBridge Scheduler, its host has no address. */
function isNotInRegion(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOTFOUND';
}

async function allSchedules(scheduler: SchedulerClient): Promise<readonly ScheduleSummary[]> {
  const listed: ScheduleSummary[] = [];
  for await (const { Schedules = [] } of paginateListSchedules({ client: scheduler }, {})) listed.push(...Schedules);
  return listed;
}

/**
 * Reads every schedule of the Region. Empty when the Region has no EventBridge Scheduler. It needs the permissions `scheduler:ListSchedules` and
 * `scheduler:GetSchedule`.
 */
export async function readSchedules(reader: AccountReader): Promise<readonly TargetFacts[]> {
  const scheduler = reader.aws.client(SchedulerClient);
  const listed = await allSchedules(scheduler).catch((error: unknown) => {
    if (!isNotInRegion(error)) throw error;
    reader.note(`schedules were not read: EventBridge Scheduler has no endpoint in ${reader.aws.region}`);
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
