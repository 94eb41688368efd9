import type { CompositeAlarm, PutCompositeAlarmInput, PutMetricAlarmInput } from '@aws-sdk/client-cloudwatch';
import type { CloudWatchActions } from '../../../local/cloudwatch/actions';
import { CloudWatch } from '../../../local/cloudwatch/cloud-watch';
import type { AlarmEvent } from '../../../local/cloudwatch/ports';
import type { CloudWatchTraceEvent } from '../../../local/cloudwatch/trace-events';
import type { AccessRequest } from '../../../local/kernel/access';
import { AwsError } from '../../../local/kernel/aws-error';
import type { Caller } from '../../../local/kernel/caller';
import { Faults } from '../../../local/kernel/faults';
import { EXAMPLE_PLACE } from '../../../local/kernel/place';
import { Random } from '../../../local/kernel/random';
import type { InputOf, OutputOf } from '../../../local/kernel/service-api';
import { Timeline } from '../../../local/kernel/timeline';
import { Trace } from '../../../local/kernel/trace';
import { MINUTE_MS } from '../../../policy/time-units';

export const START_MS = Date.parse('2026-01-02T00:00:00Z');
export const OPS_TOPIC = 'arn:aws:sns:us-east-1:123456789012:Ops';
export const REFUSING_TOPIC = 'arn:aws:sns:us-east-1:123456789012:Refuses-CloudWatch';

interface Notified {
  readonly atMs: number;
  readonly actionArn: string;
  readonly caller: Caller;
  readonly subject: string;
  readonly message: string;
  readonly groupId?: string;
}

interface Invoked {
  readonly atMs: number;
  readonly actionArn: string;
  readonly caller: Caller;
  readonly payload: string;
}

/** A CloudWatch on a timeline of its own; every topic but one takes what alarms publish. */
export class CloudWatchFixture {
  readonly timeline = new Timeline(START_MS);
  readonly trace = new Trace<CloudWatchTraceEvent>(this.timeline);
  readonly notified: Notified[] = [];
  readonly invoked: Invoked[] = [];
  /** What the next topics and functions are answered, in their order. */
  readonly refusals: AwsError[] = [];
  /** The events sent to EventBridge. */
  readonly events: { readonly atMs: number; readonly event: AlarmEvent }[] = [];
  readonly faults = new Faults(this.timeline);
  /** Actions that are denied to every caller. */
  readonly denied = new Set<string>();

  readonly cloudWatch = new CloudWatch(
    {
      place: EXAMPLE_PLACE,
      timeline: this.timeline,
      random: new Random('cloudwatch'),
      access: {
        decide: ({ action }: AccessRequest) =>
          this.denied.has(action) ? { allowed: false, reason: 'denied by this test' } : { allowed: true, reason: '' },
      },
      keys: { decide: () => ({ allowed: true, reason: '' }) },
      faults: this.faults,
      trace: this.trace,
    },
    {
      sns: () => ({
        call: (
          _,
          caller,
          { TopicArn: actionArn = '', Subject: subject = '', Message: message = '', MessageGroupId },
        ) => {
          if (actionArn === REFUSING_TOPIC) {
            throw new AwsError(
              'AuthorizationError',
              'CloudWatch Alarms is not authorized to perform: SNS:Publish',
              403,
            );
          }
          this.beAnswered(caller);
          const groupId = MessageGroupId === undefined ? {} : { groupId: MessageGroupId };
          this.notified.push({ atMs: this.timeline.nowMs, actionArn, caller, subject, message, ...groupId });
          return {};
        },
      }),
      lambda: () => ({
        call: (_, caller, { FunctionName: actionArn, Payload: payload }) => {
          this.beAnswered(caller);
          this.invoked.push({ atMs: this.timeline.nowMs, actionArn, caller, payload });
        },
      }),
      events: () => ({ emit: event => this.events.push({ atMs: this.timeline.nowMs, event }) }),
    },
  );

  /** How late topics and functions answer. */
  latencyMs = 0;

  private beAnswered({ latency }: Caller): void {
    if (latency) latency.ms = this.latencyMs;
    const refusal = this.refusals.shift();
    if (refusal) throw refusal;
  }

  /** Reports `value` as a service does, now. */
  report(value: number, name = 'NumberOfMessagesSent'): void {
    this.cloudWatch.put({ namespace: 'AWS/SQS', name, dimensions: { QueueName: 'Rental-Billing-DLQ' }, value });
  }

  /** Lets `minutes` minutes pass. */
  async advanceMinutes(minutes: number): Promise<number> {
    return this.timeline.advanceTo(this.timeline.nowMs + minutes * MINUTE_MS);
  }

  /** What an administrator is answered. */
  ask<Name extends keyof CloudWatchActions>(
    action: Name,
    input: InputOf<CloudWatchActions[Name]>,
  ): OutputOf<CloudWatchActions[Name]> {
    return this.cloudWatch.call(action, this.cloudWatch.owner, input);
  }

  state(alarmName = 'Dead-Letters'): string | undefined {
    return this.cloudWatch.alarmState(alarmName)?.value;
  }
}

/** An alarm that fires when a message comes to the dead-letter queue. */
export const DEAD_LETTERS: PutMetricAlarmInput = {
  AlarmName: 'Dead-Letters',
  AlarmDescription: 'A message could not be delivered',
  AlarmActions: [OPS_TOPIC],
  Namespace: 'AWS/SQS',
  MetricName: 'NumberOfMessagesSent',
  Dimensions: [{ Name: 'QueueName', Value: 'Rental-Billing-DLQ' }],
  Statistic: 'Sum',
  Period: 60,
  EvaluationPeriods: 1,
  Threshold: 0,
  ComparisonOperator: 'GreaterThanThreshold',
  TreatMissingData: 'notBreaching',
};

/** A world with this one alarm, or one that differs from it. */
export function worldWith(alarm: Partial<PutMetricAlarmInput> = {}): CloudWatchFixture {
  const world = new CloudWatchFixture();
  world.cloudWatch.call('PutMetricAlarm', world.cloudWatch.owner, { ...DEAD_LETTERS, ...alarm });
  return world;
}

export const alarmArn = (name: string): string => `arn:aws:cloudwatch:us-east-1:123456789012:alarm:${name}`;

/** A world with quiet alarms of these names, each on a metric of its name, and above them a composite alarm, `Above`. */
export function worldUnder(
  rule: string,
  names: string[],
  more: Partial<PutCompositeAlarmInput> = {},
): CloudWatchFixture {
  const world = new CloudWatchFixture();
  for (const AlarmName of names) {
    world.ask('PutMetricAlarm', { ...DEAD_LETTERS, AlarmName, AlarmActions: [], MetricName: AlarmName });
  }
  world.ask('PutCompositeAlarm', { AlarmName: 'Above', AlarmRule: rule, AlarmActions: [OPS_TOPIC], ...more });
  return world;
}

/** What is said of the composite alarm. */
export const describedAbove = (world: CloudWatchFixture): CompositeAlarm | undefined =>
  world.ask('DescribeAlarms', { AlarmNames: ['Above'], AlarmTypes: ['CompositeAlarm'] }).CompositeAlarms?.[0];

/** Puts an alarm into a state by hand. */
export function drill(
  world: CloudWatchFixture,
  AlarmName: string,
  StateValue: 'OK' | 'ALARM' | 'INSUFFICIENT_DATA',
): void {
  world.ask('SetAlarmState', { AlarmName, StateValue, StateReason: 'a drill' });
}
