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
import { isNotFound } from '../aws-calls';

const AttributeNames: QueueAttributeName[] = [
  'ApproximateNumberOfMessages',
  'ApproximateNumberOfMessagesNotVisible',
  'ApproximateNumberOfMessagesDelayed',
];

/**
 * @returns undefined where there is no such queue
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

/** Both, for CloudWatch leaves composite alarms out where nobody asks for them. */
const AlarmTypes: AlarmType[] = ['MetricAlarm', 'CompositeAlarm'];

/** As many names as one request takes, and as many alarms as one answer has. */
const MAX_NAMES = 100;

/** Which alarms are asked after. */
export interface AlarmNames {
  /** Those that must be OK. */
  readonly healthAlarms: readonly string[];
  /** Those whose recovery starts a run, and that must be OK as well. */
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

/** The newest of them, and the one before, for nothing goes from no data to no data. */
const TRANSITIONS = 2;

/**
 * Whether the alarm was in ALARM when it was last known to be in anything. Without data in between it is a recovery all the same:
 * where the consumer is broken, the traffic that told of it may dry up before it is mended.
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

/** What is known of alarms AWS does not let us look at. */
export function unreadAlarms(asked: AlarmNames): readonly HealthAlarmFacts[] {
  return namesIn(asked).map(name => ({ name, state: 'unread' }));
}

/**
 * @param sinceMs recoveries before it do not matter, and are not asked for
 * @see https://docs.aws.amazon.com/AmazonCloudWatch/latest/APIReference/API_DescribeAlarms.html
 */
export async function readAlarmFacts(
  client: CloudWatchClient,
  asked: AlarmNames,
  sinceMs: number,
): Promise<readonly HealthAlarmFacts[]> {
  const missing = namesIn(asked).map((name): HealthAlarmFacts => ({ name, state: 'missing' }));
  const found: HealthAlarmFacts[] = [];
  for (let from = 0; from < missing.length; from += MAX_NAMES) {
    const names = missing.slice(from, from + MAX_NAMES).map(({ name }) => name);
    found.push(...(await described(client, names)));
  }
  const all = missing.map(alarm => found.find(({ name }) => name === alarm.name) ?? alarm);
  return Promise.all(
    all.map(async alarm => {
      const isOkOfLate = alarm.state === 'OK' && (alarm.sinceMs ?? 0) > sinceMs;
      if (!isOkOfLate || !asked.recoveryAlarms.includes(alarm.name)) return alarm;
      return { ...alarm, recovered: await hasRecovered(client, alarm.name) };
    }),
  );
}

type MappingFacts = RedriveFacts['mappings'][number];

/** @see https://docs.aws.amazon.com/lambda/latest/api/API_GetEventSourceMapping.html */
export async function readMapping(client: LambdaClient, id: string): Promise<MappingFacts> {
  try {
    const { State = 'missing' } = await client.send(new GetEventSourceMappingCommand({ UUID: id }));
    return { id, state: State };
  } catch (error) {
    if (isNotFound(error)) return { id, state: 'missing' };
    throw error;
  }
}

/** The parameter that switches a redrive. */
export type KillSwitch = Pick<RedriveSettings, 'switchParameter' | 'switchMayBeAbsent'>;

/** @see https://docs.aws.amazon.com/systems-manager/latest/APIReference/API_GetParameter.html */
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
