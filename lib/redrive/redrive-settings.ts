import { Lazy } from 'aws-cdk-lib';
import type { IAlarm } from 'aws-cdk-lib/aws-cloudwatch';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import type { IStringParameter } from 'aws-cdk-lib/aws-ssm';
import type { QueueName, RedriveSettings } from '../../policy/redrive/redrive-settings';
import { milliseconds } from '../relay/unknown-durations';
import { isOwnKillSwitch } from './own-switch';
import { type RedriveDestination, ReplayedForm } from './redrive-destination';
import { REDRIVE_DEFAULTS, type RedrivePlan, TICK } from './redrive-plan';
import type { RedriveProps } from './redrive-props';

/** What the settings name that is no property. */
export interface RedriveParts {
  /** The path of the construct. */
  readonly name: string;
  readonly killSwitch: IStringParameter;
  /** Of the mappings that read the destination, as many as there are when the app is synthesized. */
  readonly mappingIds: () => readonly string[];
}

function nameOf({ queueUrl: url, queueArn: arn }: IQueue): QueueName {
  return { url, arn };
}

function destinationOf({
  targetQueue: queue,
  handler,
  form,
  subscriptionArn,
}: RedriveDestination): RedriveSettings['destination'] {
  if (queue) return { kind: 'queue', ...nameOf(queue) };
  if (!handler) throw new Error('a destination is a queue or a function');
  const bodyIs = form === ReplayedForm.EVENT ? 'event' : 'envelope';
  return { kind: 'function', arn: handler.functionArn, bodyIs, ...(subscriptionArn && { subscriptionArn }) };
}

const namesOf = (alarms: readonly IAlarm[] = []) => alarms.map(({ alarmName }) => alarmName);

/** What the function of a redrive is told, in its environment. */
export function settingsOf(props: RedriveProps, terms: RedrivePlan, parts: RedriveParts): RedriveSettings {
  const { destination, quarantine, maxBacklog, maxAge, resultsTopic } = props;
  const failures = destination.deadLetterQueue;
  return {
    enabled: props.enabled ?? false,
    name: parts.name,
    deadLetters: nameOf(props.deadLetterQueue),
    destination: destinationOf(destination),
    carrier: terms.carrier,
    mayCarry: terms.mayCarry,
    ...(failures && { failures: nameOf(failures) }),
    ...(quarantine && { quarantine: nameOf(quarantine) }),
    mappingIds: Lazy.list({ produce: () => [...parts.mappingIds()] }),
    recoveryAlarms: namesOf(props.recoveryAlarms),
    healthAlarms: namesOf(props.healthAlarms),
    healthyForMs: milliseconds(props.healthyFor ?? REDRIVE_DEFAULTS.healthyFor),
    ...(maxBacklog !== undefined && { maxBacklog }),
    ...(maxAge && { maxAgeSeconds: maxAge.toSeconds() }),
    proofOfHealth: props.proofOfHealth ?? destination.targetQueue !== undefined,
    steps: terms.steps,
    settleMs: milliseconds(terms.settle),
    maxReturnedPercent: props.maxReturnedPercent ?? REDRIVE_DEFAULTS.maxReturnedPercent,
    restMs: milliseconds(props.restAfterReturn ?? REDRIVE_DEFAULTS.restAfterReturn),
    runsPerDay: props.runsPerDay ?? REDRIVE_DEFAULTS.runsPerDay,
    messagesPerDay: props.messagesPerDay ?? REDRIVE_DEFAULTS.messagesPerDay,
    switchParameter: parts.killSwitch.parameterName,
    switchMayBeAbsent: isOwnKillSwitch(parts.killSwitch),
    tickMs: TICK.toMilliseconds(),
    functionTimeoutMs: terms.timeout.toMilliseconds(),
    ...(resultsTopic && { resultsTopicArn: resultsTopic.topicArn }),
  };
}
