import {
  type Alarm,
  Color,
  type IAlarm,
  type IWidget,
  LogQueryWidget,
  type Metric,
  type MetricOptions,
  Stats,
} from 'aws-cdk-lib/aws-cloudwatch';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import { CfnSubscription, type ITopic, Subscription, type TopicBase } from 'aws-cdk-lib/aws-sns';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import type { IConstruct } from 'constructs';
import { RunbookSection } from '../../diagnosis/published-guides';
import { IN_FLIGHT_MARKS } from '../../policy/aws-limits';
import { WORST_ENDPOINTS } from '../../policy/fleet/failed-attempt-log';
import { statusLogGroups } from '../../policy/messages/delivery-status';
import { fleetMetric, redriveMetric, relayMetric } from '../shared/own-metrics';
import type { DeliveryStatusLogging } from '../topic/delivery-status-logging';
import { WHY_DELIVERIES_FAIL } from '../topic/delivery-status-queries';
import { failedToRedrive, filteredForNoJson, redriven } from '../topic/topic-alarms';
import { alarmLine, band, GRID_WIDTH, type Graph, oldest, placeOf, sum, waiting } from './dashboard-rows';
import { type BilledFleet, costGraph } from './fleet-cost-graph';
import type { DashboardSection } from './i-watched';

type ShownTopic = TopicBase & { readonly alarms: IAlarm[] };

/** The rows of a topic: its traffic, its failures, and their reasons. */
function topicRows(topic: ShownTopic, deliveryStatus: DeliveryStatusLogging | undefined): IWidget[][] {
  const name = topic.topicName;
  const place = placeOf(topic);
  const counted = (label: string, color?: string) => ({ ...sum(label, color), ...place });
  const through: Graph = {
    title: `${name}: published and delivered`,
    left: [
      topic.metricNumberOfMessagesPublished(counted('published')),
      topic.metricNumberOfNotificationsDelivered(counted('delivered', Color.GREEN)),
      topic.metricNumberOfNotificationsFilteredOut(counted('filtered out', Color.GREY)),
    ],
  };
  const dying: Graph = {
    title: `${name}: failed and dead`,
    left: [
      topic.metricNumberOfNotificationsFailed(counted('failed', Color.ORANGE)),
      redriven(topic, counted('to a dead-letter queue', Color.PURPLE)),
      failedToRedrive(topic, counted('lost', Color.RED)),
      topic.metricNumberOfNotificationsFilteredOutInvalidAttributes(
        counted('filtered out for malformed attributes', Color.BROWN),
      ),
      filteredForNoJson(topic, counted('filtered out for a malformed body', Color.PINK)),
    ],
  };
  return [band(name, topic.alarms, [through, dying]), ...(deliveryStatus ? [whyRow(topic)] : [])];
}

/** The answers of failing endpoints, from the delivery-status log. */
function whyRow({ env: { region, account }, topicName: name }: ShownTopic): IWidget[] {
  const widget = new LogQueryWidget({
    title: `${name}: why deliveries fail`,
    logGroupNames: [statusLogGroups({ region, account, name }).failure],
    region,
    queryLines: [...WHY_DELIVERIES_FAIL],
    width: GRID_WIDTH,
    height: 6,
  });
  return [widget];
}

/**
 * What a dashboard shows of a topic.
 * @param deliveryStatus the delivery-status logging of the topic, if this app configures it
 */
export function topicSection(topic: ShownTopic, deliveryStatus?: DeliveryStatusLogging): DashboardSection {
  return {
    title: 'Topics',
    rows: topicRows(topic, deliveryStatus),
    runbookSections: [
      RunbookSection.DEAD_LETTERS_LOST,
      RunbookSection.MESSAGES_NOT_KEPT,
      RunbookSection.TOPIC_LOSES_MESSAGES,
      RunbookSection.DELIVERIES_FAILING,
    ],
    lost: [failedToRedrive(topic, { label: topic.topicName, ...placeOf(topic) })],
  };
}

export function deadLetterQueuesOf(topic: ITopic): IQueue[] {
  const queues = topic.node.root.node.findAll().flatMap(construct => {
    if (!(construct instanceof Subscription) || !construct.deadLetterQueue) return [];
    const resource = construct.node.defaultChild;
    return resource instanceof CfnSubscription && resource.topicArn === topic.topicArn
      ? [construct.deadLetterQueue]
      : [];
  });
  return [...new Set(queues)];
}

