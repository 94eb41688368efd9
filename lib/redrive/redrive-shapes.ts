import type { ScheduleExpression } from 'aws-cdk-lib/aws-scheduler';
import { ALARM_SET } from '../shared/alarm-set';
import {
  ALARM_ACTIONS,
  ALARMS,
  DURATION,
  PARAMETER,
  QUEUE,
  REMOVAL_POLICY,
  RETENTION_DAYS,
  TOPIC,
} from '../shared/cdk-shapes';
import { BOOLEAN, having, listOf, NUMBER, optional, struct } from '../shared/shapes';
import type { IRedriveDestination } from './i-redrive-destination';
import type { Quarantine } from './quarantine';
import type { RedriveOptions, RedriveProps, RedriveStep } from './redrive-props';

const STEP = struct<RedriveStep>({ messagesPerSecond: NUMBER, messages: optional(NUMBER) });

export const QUARANTINE = having<Quarantine>('a Quarantine', 'queueArn', 'ageAlarm');

export const REDRIVE_OPTIONS = struct<RedriveOptions>({
  enabled: optional(BOOLEAN),
  schedules: optional(listOf(having<ScheduleExpression>('a ScheduleExpression', 'expressionString'))),
  recoveryAlarms: optional(ALARMS),
  healthAlarms: optional(ALARMS),
  healthyFor: optional(DURATION),
  proofOfHealth: optional(BOOLEAN),
  maxBacklog: optional(NUMBER),
  maxAge: optional(DURATION),
  maxMessagesPerSecond: optional(NUMBER),
  steps: optional(listOf(STEP)),
  settle: optional(DURATION),
  maxReturnedPercent: optional(NUMBER),
  restAfterReturn: optional(DURATION),
  runsPerDay: optional(NUMBER),
  messagesPerDay: optional(NUMBER),
  killSwitch: optional(PARAMETER),
  quarantine: optional(QUARANTINE),
  resultsTopic: optional(TOPIC),
  alarms: optional(ALARM_SET),
  alarmActions: optional(ALARM_ACTIONS),
  allowFifo: optional(BOOLEAN),
  anchor: optional(BOOLEAN),
  logRetention: optional(RETENTION_DAYS),
  removalPolicy: optional(REMOVAL_POLICY),
});

export const REDRIVE_PROPS = struct<RedriveProps>({
  ...REDRIVE_OPTIONS.members,
  deadLetterQueue: QUEUE,
  destination: having<IRedriveDestination>('a RedriveDestination', 'mappings'),
});
