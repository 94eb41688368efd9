import { Metric, type MetricOptions, Stats } from 'aws-cdk-lib/aws-cloudwatch';
import { FilterPattern, type ILogGroup, MetricFilter } from 'aws-cdk-lib/aws-logs';
import type { ITopic } from 'aws-cdk-lib/aws-sns';
import type { Construct } from 'constructs';
import { STATUS_FIELDS } from '../../policy/messages/delivery-status';
import { metricOptions } from '../shared/shapes';

/** A query of Logs Insights over the records of delivery-status logging. */
export interface StatusQuery {
  /** The id of its construct. */
  readonly id: string;
  /** The question it answers, which is the end of its name. */
  readonly question: string;
  /** Whether it also reads successful deliveries. */
  readonly ofSuccesses: boolean;
  readonly lines: readonly string[];
}

export const MESSAGE_ID_PLACEHOLDER = 'PASTE-A-MESSAGE-ID';

function shown(...names: readonly (keyof typeof STATUS_FIELDS)[]): string {
  return names.map(name => `${STATUS_FIELDS[name]} as ${name}`).join(', ');
}

const { status, messageId, answer, dwellTimeMs } = STATUS_FIELDS;

/** Which destinations fail, with which answers, and since when: those with the most failures first. */
export const WHY_DELIVERIES_FAIL: readonly string[] = [
  `filter ${status} = "FAILURE"`,
  `stats count(*) as failures, earliest(@timestamp) as since, latest(@timestamp) as last, latest(${answer}) as lastAnswer, latest(${messageId}) as lastMessageId by ${shown('destination', 'statusCode')}`,
  'sort failures desc',
  'limit 20',
];

/** The queries that are saved for a topic. */
export const STATUS_QUERIES: readonly StatusQuery[] = [
  {
    id: 'WhyDidThisMessageDie',
    question: 'Why did this message die',
    ofSuccesses: true,
    lines: [
      `fields @timestamp, ${status}, ${shown('destination', 'statusCode', 'attempts', 'answer', 'redrivePolicy')}`,
      `filter ${messageId} = "${MESSAGE_ID_PLACEHOLDER}"`,
      'sort @timestamp asc',
      'limit 100',
    ],
  },
  {
    id: 'SlowestEndpoints',
    question: 'Slowest endpoints',
    ofSuccesses: true,
    lines: [
      `stats count(*) as deliveries, avg(${dwellTimeMs}) as averageMs, pct(${dwellTimeMs}, 99) as p99Ms, max(${dwellTimeMs}) as slowestMs by ${shown('destination')}`,
      'sort p99Ms desc',
      'limit 20',
    ],
  },
  { id: 'WhoIsFailingNow', question: 'Who is failing now', ofSuccesses: false, lines: WHY_DELIVERIES_FAIL },
];

const NAMESPACE = 'DeadLetterOffice';

const TOPIC_ARN = `$.${STATUS_FIELDS.topicArn}`;
const STATUS_CODE = `$.${STATUS_FIELDS.statusCode}`;
const REDRIVE_POLICY = `$.${STATUS_FIELDS.redrivePolicy}`;

interface FailureCount {
  readonly metricName: string;
  /** The conditions that a record must meet. */
  readonly conditions: readonly string[];
  /** The fields that become dimensions, in addition to the topic. */
  readonly by?: Readonly<Record<string, string>>;
}

/** The id of each count is the construct id of its metric filter. */
export const FAILURE_COUNTS = {
  FailuresByStatusCode: {
    metricName: 'DeliveryFailures',
    conditions: [`${STATUS_CODE} = *`],
    by: { StatusCode: STATUS_CODE },
  },
  ClientErrors: {
    metricName: 'DeliveryClientErrors',
    conditions: [`${STATUS_CODE} >= 400`, `${STATUS_CODE} < 500`],
  },
  ServerErrors: {
    metricName: 'DeliveryServerErrors',
    conditions: [`${STATUS_CODE} >= 500`, `${STATUS_CODE} < 600`],
  },
  OtherFailures: {
    metricName: 'DeliveryOtherFailures',
    conditions: [`(${STATUS_CODE} NOT EXISTS) || (${STATUS_CODE} < 400) || (${STATUS_CODE} >= 600)`],
  },
  Unkept: {
    metricName: 'DeliveriesUnkept',
    conditions: [`${REDRIVE_POLICY} NOT EXISTS`],
  },
} as const satisfies Record<string, FailureCount>;

export type FailureCountId = keyof typeof FAILURE_COUNTS;

export const FAILURE_COUNT_IDS: readonly FailureCountId[] = [
  'FailuresByStatusCode',
  'ClientErrors',
  'ServerErrors',
  'OtherFailures',
  'Unkept',
];

/**
 * Counts failures with a metric filter, unless it exists. CloudWatch Logs requires every dimension to be in the pattern, and rejects a
 * default value for a metric with dimensions.
 * @see https://docs.aws.amazon.com/AmazonCloudWatch/latest/logs/FilterAndPatternSyntaxForMetricFilters.html
 */
export function countFailures(scope: Construct, logGroup: ILogGroup, id: FailureCountId): void {
  if (scope.node.tryFindChild(id)) return;
  const { metricName, conditions, by }: FailureCount = FAILURE_COUNTS[id];
  const pattern = [`${TOPIC_ARN} = "*"`, ...conditions].map(condition => `(${condition})`).join(' && ');
  new MetricFilter(scope, id, {
    logGroup,
    filterPattern: FilterPattern.literal(`{ ${pattern} }`),
    metricNamespace: NAMESPACE,
    metricName,
    metricValue: '1',
    dimensions: { TopicArn: TOPIC_ARN, ...by },
  });
}

export function failureMetric(
  { metricName }: FailureCount,
  topic: ITopic,
  options: MetricOptions = {},
  by: Readonly<Record<string, string>> = {},
): Metric {
  const dimensionsMap = { TopicArn: topic.topicArn, ...by };
  return new Metric({
    namespace: NAMESPACE,
    metricName,
    dimensionsMap,
    statistic: Stats.SUM,
    ...metricOptions(topic, options),
  });
}
