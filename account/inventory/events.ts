import {
  DescribeEventBusCommand,
  EventBridgeClient,
  type EventBus,
  ListEventBusesCommand,
  ListRulesCommand,
  ListTargetsByRuleCommand,
  type Rule,
  type Target,
} from '@aws-sdk/client-eventbridge';
import {
  DescribePipeCommand,
  type DescribePipeResponse,
  type Pipe,
  PipesClient,
  paginateListPipes,
} from '@aws-sdk/client-pipes';
import {
  GetScheduleCommand,
  paginateListSchedules,
  SchedulerClient,
  type ScheduleSummary,
} from '@aws-sdk/client-scheduler';
import type { QueueUserFacts, TargetFacts } from '../../diagnosis/inventory/inventory';
import { TARGET_EVENT_AGE_SECONDS } from '../../policy/aws-limits';
import { isKnown, knownValue, mapKnown } from '../../template/maybe-known';
import { allPages, pagesOf } from '../connection/calls';
import { isMissing } from '../connection/unread-calls';
import { type AccountReader, type InventoryQuestion, itemsOf, unlessEmpty } from './account-reader';
import { streamRetries } from './functions';

const BUSES: InventoryQuestion = {
  action: 'events:ListEventBuses',
  tells: 'the event buses',
  hides: ['queueUsers', 'targets', 'feeders'],
};

const BUS: InventoryQuestion = {
  action: 'events:DescribeEventBus',
  of: ['event bus', 'event buses'],
  tells: 'the dead-letter queue',
  hides: ['queueUsers', 'feeders'],
};

/** Lists the event buses of the Region. It needs the permission `events:ListEventBuses`. */
export function readEventBusList(reader: AccountReader): Promise<readonly EventBus[]> {
  const events = reader.aws.client(EventBridgeClient);
  const pages = pagesOf(async NextToken => {
    const { EventBuses: items = [], NextToken: next } = await events.send(new ListEventBusesCommand({ NextToken }));
    return { items, next };
  });
  return reader.list(BUSES, pages);
}

/** Reads the dead-letter queues of the listed event buses. It needs the permission `events:DescribeEventBus`. */
export async function readEventBuses(
  reader: AccountReader,
  listed: readonly EventBus[],
): Promise<readonly QueueUserFacts[]> {
  const events = reader.aws.client(EventBridgeClient);
  return reader.each(listed, async ({ Name = '', Arn: arn = '' }): Promise<QueueUserFacts> => {
    const bus = await reader.ask(BUS, Name, () => events.send(new DescribeEventBusCommand({ Name })));
    return {
      arn,
      name: Name,
      kind: 'bus',
      isEnabled: true,
      sourceArn: undefined,
      deadLetterTargetArn: mapKnown(bus, ({ DeadLetterConfig }) => unlessEmpty(DeadLetterConfig?.Arn)),
      keyId: mapKnown(bus, ({ KmsKeyIdentifier }) => unlessEmpty(KmsKeyIdentifier)),
    };
  });
}

const RULES: InventoryQuestion = {
  action: 'events:ListRules',
  of: ['event bus', 'event buses'],
  tells: 'the rules',
  hides: ['targets', 'feeders'],
};

const TARGETS: InventoryQuestion = {
  action: 'events:ListTargetsByRule',
  of: ['rule', 'rules'],
  tells: 'the targets',
  hides: ['targets', 'feeders'],
};

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
 * Reads every target of every rule of the listed event buses, except rules that AWS services manage. It needs the permissions
 * `events:ListRules` and `events:ListTargetsByRule`.
 */
export async function readRuleTargets(
  reader: AccountReader,
  buses: readonly EventBus[],
): Promise<readonly TargetFacts[]> {
  const events = reader.aws.client(EventBridgeClient);
  const rules = await reader.each(buses, ({ Name: EventBusName = '' }) => {
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

const SCHEDULES: InventoryQuestion = {
  action: 'scheduler:ListSchedules',
  tells: 'the schedules',
  hides: ['targets', 'feeders'],
};

const SCHEDULE: InventoryQuestion = {
  action: 'scheduler:GetSchedule',
  of: ['schedule', 'schedules'],
  tells: 'the target',
  hides: ['feeders'],
};

const DISABLED_SCHEDULE = 'DISABLED';

/** In a Region without EventBridge Scheduler, its host has no address. */
function isNotInRegion(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOTFOUND';
}

/** A Region without EventBridge Scheduler has no schedules. */
async function* allSchedules(reader: AccountReader): AsyncIterable<readonly ScheduleSummary[]> {
  const pages = paginateListSchedules({ client: reader.aws.client(SchedulerClient) }, {});
  try {
    yield* itemsOf(pages, ({ Schedules }) => Schedules);
  } catch (error) {
    if (!isNotInRegion(error)) throw error;
    reader.aws.unread.note(`schedules were not read: EventBridge Scheduler has no endpoint in ${reader.aws.region}`);
  }
}

/**
 * Reads every schedule of the Region. Empty when the Region has no EventBridge Scheduler. It needs the permissions `scheduler:ListSchedules` and
 * `scheduler:GetSchedule`.
 */
export async function readSchedules(reader: AccountReader): Promise<readonly TargetFacts[]> {
  const scheduler = reader.aws.client(SchedulerClient);
  const listed = await reader.list(SCHEDULES, allSchedules(reader));
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

const PIPES: InventoryQuestion = { action: 'pipes:ListPipes', tells: 'the pipes', hides: ['queueUsers'] };

const PIPE: InventoryQuestion = {
  action: 'pipes:DescribePipe',
  of: ['pipe', 'pipes'],
  tells: 'the dead-letter queue',
  hides: ['queueUsers', 'feeders'],
};

/** A Region or another implementation of AWS without EventBridge Pipes has no pipes. */
async function* allPipes(client: PipesClient): AsyncIterable<readonly Pipe[]> {
  try {
    yield* itemsOf(paginateListPipes({ client }, {}), ({ Pipes }) => Pipes);
  } catch (error) {
    if (!(error instanceof Error && isMissing(error))) throw error;
  }
}

function streamOf({
  SourceParameters: { KinesisStreamParameters, DynamoDBStreamParameters } = {},
}: DescribePipeResponse) {
  return KinesisStreamParameters ?? DynamoDBStreamParameters;
}

const STOPPED = 'STOPPED';

/**
 * Reads the sources and dead-letter queues of the Region's pipes. It needs the permissions `pipes:ListPipes` and
 * `pipes:DescribePipe`.
 */
export async function readPipes(reader: AccountReader): Promise<readonly QueueUserFacts[]> {
  const client = reader.aws.client(PipesClient);
  const listed = await reader.list(PIPES, allPipes(client));
  return reader.each(listed, async ({ Arn: arn = '', Name = '', Source, DesiredState }) => {
    const pipe = await reader.ask(PIPE, Name, () => client.send(new DescribePipeCommand({ Name })));
    const described = knownValue(pipe);
    const stream = described && streamOf(described);
    return {
      arn,
      name: Name,
      kind: 'pipe' as const,
      isEnabled: DesiredState !== STOPPED,
      sourceArn: Source,
      deadLetterTargetArn: mapKnown(pipe, it => unlessEmpty(streamOf(it)?.DeadLetterConfig?.Arn)),
      ...(stream && { streamRetries: streamRetries(stream) }),
    };
  });
}
