import { Duration } from 'aws-cdk-lib';
import { type IAlarm, type Metric, type MetricOptions, Stats } from 'aws-cdk-lib/aws-cloudwatch';
import type { Grant, IGrantable } from 'aws-cdk-lib/aws-iam';
import type { EventSourceMapping, Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import type { ILogGroup } from 'aws-cdk-lib/aws-logs';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import { Construct, type IConstruct } from 'constructs';
import { relaySection } from '../operations/dashboard-sections';
import type { DashboardSection, IWatched } from '../operations/i-watched';
import { ProcessingQueue } from '../queue/processing-queue';
import { rememberRelayQueue } from '../queue/queue-checks';
import { consumedQueueDestination } from '../redrive/i-redrive-destination';
import { Redrive } from '../redrive/redrive';
import type { RedriveOptions } from '../redrive/redrive-props';
import { Alarms } from '../shared/alarms';
import { pathOf, throwProblems, warn } from '../shared/checks';
import { addBreaker, breakerRow, breakerWatch } from './breaker';
import type { HttpRelayOptions, HttpRelayProps } from './http-relay-props';
import { relayMetric, relayRows } from './relay-alarms';
import { relayProblems } from './relay-checks';
import { addRelayFunction } from './relay-function';
import { planOf, type RelayPlan } from './relay-plan';
import { isPlainHttp } from './request-checks';

/**
 * Delivers to an HTTP/S endpoint by a schedule SNS does not know: for hours and days, where SNS gives an endpoint an hour.
 *
 * What a topic delivers to its queue, a function of ours posts to the endpoint, with the headers and the body SNS sends. What
 * fails waits in the queue, by its visibility timeout, until it is due again. What the endpoint refuses for good, or has
 * not taken by the end of the schedule, is sent to the dead-letter queue with the reason as message attributes, and only then
 * taken out of the queue. SQS moves there whatever keeps the function from running at all.
 *
 * A queue holds about 120,000 messages in flight, and messages that wait are: an endpoint that is down for long, at a high
 * rate, comes near that, and an alarm fires at 80,000.
 *
 * An endpoint without TLS gets the warning `dead-letter-office:relay-without-tls`.
 *
 * @see https://docs.aws.amazon.com/sns/latest/dg/sns-message-delivery-retries.html
 */
export class HttpRelay extends Construct implements IWatched {
  /** What the relay delivers: subscribe it to topics, never with raw message delivery. `DurableTopic.deliverToRelay` does. */
  public readonly queue: ProcessingQueue;
  /** The function that posts. */
  public readonly handler: LambdaFunction;
  /** What lets the function have the queue's messages; disabled, it stops the relay, and no attempt is spent meanwhile. */
  public readonly mapping: EventSourceMapping;
  /** The log of the function: a record of each attempt among it. */
  public readonly logGroup: ILogGroup;
  /** The function that stops and starts the relay; undefined where `circuitBreaker.enabled` is false. */
  public readonly breaker?: LambdaFunction;
  private readonly watching: Alarms;

  /** @throws one error that names each property AWS or the relay would reject, the rule and the value */
  constructor(scope: Construct, id: string, props: HttpRelayProps) {
    throwProblems(pathOf(scope, id), relayProblems(scope, props));
    super(scope, id);
    const plan = planOf(props);
    this.queue = addRelayQueue(this, props, plan);
    const { handler, logGroup } = addRelayFunction(this, this.queue, props, plan);
    this.handler = handler;
    this.logGroup = logGroup;
    const { batchSize, maximumConcurrency: maxConcurrency } = plan;
    // Said though it is what Lambda takes for granted: a deployment that changes the mapping starts a relay its breaker
    // stopped, which else would look like one that somebody stopped by hand.
    this.mapping = this.queue.addFunctionConsumer(handler, { batchSize, maxConcurrency, enabled: true }).mapping;
    this.watching = new Alarms(this, { actions: props.alarmActions, unheard: 'An endpoint is down' });
    for (const row of relayRows(handler, this.queue, props)) this.watching.watch(row);
    if (props.circuitBreaker?.enabled !== false) {
      const alarm = this.watching.watch(breakerRow(handler, props, plan));
      const { queue, mapping } = this;
      this.breaker = addBreaker(this, { queue, handler, mapping, alarm, plan }, props);
      for (const row of breakerWatch(handler, this.breaker, plan)) this.watching.watch(row);
    }
    warnOfRelay(this, props);
  }

  /** What the endpoint refused, or did not take in time, and what SQS moved. */
  public get deadLetterQueue(): IQueue {
    return this.queue.deadLetters;
  }

  /** Its alarms; not those of its queue and its dead-letter queue, which have them themselves. */
  public get alarms(): IAlarm[] {
    return this.watching.all;
  }

  /** Where its dead letters end: `deadLetterQueue`, and no other. */
  public get deadLetterQueues(): IQueue[] {
    return [this.deadLetterQueue];
  }

  /** What an `OpsDashboard` shows beside it: its queue. */
  public get watchedParts(): IWatched[] | undefined {
    return [this.queue];
  }

  /** What an `OpsDashboard` shows of it. */
  public dashboardSection(): DashboardSection {
    return relaySection(this);
  }

  /**
   * Has its dead letters tried again, by its schedule from the beginning: a `Redrive`, of which the same are told unless you say
   * otherwise.
   */
  public redriveDeadLetters(id: string, options?: RedriveOptions): Redrive {
    const from = { deadLetterQueue: this.deadLetterQueue, destination: consumedQueueDestination(this) };
    return new Redrive(this, id, { alarmActions: this.watching.actions, ...options, ...from });
  }

  /** Lets somebody move its dead letters back into its queue by a move task of SQS, watch that, and cancel it. */
  public grantRedrive(grantee: IGrantable): Grant {
    return this.queue.grantRedrive(grantee);
  }

  /** Lets somebody look at its dead letters, and put them back, but not take them out. */
  public grantPeekDeadLetters(grantee: IGrantable): Grant {
    return this.queue.grantPeekDeadLetters(grantee);
  }

  /** Requests to the endpoint, immediate retries included. Sum over 5 minutes by default. */
  public metricAttempts(options?: MetricOptions): Metric {
    return this.metricSum('Attempts', options);
  }

  /** Messages the endpoint took. Sum over 5 minutes by default. */
  public metricDelivered(options?: MetricOptions): Metric {
    return this.metricSum('Delivered', options);
  }

  /** Messages that are to be tried again later. Sum over 5 minutes by default. */
  public metricRetried(options?: MetricOptions): Metric {
    return this.metricSum('Retried', options);
  }

  /** Messages sent to the dead-letter queue; not those SQS moved there. Sum over 5 minutes by default. */
  public metricDead(options?: MetricOptions): Metric {
    return this.metricSum('Dead', options);
  }

  /** Messages to be given up that the dead-letter queue did not take, and which stay. Sum over 5 minutes by default. */
  public metricDeadLetteringFailed(options?: MetricOptions): Metric {
    return this.metricSum('Unburied', options);
  }

  /** Attempts that failed in a way that is tried again. Sum over 5 minutes by default. */
  public metricFailedAttempts(options?: MetricOptions): Metric {
    return this.metricSum('FailedAttempts', options);
  }

  /** Messages put back untried, for want of time in an invocation. Sum over 5 minutes by default. */
  public metricHandedBack(options?: MetricOptions): Metric {
    return this.metricSum('HandedBack', options);
  }

  /** Messages not even tried, as a secret could not be read, or is no use. Sum over 5 minutes by default. */
  public metricUntried(options?: MetricOptions): Metric {
    return this.metricSum('Untried', options);
  }

  /** Messages at which the relay itself failed, and which the queue has again. Sum over 5 minutes by default. */
  public metricBroken(options?: MetricOptions): Metric {
    return this.metricSum('Broken', options);
  }

  /** How long requests took, in milliseconds. Average over 5 minutes by default. */
  public metricLatency(options?: MetricOptions): Metric {
    return relayMetric(this.handler, 'Latency', { statistic: Stats.AVERAGE, ...options });
  }

  /** How long after they were due attempts began, in milliseconds. Maximum over 5 minutes by default. */
  public metricLateness(options?: MetricOptions): Metric {
    return relayMetric(this.handler, 'Lateness', { statistic: Stats.MAXIMUM, ...options });
  }

  /**
   * How far the breaker lets messages through: 0 closed, 1 half open, 2 open, 3 stopped by hand. Nothing where
   * `circuitBreaker.enabled` is false. Maximum over 5 minutes by default.
   */
  public metricBreakerState(options?: MetricOptions): Metric {
    return relayMetric(this.handler, 'BreakerState', { statistic: Stats.MAXIMUM, ...options });
  }

  private metricSum(name: Parameters<typeof relayMetric>[1], options?: MetricOptions): Metric {
    return relayMetric(this.handler, name, { statistic: Stats.SUM, ...options });
  }
}

/** The queue a relay delivers from, with a dead-letter queue for both: what the function gives up, and what SQS moves. */
export function addRelayQueue(scope: Construct, options: HttpRelayOptions, plan: RelayPlan): ProcessingQueue {
  const { encryptionMasterKey, removalPolicy, alarmActions, fifo } = options;
  const queue = new ProcessingQueue(scope, 'Queue', {
    encryptionMasterKey,
    removalPolicy,
    alarmActions,
    ...(fifo && { fifo }),
    retentionPeriod: plan.retentionPeriod,
    visibilityTimeout: Duration.seconds(plan.visibilitySeconds),
    maxReceiveCount: plan.maxReceiveCount,
    ageAlarmThreshold: Duration.seconds(plan.ageAlarmSeconds),
  });
  rememberRelayQueue(queue);
  return queue;
}

const NO_VPC =
  'A function outside a VPC reaches no private address: every message to one becomes a dead letter. Pass vpc, or leave allowedPrivateRanges out.';

const NO_TLS = 'Messages go over the network in the clear, headers and secrets with them: use https.';

/** Says what is legal of a relay, and may lose messages or give them away. */
export function warnOfRelay(scope: IConstruct, { endpoint, allowedPrivateRanges = [], vpc }: HttpRelayProps): void {
  if (isPlainHttp(endpoint)) warn(scope, 'relay-without-tls', NO_TLS);
  if (allowedPrivateRanges.length > 0 && !vpc) warn(scope, 'private-ranges-without-vpc', NO_VPC);
}