interface ShownQueue extends IQueue {
  readonly alarms: readonly IAlarm[];
  readonly inFlightAlarm?: Alarm | undefined;
  readonly ageAlarm: Alarm;
}

function queueRows(queue: ShownQueue): IWidget[][] {
  const name = queue.queueName;
  const inFlight = queue.metricApproximateNumberOfMessagesNotVisible({ statistic: Stats.MAXIMUM, label: 'in flight' });
  const full = { value: IN_FLIGHT_MARKS.limit, label: 'gives out no more', color: Color.RED };
  return [
    band(name, queue.alarms, [
      { title: `${name}: messages`, left: [waiting(queue, 'waiting')] },
      {
        title: `${name}: in flight`,
        left: [inFlight],
        lines: [...(queue.inFlightAlarm ? alarmLine(queue.inFlightAlarm) : []), full],
      },
      {
        title: `${name}: age of the oldest, seconds`,
        left: [oldest(queue, 'oldest')],
        lines: alarmLine(queue.ageAlarm),
      },
    ]),
  ];
}

export function queueSection(queue: ShownQueue): DashboardSection {
  return {
    title: 'Queues',
    rows: queueRows(queue),
    runbookSections: [RunbookSection.QUEUE_NOT_KEEPING_UP, RunbookSection.QUEUE_IN_FLIGHT_LIMIT],
  };
}

/** A function that is invoked asynchronously, with the alarms and metrics on its failures. */
interface ShownFunction {
  readonly handler: IFunction;
  readonly alarms: readonly IAlarm[];
  metricLostEvents(options: MetricOptions): Metric;
  metricDestinationDeliveryFailures(options: MetricOptions): Metric;
  metricAsyncEventsDropped(options: MetricOptions): Metric;
  metricRecursiveInvocationsDropped(options: MetricOptions): Metric;
}

function functionRows(failures: ShownFunction): IWidget[][] {
  const { handler } = failures;
  const name = handler.functionName;
  const lost = failures.metricLostEvents(sum('not sent to the dead-letter queue', Color.RED));
  const age = handler.metric('AsyncEventAge', { statistic: Stats.MAXIMUM, label: 'age of an event, ms (right)' });
  return [
    band(name, failures.alarms, [
      {
        title: `${name}: errors and throttles`,
        left: [handler.metricErrors(sum('errors', Color.ORANGE)), handler.metricThrottles(sum('throttles'))],
      },
      {
        title: `${name}: events given up`,
        left: [failures.metricAsyncEventsDropped(sum('given up', Color.PURPLE))],
        right: [age],
      },
      {
        title: `${name}: events lost`,
        left: [
          lost,
          failures.metricDestinationDeliveryFailures(sum('record not sent to destination', Color.ORANGE)),
          failures.metricRecursiveInvocationsDropped(sum('stopped in a loop', Color.BROWN)),
        ],
      },
    ]),
  ];
}

export function functionSection(failures: ShownFunction): DashboardSection {
  return {
    title: 'Functions',
    rows: functionRows(failures),
    runbookSections: [
      RunbookSection.FUNCTION_EVENTS_LOST,
      RunbookSection.FUNCTION_EVENTS_DROPPED,
      RunbookSection.FUNCTION_DEAD_LETTERS_LOST,
      RunbookSection.FUNCTION_DESTINATION_FAILED,
      RunbookSection.FUNCTION_LOOP_STOPPED,
    ],
    lost: [failures.metricLostEvents({ label: failures.handler.functionName })],
  };
}

const BREAKER_LABEL = 'breaker state, right axis: 0 closed, 1 half open, 2 open, 3 stopped manually';

interface ShownRelay extends IConstruct {
  readonly alarms: readonly IAlarm[];
  readonly handler: IFunction;
  readonly queue: IQueue;
  /** Undefined for a relay without a circuit breaker. */
  readonly breaker?: IFunction;
}

/** What Lambda counts of a function of this package. */
function functionGraph(handler: IFunction, name: string): Graph {
  return {
    title: `${name}: its function`,
    left: [
      handler.metricInvocations(sum('invoked', Color.GREY)),
      handler.metricErrors(sum('errors', Color.RED)),
      handler.metricThrottles(sum('throttled', Color.ORANGE)),
    ],
  };
}

