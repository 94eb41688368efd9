import {
  type AlarmType,
  type CloudWatchClient,
  DescribeAlarmHistoryCommand,
  DescribeAlarmsCommand,
} from '@aws-sdk/client-cloudwatch';
import { GetEventSourceMappingCommand, type LambdaClient } from '@aws-sdk/client-lambda';
import { GetQueueAttributesCommand, type QueueAttributeName, type SQSClient } from '@aws-sdk/client-sqs';
import { GetParameterCommand, ParameterNotFound, type SSMClient } from '@aws-sdk/client-ssm';
import type { HealthAlarmFacts, QueueDepth, RedriveFacts } from '../../policy/redrive/redrive-facts';
import type { RedriveSettings } from '../../policy/redrive/redrive-settings';
import { isNotFound } from './aws-calls';

const AttributeNames: QueueAttributeName[] = [
  'ApproximateNumberOfMessages',
  'ApproximateNumberOfMessagesNotVisible',
  'ApproximateNumberOfMessagesDelayed',
];

/**
 * Reads how many messages a queue holds.
 * @returns undefined if the queue does not exist
 * @see https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_GetQueueAttributes.html
 */
export async function readQueueDepth(client: SQSClient, QueueUrl: string): Promise<QueueDepth | undefined> {
  try {
    const { Attributes = {} } = await client.send(new GetQueueAttributesCommand({ QueueUrl, AttributeNames }));
    return {
      visible: Number(Attributes.ApproximateNumberOfMessages ?? 0),
      inFlight: Number(Attributes.ApproximateNumberOfMessagesNotVisible ?? 0),
      delayed: Number(Attributes.ApproximateNumberOfMessagesDelayed ?? 0),
    };
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}

/** Both must be named: by default CloudWatch omits composite alarms. */
const AlarmTypes: AlarmType[] = ['MetricAlarm', 'CompositeAlarm'];

/** The maximum of names in one request, and of alarms in one response. */
const MAX_NAMES = 100;

export interface AlarmNames {
  /** Alarms that must be OK. */
  readonly healthAlarms: readonly string[];
  /** Alarms whose recovery starts a run. They must be OK as well. */
  readonly recoveryAlarms: readonly string[];
}

async function described(client: CloudWatchClient, AlarmNames: string[]): Promise<readonly HealthAlarmFacts[]> {
  const { MetricAlarms = [], CompositeAlarms = [] } = await client.send(
    new DescribeAlarmsCommand({ AlarmNames, AlarmTypes, MaxRecords: MAX_NAMES }),
  );
  return [...MetricAlarms, ...CompositeAlarms].flatMap(alarm => {
    const { AlarmName: name, StateValue: state, StateTransitionedTimestamp, StateUpdatedTimestamp } = alarm;
    const since = StateTransitionedTimestamp ?? StateUpdatedTimestamp;
    return name && state ? [{ name, state, ...(since && { sinceMs: since.getTime() }) }] : [];
  });
}

interface Transition {
  readonly oldState?: { readonly stateValue?: string };
  readonly newState?: { readonly stateValue?: string };
}

/** The newest and the one before it: an alarm never changes from INSUFFICIENT_DATA to INSUFFICIENT_DATA. */
const TRANSITIONS = 2;

/**
 * Whether the alarm changed from ALARM to OK, directly or through INSUFFICIENT_DATA: while a consumer is broken, the traffic that
 * feeds its alarm may stop before it is fixed.
 * @see https://docs.aws.amazon.com/AmazonCloudWatch/latest/APIReference/API_DescribeAlarmHistory.html
 */
async function hasRecovered(client: CloudWatchClient, AlarmName: string): Promise<boolean> {
  const { AlarmHistoryItems = [] } = await client.send(
    new DescribeAlarmHistoryCommand({
      AlarmName,
      AlarmTypes,
      HistoryItemType: 'StateUpdate',
      ScanBy: 'TimestampDescending',
      MaxRecords: TRANSITIONS,
    }),
  );
  const [newest, before] = AlarmHistoryItems.map(({ HistoryData = '{}' }): Transition => JSON.parse(HistoryData));
  if (newest?.newState?.stateValue !== 'OK') return false;
  const { stateValue } = newest.oldState ?? {};
  return (stateValue === 'INSUFFICIENT_DATA' ? before?.oldState?.stateValue : stateValue) === 'ALARM';
}

function namesIn({ healthAlarms, recoveryAlarms }: AlarmNames): readonly string[] {
  return [...new Set([...recoveryAlarms, ...healthAlarms])];
}

/** The facts about alarms that AWS does not let the function read. */
export function unreadAlarms(names: AlarmNames): readonly HealthAlarmFacts[] {
  return namesIn(names).map(name => ({ name, state: 'unread' }));
}

/**
 * Reads the state of alarms, and whether recovery alarms have recovered.
 * @param sinceMs earlier recoveries do not matter, and their history is not read
 * @see https://docs.aws.amazon.com/AmazonCloudWatch/latest/APIReference/API_DescribeAlarms.html
 */
export async function readAlarmFacts(
  client: CloudWatchClient,
  alarms: AlarmNames,
  sinceMs: number,
): Promise<readonly HealthAlarmFacts[]> {
  const missing = namesIn(alarms).map((name): HealthAlarmFacts => ({ name, state: 'missing' }));
  const found: HealthAlarmFacts[] = [];
  for (let from = 0; from < missing.length; from += MAX_NAMES) {
    const names = missing.slice(from, from + MAX_NAMES).map(({ name }) => name);
    found.push(...(await described(client, names)));
  }
  const all = missing.map(alarm => found.find(({ name }) => name === alarm.name) ?? alarm);
  return Promise.all(
    all.map(async alarm => {
      const isRecentlyOk = alarm.state === 'OK' && (alarm.sinceMs ?? 0) > sinceMs;
      if (!isRecentlyOk || !alarms.recoveryAlarms.includes(alarm.name)) return alarm;
      return { ...alarm, recovered: await hasRecovered(client, alarm.name) };
    }),
  );
}

type MappingFacts = RedriveFacts['mappings'][number];

/**
 * Reads the state of an event source mapping.
 * @see https://docs.aws.amazon.com/lambda/latest/api/API_GetEventSourceMapping.html
 */
export async function readMapping(client: LambdaClient, id: string): Promise<MappingFacts> {
  try {
    const { State = 'missing' } = await client.send(new GetEventSourceMappingCommand({ UUID: id }));
    return { id, state: State };
  } catch (error) {
    if (isNotFound(error)) return { id, state: 'missing' };
    throw error;
  }
}

export type KillSwitch = Pick<RedriveSettings, 'switchParameter' | 'switchMayBeAbsent'>;

/**
 * Reads the kill switch.
 * @see https://docs.aws.amazon.com/systems-manager/latest/APIReference/API_GetParameter.html
 */
export async function readKillSwitch(
  client: SSMClient,
  { switchParameter: Name, switchMayBeAbsent }: KillSwitch,
): Promise<RedriveFacts['killSwitch']> {
  try {
    const { Parameter } = await client.send(new GetParameterCommand({ Name }));
    const value = Parameter?.Value;
    return value === 'on' || value === 'off' ? value : 'unknown';
  } catch (error) {
    if (switchMayBeAbsent && error instanceof ParameterNotFound) return 'on';
    throw error;
  }
}
