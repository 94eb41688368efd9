import {
  CloudWatchClient,
  PutMetricAlarmCommand,
  SetAlarmStateCommand,
  type StateValue,
} from '@aws-sdk/client-cloudwatch';
import { readAlarmFacts } from '../../../lambda/redrive/alarms';
import { clientConfig } from '../../../local/facade/client-config';
import { EXAMPLE_PLACE } from '../../../local/kernel/place';
import { Random } from '../../../local/kernel/random';
import { Simulation } from '../../../local/world/world';

const START_MS = Date.UTC(2026, 0, 5, 9);

/** What is known of an alarm that nobody evaluates within this time, after it went through these states, a second each. */
async function alarmAfter(states: readonly StateValue[]) {
  const world = new Simulation({ place: EXAMPLE_PLACE, random: new Random('redrive alarms'), startAtMs: START_MS });
  const client = new CloudWatchClient(clientConfig(world.network, EXAMPLE_PLACE));
  await client.send(
    new PutMetricAlarmCommand({
      AlarmName: 'Failing',
      Namespace: 'Shop',
      MetricName: 'Errors',
      Statistic: 'Sum',
      Period: 60,
      EvaluationPeriods: 1,
      Threshold: 0,
      ComparisonOperator: 'GreaterThanThreshold',
    }),
  );
  for (const StateValue of states) {
    await world.timeline.advanceTo(world.timeline.nowMs + 1_000);
    await client.send(new SetAlarmStateCommand({ AlarmName: 'Failing', StateValue, StateReason: 'a drill' }));
  }
  const [facts] = await readAlarmFacts(client, { recoveryAlarms: ['Failing'], healthAlarms: [] }, START_MS);
  return facts;
}

test.each<[boolean, readonly StateValue[]]>([
  [true, ['ALARM', 'OK']],
  [true, ['ALARM', 'INSUFFICIENT_DATA', 'OK']],
  [true, ['OK', 'ALARM', 'INSUFFICIENT_DATA', 'OK']],
  [false, ['OK']],
  [false, ['ALARM', 'OK', 'INSUFFICIENT_DATA', 'OK']],
])('It is %s that an alarm has recovered which is OK after %j', async (recovered, states) => {
  expect(await alarmAfter(states)).toEqual({
    name: 'Failing',
    state: 'OK',
    sinceMs: START_MS + states.length * 1_000,
    recovered,
  });
});

test('Of one that is not OK nobody asks whether it has recovered', async () => {
  expect(await alarmAfter(['ALARM', 'INSUFFICIENT_DATA'])).toEqual({
    name: 'Failing',
    state: 'INSUFFICIENT_DATA',
    sinceMs: START_MS + 2_000,
  });
});