function relayGraphs({ handler, breaker }: ShownRelay, name: string): Graph[] {
  return [
    {
      title: `${name}: what becomes of messages`,
      left: [
        relayMetric(handler, 'Delivered', sum('delivered', Color.GREEN)),
        relayMetric(handler, 'Retried', sum('to be tried again', Color.ORANGE)),
        relayMetric(handler, 'Dead', sum('dead', Color.RED)),
      ],
    },
    {
      title: `${name}: attempts${breaker ? ', and the breaker' : ''}`,
      left: [
        relayMetric(handler, 'Attempts', sum('attempts')),
        relayMetric(handler, 'FailedAttempts', sum('failed', Color.ORANGE)),
        relayMetric(handler, 'ClientErrors', sum('refused for now', Color.PURPLE)),
        relayMetric(handler, 'HandedBack', sum('put back untried', Color.GREY)),
        relayMetric(handler, 'Untried', sum('nothing to send', Color.BROWN)),
        relayMetric(handler, 'DeadLetteringFailed', sum('not taken by the dead-letter queue', Color.PINK)),
        relayMetric(handler, 'Broken', sum('the relay itself failed', Color.RED)),
      ],
      ...(breaker && { right: [relayMetric(handler, 'BreakerState', { label: BREAKER_LABEL, color: Color.PURPLE })] }),
    },
    {
      title: `${name}: latency and lateness, ms`,
      left: [relayMetric(handler, 'Latency', { label: 'latency' })],
      right: [relayMetric(handler, 'Lateness', { label: 'late by (right)' })],
    },
  ];
}

/** Whether Lambda asks for messages, and whether any are due. */
function receiveGraph(queue: IQueue, name: string): Graph {
  return {
    title: `${name}: due and received`,
    left: [
      queue.metricNumberOfMessagesReceived(sum('received', Color.GREEN)),
      queue.metricNumberOfEmptyReceives(sum('calls without a message', Color.GREY)),
    ],
    right: [waiting(queue, 'due (right)')],
  };
}

export function relaySection(relay: ShownRelay): DashboardSection {
  const name = relay.node.path;
  return {
    title: 'Relays',
    rows: [
      band(name, relay.alarms, relayGraphs(relay, name)),
      band(name, [], [functionGraph(relay.handler, name), receiveGraph(relay.queue, name)]),
    ],
    runbookSections: [
      RunbookSection.RELAY_ENDPOINT_FAILING,
      RunbookSection.RELAY_STALLED,
      RunbookSection.RELAY_MESSAGES_IN_DANGER,
      RunbookSection.RELAY_BEHIND_SCHEDULE,
      RunbookSection.RELAY_NOT_RECEIVING,
      RunbookSection.RELAY_NOT_TRYING,
      RunbookSection.RELAY_NOT_DEAD_LETTERING,
      RunbookSection.RELAY_FUNCTION_FAILING,
      RunbookSection.RELAY_FUNCTION_THROTTLED,
      ...(relay.breaker ? [RunbookSection.RELAY_STOPPED, RunbookSection.RELAY_BREAKER_FAILING] : []),
      RunbookSection.FUNCTION_LOOP_STOPPED,
    ],
  };
}

interface ShownFleet extends BilledFleet {
  readonly alarms: readonly IAlarm[];
}

/**
 * The endpoints with the most failures. A query of Logs Insights costs what a look at the dashboard reads, and nothing otherwise. A rule of
 * Contributor Insights would cost half a dollar a month.
 */
function worstEndpoints({ fleetName, deliverer }: ShownFleet): IWidget[] {
  const widget = new LogQueryWidget({
    title: `${fleetName}: the endpoints with the most failed attempts`,
    logGroupNames: [deliverer.logGroup.logGroupName],
    queryLines: [...WORST_ENDPOINTS],
    width: GRID_WIDTH,
    height: 6,
  });
  return [widget];
}

