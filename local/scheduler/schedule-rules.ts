import type { FlexibleTimeWindow } from '@aws-sdk/client-scheduler';
import { MINUTE_MS } from '../../policy/time-units';
import { constrainRetryPolicy } from '../event-delivery/delivery';
import { notImplemented } from '../kernel/aws-error';
import { Constraints, validationException } from '../kernel/constraints';
import { type Page, pageOf } from '../kernel/page';
import { parseSchedule, TimeZone } from '../schedule-expression/schedule-expression';
import { invalidExpression } from './errors';
import type { SchedulerDependencies } from './ports';
import type { ScheduleDefinition, ScheduleInput } from './schedule';
import { checkTarget } from './target-rules';

const DEFAULT_ZONE = 'UTC';
const EARLIEST_START_MS = 5 * MINUTE_MS;

export const SCHEDULER_SERVICE = 'scheduler.amazonaws.com';

/** The input to checks other than the request itself. */
interface ScheduleContext {
  readonly nowMs: number;
  readonly region: string;
  readonly account: string;
  /** The ARN of the schedule's group. EventBridge Scheduler assumes the role on its behalf. */
  readonly groupArn: string;
  readonly dependencies: Pick<SchedulerDependencies, 'roles' | 'services'>;
}

/** The condition keys that EventBridge Scheduler sends when it assumes a role. */
export function roleContext(groupArn: string, account: string): Readonly<Record<string, string>> {
  return { 'aws:SourceArn': groupArn, 'aws:SourceAccount': account };
}

/** **Assumption EVENTS-7:** AWS does not publish this text, the refusal of an end date in the past. */
function checkDates(startAtMs: number | undefined, endAtMs: number | undefined, nowMs: number): void {
  if (startAtMs !== undefined && endAtMs !== undefined && startAtMs >= endAtMs) {
    throw validationException('The StartDate you specify must come before the EndDate.');
  }
  if (startAtMs !== undefined && startAtMs < nowMs - EARLIEST_START_MS) {
    throw validationException('The StartDate you specify cannot be earlier than 5 minutes ago.');
  }
  if (endAtMs !== undefined && endAtMs < nowMs)
    throw validationException('The EndDate you specify cannot be in the past.');
}

function checkWindow({ Mode, MaximumWindowInMinutes }: FlexibleTimeWindow): void {
  if (Mode === 'OFF' && MaximumWindowInMinutes !== undefined) {
    throw validationException('MaximumWindowInMinutes must not be provided when FlexibleTimeWindowMode is set to OFF.');
  }
  if (Mode === 'FLEXIBLE' && MaximumWindowInMinutes === undefined) {
    throw validationException(
      'MaximumWindowInMinutes must be provided when FlexibleTimeWindowMode is set to FLEXIBLE.',
    );
  }
}

function checkRole(roleArn: string, { groupArn, account, dependencies }: ScheduleContext): void {
  if (dependencies.roles.decideAssumeRole(SCHEDULER_SERVICE, roleArn, roleContext(groupArn, account)).allowed) return;
  throw validationException('The execution role you provide must allow AWS EventBridge Scheduler to assume the role.');
}

/**
 * Reads a schedule from a request. **Assumption EVENTS-8:** AWS does not publish this text, the refusal of an unknown
 * time zone.
 * @throws AwsError `ValidationException`
 */
export function scheduleDefinition(input: ScheduleInput, context: ScheduleContext): ScheduleDefinition {
  constrainSchedule(input);
  const {
    ScheduleExpression: text = '',
    ScheduleExpressionTimezone: zoneName = DEFAULT_ZONE,
    FlexibleTimeWindow,
  } = input;
  const target = { ...input.Target, Arn: input.Target?.Arn ?? '', RoleArn: input.Target?.RoleArn ?? '' };
  const flexibleTimeWindow = FlexibleTimeWindow ?? { Mode: 'OFF' };
  const [startAtMs, endAtMs] = [input.StartDate?.getTime(), input.EndDate?.getTime()];
  const expression = parseSchedule(text);
  if (!expression) throw invalidExpression(text);
  const zone = TimeZone.named(zoneName);
  if (!zone) throw validationException(`Invalid Schedule Expression Timezone ${zoneName}.`);
  if (input.KmsKeyArn) throw notImplemented("schedules encrypted with a customer's key");
  checkWindow(flexibleTimeWindow);
  checkDates(startAtMs, endAtMs, context.nowMs);
  checkTarget(target, context.region, context.dependencies.services);
  checkRole(target.RoleArn, context);
  return {
    text,
    expression,
    zone,
    startAtMs,
    endAtMs,
    description: input.Description,
    state: input.State ?? 'ENABLED',
    target,
    flexibleTimeWindow,
    actionAfterCompletion: input.ActionAfterCompletion ?? 'NONE',
  };
}

const NAME = '[0-9a-zA-Z-_.]+';
const STATES = ['ENABLED', 'DISABLED'];

export function constrainName(constraints: Constraints, member: string, name: string | undefined): Constraints {
  return constraints.length(member, name, 1, 64).pattern(member, name, NAME);
}

/** Checks a schedule against the API model. */
function constrainSchedule(input: ScheduleInput): void {
  const { Name, GroupName, ScheduleExpression, Description, State, Target, FlexibleTimeWindow } = input;
  const constraints = new Constraints().notNull('name', Name);
  constrainName(constrainName(constraints, 'name', Name), 'groupName', GroupName)
    .notNull('scheduleExpression', ScheduleExpression)
    .length('scheduleExpression', ScheduleExpression, 1, 256)
    .length('description', Description, 0, 512)
    .length('scheduleExpressionTimezone', input.ScheduleExpressionTimezone, 1, 50)
    .oneOf('state', State, STATES)
    .oneOf('actionAfterCompletion', input.ActionAfterCompletion, ['NONE', 'DELETE'])
    .notNull('flexibleTimeWindow', FlexibleTimeWindow)
    .oneOf('flexibleTimeWindow.mode', FlexibleTimeWindow?.Mode, ['OFF', 'FLEXIBLE'])
    .range('flexibleTimeWindow.maximumWindowInMinutes', FlexibleTimeWindow?.MaximumWindowInMinutes, 1, 1440)
    .notNull('target', Target)
    .length('target.arn', Target?.Arn, 1, 1600)
    .length('target.roleArn', Target?.RoleArn, 1, 1600)
    .pattern('target.roleArn', Target?.RoleArn, 'arn:aws[a-z-]*:iam::\\d{12}:role\\/[\\w+=,.@\\/-]+')
    .length('target.sqsParameters.messageGroupId', Target?.SqsParameters?.MessageGroupId, 1, 128);
  if (Target) constraints.notNull('target.arn', Target.Arn).notNull('target.roleArn', Target.RoleArn);
  constrainRetryPolicy(constraints, 'target.retryPolicy', Target?.RetryPolicy);
  constraints.check();
}

const MAX_PAGE_SIZE = 100;

/** @default 100 items, the maximum of EventBridge Scheduler */
export function schedulerPage<Item>(
  all: readonly Item[],
  maxResults: number | undefined,
  nextToken: string | undefined,
): Page<Item> {
  new Constraints().range('maxResults', maxResults, 1, MAX_PAGE_SIZE).check();
  return pageOf(all, maxResults ?? MAX_PAGE_SIZE, nextToken, () => validationException('Invalid NextToken.'));
}
