import type { Api, InputOf, OutputOf } from '../kernel/api';
import { AwsError } from '../kernel/aws-error';
import { administrator, type Caller } from '../kernel/caller';
import { arnIn } from '../kernel/place';
import type { ServiceContext } from '../kernel/services';
import type { Measurement, MetricSink } from '../kernel/telemetry';
import { deleteAlarms } from './actions/delete-alarms';
import { describeAlarmHistory } from './actions/describe-alarm-history';
import { describeAlarms } from './actions/describe-alarms';
import { getMetricData } from './actions/get-metric-data';
import { getMetricStatistics } from './actions/get-metric-statistics';
import { putMetricAlarm } from './actions/put-metric-alarm';
import { putMetricData } from './actions/put-metric-data';
import { setAlarmState } from './actions/set-alarm-state';
import type { AlarmState } from './alarms/alarm';
import type { CloudWatchActionName, CloudWatchActions } from './cloud-watch-actions';
import { CloudWatchState } from './cloud-watch-state';
import type { CloudWatchHappening } from './happenings';
import { valueSet } from './metrics/statistics';
import type { AlarmActionTarget } from './ports';

/** Every AWS service reports its metrics by the minute. */
const SERVICE_RESOLUTION_SECONDS = 60;

/** CloudWatch's metrics and alarms. Other services report through `put`, everybody else comes in through `call`. */
export class CloudWatch implements Api<CloudWatchActions>, MetricSink {
  private readonly state: CloudWatchState;
  private readonly actions: CloudWatchActions;

  constructor(
    private readonly context: Omit<ServiceContext<CloudWatchHappening>, 'metrics'>,
    actionTarget: AlarmActionTarget,
  ) {
    this.state = new CloudWatchState({ ...context, metrics: this }, actionTarget);
    this.actions = {
      DeleteAlarms: deleteAlarms(this.state),
      DescribeAlarmHistory: describeAlarmHistory(this.state),
      DescribeAlarms: describeAlarms(this.state),
      GetMetricData: getMetricData(this.state),
      GetMetricStatistics: getMetricStatistics(this.state),
      PutMetricAlarm: putMetricAlarm(this.state),
      PutMetricData: putMetricData(this.state),
      SetAlarmState: setAlarmState(this.state),
    };
  }

  put({ namespace, name, dimensions, value, unit = 'Count' }: Measurement): void {
    const { nowMs } = this.context.timeline;
    const series = this.state.metrics.series(namespace, name, dimensions);
    series.add(nowMs, nowMs, valueSet(value), unit, SERVICE_RESOLUTION_SECONDS);
  }

  call<Name extends CloudWatchActionName>(
    action: Name,
    caller: Caller,
    input: InputOf<CloudWatchActions[Name]>,
  ): OutputOf<CloudWatchActions[Name]> {
    const resource = this.resourceOf(action, input);
    const fault = this.context.faults.check('cloudwatch', action, resource);
    if (fault) throw fault;
    const permission = `cloudwatch:${action}`;
    const { allowed, reason } = this.context.access.decide({ caller, action: permission, resource });
    if (!allowed) throw new AwsError('AccessDenied', `Not authorized to perform ${permission}: ${reason}`, 403);
    const run = this.actions[action] as (call: object) => OutputOf<CloudWatchActions[Name]>;
    return run({ caller, input, requestId: this.context.random.uuid() });
  }

  /** Whether the embedded AWS has this action. */
  implements(action: string): boolean {
    return Object.hasOwn(this.actions, action);
  }

  /** What an administrator reads of an alarm's state. */
  alarmState(alarmName: string): AlarmState | undefined {
    return this.state.alarm(alarmName)?.state;
  }

  /** An administrator's view, for the library and for resources that are deployed. */
  get owner(): Caller {
    return administrator(this.context.place.account);
  }

  private resourceOf(action: CloudWatchActionName, input: object): string {
    if (!action.includes('Alarm')) return '*';
    const name = 'AlarmName' in input && typeof input.AlarmName === 'string' ? input.AlarmName : '*';
    return arnIn(this.context.place, 'cloudwatch', `alarm:${name}`);
  }
}
