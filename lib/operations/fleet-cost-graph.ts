import { Duration } from 'aws-cdk-lib';
import { Color, type IMetric, MathExpression, Metric, Stats } from 'aws-cdk-lib/aws-cloudwatch';
import type { ITable } from 'aws-cdk-lib/aws-dynamodb';
import type { Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import type { IConstruct } from 'constructs';
import { dollarsFor, type PriceName } from '../../diagnosis/cost/price-list';
import { WAKE_INDEX } from '../../policy/fleet/fleet-items';
import { OWN_MEMORY_MEBIBYTES } from '../shared/own-function';
import { type Graph, placeOf } from './dashboard-rows';

/** What AWS bills for the messages of a fleet. */
export interface BilledFleet extends IConstruct {
  readonly fleetName: string;
  readonly table: ITable;
  readonly eventsQueue: IQueue;
  readonly deliveriesQueue: IQueue;
  readonly dispatcher: LambdaFunction;
  readonly deliverer: LambdaFunction;
  readonly prober: LambdaFunction;
}

const HOURLY = { period: Duration.hours(1), statistic: Stats.SUM };

/** The units of one price that metrics count. */
interface Billed {
  readonly price: PriceName;
  readonly metrics: Readonly<Record<string, IMetric>>;
  /** What a metric's unit is of the price's. @default 1 */
  readonly factor?: number;
}

/**
 * The dollars that AWS bills for the requests of a fleet in an hour, in us-east-1, by metrics of AWS that cost nothing. Logs, alarms, keys and
 * data transfer come on top. SQS has no metric of requests, which take up to ten messages: its line is what they cost at most.
 */
export function costGraph(fleet: BilledFleet): Graph {
  const { dispatcher, deliverer, prober } = fleet;
  const durations = {
    dispatching: dispatcher.metricDuration(HOURLY),
    delivering: deliverer.metricDuration(HOURLY),
    probing: prober.metricDuration(HOURLY),
  };
  return {
    title: `${fleet.fleetName}: US dollars an hour, for requests`,
    left: [
      line('DynamoDB', Color.BLUE, [
        { price: 'tableWrite', metrics: consumed(fleet.table, 'Write') },
        { price: 'tableRead', metrics: consumed(fleet.table, 'Read') },
      ]),
      line('Lambda, duration', Color.ORANGE, [
        // Milliseconds.
        { price: 'armGigabyteSecond', metrics: durations, factor: OWN_MEMORY_MEBIBYTES / 1_024 / 1_000 },
      ]),
      line('SQS, at most', Color.PINK, [
        {
          price: 'fairQueueRequest',
          metrics: { ...requests(fleet.eventsQueue, 'events'), ...requests(fleet.deliveriesQueue, 'deliveries') },
        },
      ]),
    ],
  };
}

function line(label: string, color: string, billed: readonly Billed[]): MathExpression {
  const term = ({ price, metrics, factor = 1 }: Billed) => {
    const sum = Object.keys(metrics).map(id => `FILL(${id}, 0)`);
    return `${dollarsFor(price, factor).toFixed(12)} * (${sum.join(' + ')})`;
  };
  const usingMetrics = Object.assign({}, ...billed.map(({ metrics }) => metrics));
  return new MathExpression({
    label,
    color,
    usingMetrics,
    expression: billed.map(term).join(' + '),
    period: HOURLY.period,
  });
}

/** DynamoDB counts the units of an index by themselves. */
function consumed(table: ITable, kind: 'Read' | 'Write'): Record<string, IMetric> {
  const units = (more: Record<string, string>) =>
    new Metric({
      namespace: 'AWS/DynamoDB',
      metricName: `Consumed${kind}CapacityUnits`,
      dimensionsMap: { TableName: table.tableName, ...more },
      ...HOURLY,
      ...placeOf(table),
    });
  const id = kind.toLowerCase();
  return { [`${id}s`]: units({}), [`${id}sOfIndex`]: units({ GlobalSecondaryIndexName: WAKE_INDEX }) };
}

function requests(queue: IQueue, id: string): Record<string, IMetric> {
  return {
    [`${id}Sent`]: queue.metricNumberOfMessagesSent(HOURLY),
    [`${id}Received`]: queue.metricNumberOfMessagesReceived(HOURLY),
    [`${id}Deleted`]: queue.metricNumberOfMessagesDeleted(HOURLY),
    [`${id}Empty`]: queue.metricNumberOfEmptyReceives(HOURLY),
  };
}
