import {
  type AlarmType,
  type CloudWatchClient,
  DescribeAlarmHistoryCommand,
  DescribeAlarmsCommand,
} from '@aws-sdk/client-cloudwatch';
import type { HealthAlarmFacts } from '../../policy/redrive/redrive-facts';

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
