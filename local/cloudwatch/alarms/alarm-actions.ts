import { parseArn } from '../../../policy/arn';
import { MINUTE_MS } from '../../../policy/time-units';
import type { AwsError } from '../../kernel/aws-error';
import { type Latency, serviceCaller } from '../../kernel/caller';
import { isFifoName } from '../../kernel/messaging';
import type { ServiceContext } from '../../kernel/service-api';
import { callService, isTransient } from '../../kernel/service-call';
import type { CloudWatchDependencies } from '../ports';
import type { CloudWatchTraceEvent } from '../trace-events';
import type { Alarm, AlarmChangeHandler, AlarmRegistry, Operation, StateChange } from './alarm';
import { cloudWatchInstant } from './alarm-configuration';
import { jsonText } from './json-text';
import { MutedActions } from './muted-actions';
import { subjectOf } from './notification';

/**
 * The interval at which a failed or throttled notification is retried until the topic or function accepts it.
 *
 * **Assumption CW-5:** AWS documents that CloudWatch retries functions, but not how often, and says nothing about
 * topics. Here both are retried once a minute. An alarm acts only on a change, so a notification that is not retried
 * would be lost.
 *
 * @see https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/alarms-and-actions-Lambda.html
 */
const RETRY_AFTER_MS = MINUTE_MS;

interface DueAction {
  readonly alarm: Alarm;
  readonly change: StateChange;
  readonly actionArn: string;
}

/** Sends the changes of alarms to topics, functions and EventBridge. */
export class AlarmActions implements AlarmChangeHandler {
  /** The mute rules, and the actions that they hold back. */
  readonly muted: MutedActions;

  constructor(
    private readonly context: ServiceContext<CloudWatchTraceEvent>,
    private readonly dependencies: CloudWatchDependencies,
    alarms: AlarmRegistry,
  ) {
    this.muted = new MutedActions(context.timeline, alarms, (alarm, change) => this.run(alarm, change));
  }

  stateChanged(alarm: Alarm, { previous, next }: StateChange): void {
    this.emit(alarm, 'CloudWatch Alarm State Change', {
      alarmName: alarm.name,
      state: alarm.eventState(next),
      previousState: alarm.eventState(previous),
      configuration: alarm.eventConfiguration(),
    });
  }

  configurationChanged(alarm: Alarm, operation: Operation): void {
    const { alarmDescription: description, actionsEnabled, updatedAtMs, actions } = alarm.configuration;
    this.emit(alarm, 'CloudWatch Alarm Configuration Change', {
      alarmName: alarm.name,
      operation,
      state: alarm.eventState(alarm.state),
      configuration: {
        ...alarm.eventConfiguration(),
        alarmName: alarm.name,
        description,
        actionsEnabled,
        timestamp: cloudWatchInstant(updatedAtMs),
        okActions: actions.OK,
        alarmActions: actions.ALARM,
        insufficientDataActions: actions.INSUFFICIENT_DATA,
      },
    });
  }

  execute(alarm: Alarm, change: StateChange): void {
    const by = this.muted.hold(alarm, change);
    if (by === undefined) {
      this.run(alarm, change);
      return;
    }
    const { alarmName, alarmArn } = alarm.configuration;
    this.context.trace.record({ type: 'cloudwatch.actions-muted', alarmName, alarmArn, by });
  }

  private run(alarm: Alarm, change: StateChange): void {
    const { actionsEnabled, actions } = alarm.configuration;
    if (!actionsEnabled) return;
    for (const actionArn of actions[change.next.value]) this.runOnce({ alarm, change, actionArn });
  }

  private emit(
    { configuration: { alarmArn } }: Alarm,
    detailType: 'CloudWatch Alarm State Change' | 'CloudWatch Alarm Configuration Change',
    detail: Readonly<Record<string, unknown>>,
  ): void {
    this.dependencies.events().emit({ source: 'aws.cloudwatch', detailType, resources: [alarmArn], detail });
  }

  /**
   * Runs an action once. A rejected call does not change the alarm: only its history and the trace record the failure.
   */
  private runOnce(action: DueAction): void {
    const isFunction = parseArn(action.actionArn)?.service === 'lambda';
    const call = (latency: Latency) => (isFunction ? this.invoke(action, latency) : this.publish(action, latency));
    callService(this.context.timeline, call, {
      answered: () => this.recordSuccess(action),
      refused: error => this.recordFailure(action, error),
    });
  }

  private publish({ alarm, change, actionArn }: DueAction, latency: Latency): unknown {
    const { place, random } = this.context;
    const caller = serviceCaller('cloudwatch.amazonaws.com', alarm.configuration.alarmArn, place.account);
    return this.dependencies.sns().call(
      'Publish',
      { ...caller, latency },
      {
        TopicArn: actionArn,
        Subject: subjectOf(place, alarm.name, change),
        Message: jsonText(alarm.notification(change)),
        // A FIFO topic delivers an alarm's changes in order. **Assumption CW-6:** AWS does not publish the message
        // group that CloudWatch uses.
        ...(isFifoName(actionArn) ? { MessageGroupId: 'CloudWatch', MessageDeduplicationId: random.uuid() } : {}),
      },
    );
  }

  private invoke({ alarm, change, actionArn }: DueAction, latency: Latency): unknown {
    const { account, region } = this.context.place;
    const { alarmArn } = alarm.configuration;
    const payload = {
      source: 'aws.cloudwatch',
      alarmArn,
      accountId: account,
      time: cloudWatchInstant(change.next.updatedAtMs),
      region,
      alarmData: {
        alarmName: alarm.name,
        state: alarm.eventState(change.next),
        previousState: alarm.eventState(change.previous),
        configuration: alarm.eventConfiguration(),
      },
    };
    const caller = serviceCaller('lambda.alarms.cloudwatch.amazonaws.com', alarmArn, account);
    return this.dependencies.lambda().call(
      'Invoke',
      { ...caller, latency },
      {
        FunctionName: actionArn,
        InvocationType: 'Event',
        Payload: JSON.stringify(payload),
      },
    );
  }

  private recordSuccess({ alarm, change, actionArn }: DueAction): void {
    const { alarmName, alarmArn } = alarm.configuration;
    this.context.trace.record({ type: 'cloudwatch.action-executed', alarmName, alarmArn, actionArn });
    alarm.history.add('Action', `Successfully executed action ${actionArn}`, {
      actionState: 'Succeeded',
      notificationResource: actionArn,
      stateUpdateTimestamp: change.next.updatedAtMs,
    });
  }

  private recordFailure(action: DueAction, error: AwsError): void {
    const { alarm, change, actionArn } = action;
    const { alarmName, alarmArn } = alarm.configuration;
    const reason = `${error.code}: ${error.message}`;
    this.context.trace.record({ type: 'cloudwatch.action-failed', alarmName, alarmArn, actionArn, reason });
    alarm.history.add('Action', `Failed to execute action ${actionArn}. Received error: "${error.message}"`, {
      actionState: 'Failed',
      notificationResource: actionArn,
      stateUpdateTimestamp: change.next.updatedAtMs,
      error: error.message,
    });
    if (isTransient(error)) this.retryLater(action);
  }

  private retryLater(action: DueAction): void {
    const { timeline } = this.context;
    timeline.inBackground(timeline.nowMs + RETRY_AFTER_MS, () => this.runOnce(action));
  }
}
