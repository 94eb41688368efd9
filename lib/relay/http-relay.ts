import { Duration } from 'aws-cdk-lib';
import type { Alarm, IAlarm, Metric, MetricOptions } from 'aws-cdk-lib/aws-cloudwatch';
import type { Grant, IGrantable } from 'aws-cdk-lib/aws-iam';
import type { EventSourceMapping, Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import type { ILogGroup } from 'aws-cdk-lib/aws-logs';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import { Construct, type IConstruct } from 'constructs';
import { relaySection } from '../operations/dashboard-sections';
import type { DashboardSection, IWatched } from '../operations/i-watched';
import { ProcessingQueue } from '../queue/processing-queue';
import { registerRelayQueue } from '../queue/queue-checks';
import { consumedQueueDestination } from '../redrive/i-redrive-destination';
import { Redrive } from '../redrive/redrive';
import type { RedriveOptions } from '../redrive/redrive-props';
import { REDRIVE_OPTIONS } from '../redrive/redrive-shapes';
import { AlarmSet, useAlarms, watchPart } from '../shared/alarm-set';
import { Alarms } from '../shared/alarms';
import { pathOf, throwProblems, warn } from '../shared/checks';
import { RelayMetric, relayMetric } from '../shared/own-metrics';
import { checkArguments, checkNew, enumValue, metricOptions, optional, TEXT } from '../shared/shapes';
import { breakerRow, breakerWatch } from './breaker';
import { essentialRelayRows, IN_DANGER } from './essential-relay-alarms';
import type { HttpRelayOptions, HttpRelayProps } from './http-relay-props';
import { relayRows } from './relay-alarms';
import { relayProblems, warnOfPrivateRanges } from './relay-checks';
import { addRelayFunction } from './relay-function';
import { HTTP_RELAY } from './relay-shapes';
import { type RelaySizing, relaySizingOf } from './relay-sizing';
import { isPlainHttp } from './request-checks';
import { StackBreaker } from './stack-breaker';

/**
 * Delivers to an HTTP/S endpoint with a longer retry schedule than SNS supports: hours and days instead of one hour.
 *
 * A topic delivers to the relay's queue. A function posts each message to the endpoint, with the headers and the body
 * that SNS sends. A failed message waits in the queue, using its visibility timeout, until its next attempt. If the
 * endpoint rejects it permanently, or does not accept it by the end of the schedule, the function sends it to the
 * dead-letter queue with the reason as message attributes, and only then deletes it. SQS moves messages to the
 * dead-letter queue if the function cannot run at all.
 *
 * Waiting messages are in flight, and a queue can have about 120,000 messages in flight. If an endpoint is down for
 * long at a high rate, the queue approaches this limit. An alarm fires at 80,000.
 *
 * An endpoint without TLS gets the warning `dead-letter-office:relay-without-tls`. A stack with more resources than
 * CloudFormation accepts is an error at synthesis that lists its largest constructs, and a stack that has nearly as many
 * gets the warning `dead-letter-office:stack-nearly-full`.
 *
 * @see https://docs.aws.amazon.com/sns/latest/dg/sns-message-delivery-retries.html
 */
export class HttpRelay extends Construct implements IWatched {
  /**
   * The queue of the relay. Subscribe it to topics with `DurableTopic.deliverToRelay`, never with raw message delivery.
   */
  public readonly queue: ProcessingQueue;
  /** The function that posts messages. */
  public readonly handler: LambdaFunction;
  /** The event source mapping of the queue. Disable it to stop the relay; a stopped relay uses no attempts. */
  public readonly mapping: EventSourceMapping;
  /** The log of the function. It contains a record of each attempt. */
  public readonly logGroup: ILogGroup;
  /**
   * The function that stops and starts the relay; undefined if `circuitBreaker.enabled` is false. All relays of a stack
   * have the same.
   */
  public readonly breaker?: LambdaFunction;
  private readonly watching: Alarms;
  private readonly sharedAlarms: IAlarm[] = [];

  /** @throws one error that names each property AWS or the relay would reject, the rule and the value */
  constructor(scope: Construct, id: string, props: HttpRelayProps) {
    checkNew(scope, id, props, HTTP_RELAY);
    throwProblems(pathOf(scope, id), relayProblems(scope, props));
    super(scope, id);
    useAlarms(this, props.alarms);
    const plan = relaySizingOf(props);
    this.watching = new Alarms(this, { actions: props.alarmActions, withoutActions: 'An endpoint is down' });
    if (this.watching.set === AlarmSet.ESSENTIAL) {
      watchPart(this, { id: QUEUE_ID, ageAlarm: () => this.inDangerAlarm });
    }
    this.queue = addRelayQueue(this, props, plan);
    const { handler, logGroup, sealRole } = addRelayFunction(this, this.queue, props, plan);
    this.handler = handler;
    this.logGroup = logGroup;
    const { batchSize, maximumConcurrency: maxConcurrency } = plan;
    // `enabled` is Lambda's default, but is set explicitly: a deployment that changes the mapping then starts a relay
    // that its breaker stopped. Otherwise the relay would look like one that was stopped manually.
    this.mapping = this.queue.addFunctionConsumer(handler, { batchSize, maxConcurrency, enabled: true }).mapping;
    this.watching.watchAll(relayRows(handler, this.queue, props));
    this.watching.watchAll(
      essentialRelayRows({ handler, queue: this.queue, deadLetters: this.deadLetterQueue, plan, options: props }),
    );
    if (props.circuitBreaker?.enabled !== false) {
      const alarm = this.watching.watch(breakerRow(this, handler, props, plan));
      const { queue, mapping } = this;
      const breaker = StackBreaker.of(this);
      breaker.serve({ queue, handler, mapping, alarm, plan }, props);
      this.breaker = breaker.handler;
      this.sharedAlarms.push(breaker.alarm);
      this.watching.watchAll(breakerWatch(handler, plan));
    }
    warnOfRelay(this, props);
    sealRole();
  }

  /** The queue of messages that the endpoint rejected or did not accept in time, and of those that SQS moved. */
  public get deadLetterQueue(): IQueue {
    return this.queue.deadLetters;
  }

  /**
   * Its alarms, without those of its queue and its dead-letter queue. The last one is that of the breaker's function,
   * which all relays of the stack have in common.
   */
  public get alarms(): IAlarm[] {
    return [...this.watching.all, ...this.sharedAlarms];
  }

  /** The queue of its dead letters: `deadLetterQueue`. */
  public get deadLetterQueues(): IQueue[] {
    return [this.deadLetterQueue];
  }

  /** The parts that an `OpsDashboard` also shows: its queue. */
  public get watchedParts(): IWatched[] | undefined {
    return [this.queue];
  }

  public dashboardSection(): DashboardSection {
    return relaySection(this);
  }

  private get inDangerAlarm(): Alarm {
    const alarm = this.watching.get(IN_DANGER);
    if (!alarm) throw new Error(`${this.node.path} has no alarm on messages in danger yet`);
    return alarm;
  }

  /**
   * Creates a `Redrive` that retries its dead letters from the beginning of the schedule. It has the same alarm actions
   * unless you pass others.
   */
  public redriveDeadLetters(id: string, options?: RedriveOptions): Redrive {
    checkArguments(this, { id, options }, { id: TEXT, options: optional(REDRIVE_OPTIONS) });
    const from = { deadLetterQueue: this.deadLetterQueue, destination: consumedQueueDestination(this) };
    return new Redrive(this, id, { alarmActions: this.watching.actions, ...options, ...from });
  }

  /**
   * Lets a principal move its dead letters back into its queue with an SQS move task, and list and cancel such tasks.
   */
  public grantRedrive(grantee: IGrantable): Grant {
    return this.queue.grantRedrive(grantee);
  }

  /** Lets a principal read its dead letters and return them, but not delete them. */
  public grantPeekDeadLetters(grantee: IGrantable): Grant {
    return this.queue.grantPeekDeadLetters(grantee);
  }

  /**
   * A metric of the relay, over 5 minutes by default. Its statistic is the sum by default, the average for
   * `RelayMetric.LATENCY`, and the maximum for `LATENESS` and `BREAKER_STATE`.
   */
  public metric(metric: RelayMetric, options?: MetricOptions): Metric {
    checkArguments(this, { metric }, { metric: enumValue('RelayMetric', RelayMetric) });
    return relayMetric(this.handler, metric, metricOptions(this, options));
  }
}

/** The construct id of the queue of a relay. The logical id is made from it, so it must not change. */
const QUEUE_ID = 'Queue';

/** Creates the queue of a relay. Its dead-letter queue stores what the function gives up on and what SQS moves. */
function addRelayQueue(scope: Construct, options: HttpRelayOptions, plan: RelaySizing): ProcessingQueue {
  const { encryptionMasterKey, removalPolicy, alarmActions, fifo } = options;
  const queue = new ProcessingQueue(scope, QUEUE_ID, {
    encryptionMasterKey,
    removalPolicy,
    alarmActions,
    ...(fifo && { fifo }),
    retentionPeriod: plan.retentionPeriod,
    visibilityTimeout: Duration.seconds(plan.visibilitySeconds),
    maxReceiveCount: plan.maxReceiveCount,
    ageAlarmThreshold: Duration.seconds(plan.ageAlarmSeconds),
  });
  registerRelayQueue(queue);
  return queue;
}

const NO_TLS = 'Messages are sent unencrypted, including headers and secrets: use https.';

/** Warns about settings that are legal, but may lose or disclose messages. */
function warnOfRelay(scope: IConstruct, props: HttpRelayProps): void {
  if (isPlainHttp(props.endpoint)) warn(scope, 'relay-without-tls', NO_TLS);
  warnOfPrivateRanges(scope, props);
}
