import { parseArn } from '../../../policy/arn';
import { notImplemented } from '../../kernel/aws-error';
import type { ServiceContext } from '../../kernel/service-api';
import type { Constraints } from '../errors';
import type { CloudWatchTraceEvent } from '../trace-events';
import { type AlarmConfiguration, alarmArn } from './alarm-configuration';

interface AlarmRequest {
  readonly AlarmName?: string | undefined;
  readonly AlarmDescription?: string | undefined;
  readonly ActionsEnabled?: boolean | undefined;
  readonly OKActions?: readonly string[] | undefined;
  readonly AlarmActions?: readonly string[] | undefined;
  readonly InsufficientDataActions?: readonly string[] | undefined;
  readonly Tags?: readonly object[] | undefined;
}

const LONGEST_NAME = 255;
const LONGEST_DESCRIPTION = 1_024;
const LONGEST_ACTION = 1_024;
/** AWS allows five actions per state. */
const MOST_ACTIONS = 5;
const MOST_TAGS = 50;

const ACTION_LISTS = [
  { name: 'OKActions', member: 'oKActions' },
  { name: 'AlarmActions', member: 'alarmActions' },
  { name: 'InsufficientDataActions', member: 'insufficientDataActions' },
] as const;

export function constrainAlarm(constraints: Constraints, request: AlarmRequest): Constraints {
  constraints
    .notNull('alarmName', request.AlarmName)
    .length('alarmName', request.AlarmName, 1, LONGEST_NAME)
    .length('alarmDescription', request.AlarmDescription, 0, LONGEST_DESCRIPTION)
    .length('tags', request.Tags, 0, MOST_TAGS);
  for (const { name, member } of ACTION_LISTS) {
    constraints.length(member, request[name], 0, MOST_ACTIONS);
    for (const [index, arn] of (request[name] ?? []).entries()) {
      constraints.length(`${member}.${index + 1}.member`, arn, 1, LONGEST_ACTION);
    }
  }
  return constraints;
}

/** Returns the problems of the actions. @throws AwsError `NotImplemented` */
export function actionProblems(request: AlarmRequest, region: string): readonly string[] {
  return ACTION_LISTS.flatMap(({ name }) => request[name] ?? []).flatMap(arn => actionProblem(arn, region) ?? []);
}

export function commonConfiguration(
  { place, timeline }: ServiceContext<CloudWatchTraceEvent>,
  request: AlarmRequest,
): AlarmConfiguration {
  const alarmName = request.AlarmName ?? '';
  return {
    alarmName,
    alarmArn: alarmArn(place, alarmName),
    alarmDescription: request.AlarmDescription,
    updatedAtMs: timeline.nowMs,
    actionsEnabled: request.ActionsEnabled ?? true,
    actions: {
      OK: request.OKActions ?? [],
      ALARM: request.AlarmActions ?? [],
      INSUFFICIENT_DATA: request.InsufficientDataActions ?? [],
    },
  };
}

/** The services that an alarm's actions can call on AWS. */
const VENDORS: Readonly<Record<string, { readonly what: string; readonly isImplemented: boolean }>> = {
  sns: { what: 'SNS topics', isImplemented: true },
  lambda: { what: 'Lambda functions', isImplemented: true },
  automate: { what: 'EC2 actions', isImplemented: false },
  swf: { what: 'EC2 actions', isImplemented: false },
  autoscaling: { what: 'Auto Scaling policies', isImplemented: false },
  ssm: { what: 'Systems Manager OpsItems', isImplemented: false },
  'ssm-incidents': { what: 'Incident Manager response plans', isImplemented: false },
  aiops: { what: 'CloudWatch investigations', isImplemented: false },
};

/** Why an alarm cannot have an action in the embedded AWS that it can have on AWS; undefined if it can. */
export function notImplementedAction(arn: string): string | undefined {
  const vendor = parseArn(arn)?.service ?? '';
  const known = Object.hasOwn(VENDORS, vendor) ? VENDORS[vendor] : undefined;
  return known && !known.isImplemented
    ? notImplemented(`${known.what} as actions of alarms (${arn})`).message
    : undefined;
}

/**
 * Returns the problem of an alarm's action, in AWS's words; undefined when it is valid.
 *
 * @param here the Region of the alarm
 */
export function actionProblem(arn: string, here: string): string | undefined {
  const { service: vendor, region = '' } = parseArn(arn) ?? {};
  if (vendor === undefined) return `Invalid arn syntax: ${arn}`;
  const known = Object.hasOwn(VENDORS, vendor) ? VENDORS[vendor] : undefined;
  if (!known) return `Unsupported AWS vendor ${vendor}`;
  if (!known.isImplemented) throw notImplemented(`${known.what} as actions of alarms (${arn})`);
  return region === '' || region === here
    ? undefined
    : `Invalid region ${region} specified. Only ${here} is supported.`;
}
