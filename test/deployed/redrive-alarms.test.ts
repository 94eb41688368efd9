import { CloudWatchClient, PutMetricDataCommand } from '@aws-sdk/client-cloudwatch';
import { Duration } from 'aws-cdk-lib';
import { Rule, Schedule } from 'aws-cdk-lib/aws-events';
import { LambdaFunction as FunctionTarget } from 'aws-cdk-lib/aws-events-targets';
import type { FunctionProps } from 'aws-cdk-lib/aws-lambda';
import { OpsTopic } from '../../lib';
import { redriveRows } from '../../lib/redrive/redrive-alarms';
import { Alarms } from '../../lib/shared/alarms';
import { REDRIVE_STATES, type RedriveState } from '../../policy/redrive/redrive-decision';
import { REDRIVE_METRICS } from '../../policy/redrive/redrive-metrics';
import { Deployed } from '../support/deployed';
import { inlineFunction } from '../support/inline-function';

const LONGEST_LOOK_MINUTES = 15;

/** The alarms of a redrive on a function that is invoked once a minute, and what tells in its place how a look went. */
async function watched(code: string, props: Partial<FunctionProps> = {}) {
  const deployed = await Deployed.stack(stack => {
    const handler = inlineFunction(stack, 'Redrive', code, {
      retryAttempts: 0,
      maxEventAge: Duration.minutes(1),
      ...props,
    });
    new Rule(stack, 'Tick', { schedule: Schedule.rate(Duration.minutes(1)), targets: [new FunctionTarget(handler)] });
    const actions = [new OpsTopic(stack, 'Ops', { email: 'ops@example.com' })];
    const alarms = new Alarms(stack, { actions, unheard: 'A redrive stops' });
    for (const row of redriveRows(handler, Duration.minutes(LONGEST_LOOK_MINUTES))) alarms.watch(row);
  });
  const cloudWatch = new CloudWatchClient(deployed.aws.clientConfig());
  const say = async (state: RedriveState) => {
    const { namespace: Namespace, dimension: Name } = REDRIVE_METRICS;
    const Dimensions = [{ Name, Value: deployed.ref('Redrive') }];
    const Timestamp = new Date(deployed.aws.nowMs);
    const MetricData = [{ MetricName: 'RedriveState', Value: REDRIVE_STATES[state], Timestamp, Dimensions }];
    await cloudWatch.send(new PutMetricDataCommand({ Namespace, MetricData }));
  };
  /** A look a minute, or none. */
  const live = async (looks: readonly (RedriveState | undefined)[]) => {
    for (const state of looks) {
      if (state) await say(state);
      await deployed.advance({ minutes: 1 });
    }
  };
  return { deployed, live };
}

const times = <T>(count: number, it: T): T[] => Array.from({ length: count }, () => it);

describe('The alarms of a redrive', () => {
  test('tell once of each run that stopped, however often that is said, and of none that goes on or ends well', async () => {
    const { deployed, live } = await watched('exports.handler = async () => {};');
    await live(['idle', 'moving', 'settling', 'moving', 'settling', 'settling', 'idle', 'idle']);
    expect(deployed.alarmed('StoppedAlarm')).toEqual([]);
    await live(['moving', ...times(10, 'stopped' as const), ...times(10, undefined), ...times(10, 'stopped' as const)]);
    expect(deployed.alarmed('StoppedAlarm')).toHaveLength(1);
    await live(['moving', 'settling', ...times(5, 'stopped' as const), ...times(3, 'idle' as const)]);
    expect(deployed.alarmed('StoppedAlarm')).toHaveLength(2);
    expect(deployed.rings('StoppedAlarm').at(-1)?.to).toBe('OK');
    expect([...deployed.alarmed('ErrorsAlarm'), ...deployed.alarmed('ThrottlesAlarm')]).toEqual([]);
  });

  test('tell within five minutes that looks fail, and not of one that did', async () => {
    const failing = 'exports.handler = async () => { throw new Error("no such queue"); };';
    const { deployed, live } = await watched(failing);
    await live(times(2, undefined));
    expect(deployed.alarmed('ErrorsAlarm')).toEqual([]);
    await live(times(6, undefined));
    expect(deployed.alarmed('ErrorsAlarm')).toHaveLength(1);
  });

  test('tell of throttles that keep it from looking, and not of those that a long look brings about', async () => {
    const { deployed, live } = await watched('exports.handler = async () => {};', { reservedConcurrentExecutions: 0 });
    for (let look = 0; look < 3; look += 1) await live(['moving', ...times(LONGEST_LOOK_MINUTES - 1, undefined)]);
    expect(await deployed.functionSum('Redrive', 'Throttles')).toBeGreaterThanOrEqual(40);
    expect(deployed.alarmed('ThrottlesAlarm')).toEqual([]);
    await live(times(12, undefined));
    expect(deployed.alarmed('ThrottlesAlarm')).toHaveLength(1);
  });
});