export function fleetSection(fleet: ShownFleet): DashboardSection {
  const name = fleet.fleetName;
  const graphs: Graph[] = [
    {
      title: `${name}: what becomes of messages`,
      left: [
        fleetMetric(name, 'Delivered', sum('delivered', Color.GREEN)),
        fleetMetric(name, 'Parked', sum('parked, because the endpoint is down', Color.ORANGE)),
        fleetMetric(name, 'Returned', sum('came back', Color.BLUE)),
        fleetMetric(name, 'Dead', sum('dead', Color.RED)),
        fleetMetric(name, 'Broken', sum('the fleet itself failed', Color.PINK)),
      ],
      right: [fleetMetric(name, 'ParkedMessages', { label: 'parked in all (right)', color: Color.BROWN })],
    },
    {
      title: `${name}: attempts`,
      left: [
        fleetMetric(name, 'Attempts', sum('attempts')),
        fleetMetric(name, 'FailedAttempts', sum('failed', Color.ORANGE)),
      ],
      right: [
        fleetMetric(name, 'OpenEndpoints', { label: 'endpoints that are down (right)', color: Color.PURPLE }),
        fleetMetric(name, 'Disabled', sum('endpoints disabled (right)', Color.RED)),
      ],
    },
    {
      title: `${name}: latency, and messages that are due, ms`,
      left: [fleetMetric(name, 'Latency', { label: 'latency' })],
      right: [fleetMetric(name, 'OldestDue', { label: 'oldest due (right)' })],
    },
  ];
  const functions = (['dispatcher', 'deliverer', 'prober'] as const).map(it =>
    functionGraph(fleet[it], `${name}, ${it}`),
  );
  return {
    title: 'Fleets',
    rows: [band(name, fleet.alarms, graphs), band(name, [], [...functions, costGraph(fleet)]), worstEndpoints(fleet)],
    runbookSections: [RunbookSection.FLEET_ENDPOINTS_FAILING, RunbookSection.FLEET_STALLED],
  };
}

interface ShownRedrive {
  readonly name: string;
  readonly handler: IFunction;
  readonly alarms: readonly IAlarm[];
  /** What it empties. */
  readonly deadLetters: IQueue;
}

const STATE_LABEL = 'state: 0 idle, 1 moving, 2 settling, 3 stopped (right)';

function redriveGraphs({ name, handler, deadLetters }: ShownRedrive): Graph[] {
  const state = { label: STATE_LABEL, color: Color.PURPLE };
  return [
    {
      title: `${name}: runs, and how it stands`,
      left: [
        redriveMetric(handler, 'RunsStarted', sum('begun')),
        redriveMetric(handler, 'RunsFinished', sum('ended well', Color.GREEN)),
        redriveMetric(handler, 'RunsStopped', sum('stopped for cause', Color.RED)),
      ],
      right: [redriveMetric(handler, 'RedriveState', state)],
    },
    {
      title: `${name}: messages`,
      left: [
        redriveMetric(handler, 'Moved', sum('moved', Color.GREEN)),
        redriveMetric(handler, 'Returned', sum('came back', Color.RED)),
      ],
      right: [waiting(deadLetters, 'dead letters (right)')],
    },
    functionGraph(handler, name),
  ];
}

export function redriveSection(redrive: ShownRedrive): DashboardSection {
  return {
    title: 'Redrives',
    rows: [band(redrive.name, redrive.alarms, redriveGraphs(redrive))],
    runbookSections: [
      RunbookSection.REDRIVE_STOPPED,
      RunbookSection.REDRIVE_FUNCTION_FAILING,
      RunbookSection.REDRIVE_FUNCTION_THROTTLED,
    ],
  };
}

/** A retry lane: its queue, and the queue for what fails again. */
interface ShownLane extends IConstruct {
  readonly queue: IQueue;
  readonly quarantine: IQueue;
}

export function laneSection({ node: { path: name }, queue, quarantine }: ShownLane): DashboardSection {
  const through: Graph = {
    title: `${name}: through the lane`,
    left: [
      queue.metricNumberOfMessagesSent(sum('came in')),
      queue.metricNumberOfMessagesDeleted(sum('done', Color.GREEN)),
    ],
  };
  const failed: Graph = { title: `${name}: failed again`, left: [waiting(quarantine, 'in quarantine')] };
  return {
    title: 'Redrive lanes',
    rows: [band(name, [], [through, failed])],
    runbookSections: [RunbookSection.DEAD_LETTERS_IN_QUARANTINE],
  };
}
