import type { Alarm, IAlarm, Metric, MetricOptions } from 'aws-cdk-lib/aws-cloudwatch';
import type { IRule } from 'aws-cdk-lib/aws-events';
import type { Grant, IGrantable } from 'aws-cdk-lib/aws-iam';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import type { ISchedule } from 'aws-cdk-lib/aws-scheduler';
import type { ITopic } from 'aws-cdk-lib/aws-sns';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import type { IDependable } from 'constructs';
import type { DeadLetterFeeder } from './dead-letter-feeder';

/**
 * A dead-letter queue that looks after itself: it lets in whoever feeds it, and has the alarms that follow from who that
 * is. A `DeadLetterQueue` is one, and an `ImportedDeadLetterQueue`.
 */
export interface IDeadLetterQueue extends IQueue {
  /** Its alarms, those that who feeds it brought included. */
  readonly alarms: IAlarm[];

  /** Who feeds it, each once, in the order in which it was told. An anchor does not. */
  readonly feeders: DeadLetterFeeder[];

  /** Fires `timeToRespond` before the oldest dead letter may expire. */
  readonly ageAlarm: Alarm;

  /** Fires in the minute in which somebody sends a dead letter; undefined while only queues feed it, or nobody. */
  readonly arrivalsAlarm?: Alarm;

  /** Fires while a dead letter that SQS moved here waits to be seen to; undefined while no queue feeds it. */
  readonly waitingAlarm?: Alarm;

  /** Fires when dead letters have waited for `unattendedAfter`; undefined where `watchUnattended` is false. */
  readonly unattendedAlarm?: Alarm;

  /** Lets a topic send here what it could not deliver. @returns what a subscription must depend on */
  fedByTopic(topic: ITopic): IDependable;

  /** Lets a function's role send here the events the function failed on. @returns what must be there before it may */
  fedByFunction(handler: IFunction): IDependable;

  /** Says that SQS moves here what `source` could not get processed. @returns the queue itself */
  fedByQueue(source: IQueue): IDependable;

  /** Lets a queue name this one as its dead-letter queue that brings no dead letters. @returns the queue itself */
  anchoredBy(anchor: IQueue): IDependable;

  /** Lets EventBridge send here the events that a rule could not deliver. @returns what must be there before it may */
  fedByRule(rule: IRule): IDependable;

  /** Lets a schedule's role send here what the schedule could not deliver. @returns what must be there before it may */
  fedBySchedule(schedule: ISchedule): IDependable;

  /** Lets somebody send here what they gave up on. @returns what must be there before they may */
  fedByRole(grantee: IGrantable): IDependable;

  /** Lets somebody move dead letters to `destination` by a move task of SQS, watch it, and cancel it. */
  grantRedrive(grantee: IGrantable, destination: IQueue): Grant;

  /** Lets somebody look at dead letters, and put them back, but not take them out. */
  grantPeek(grantee: IGrantable): Grant;

  /** Dead letters sent here; not those SQS moved. Sum over 5 minutes by default. */
  metricArrivals(options?: MetricOptions): Metric;

  /** Dead letters waiting to be seen to, whoever sent or moved them. Maximum over 5 minutes by default. */
  metricWaiting(options?: MetricOptions): Metric;
}
