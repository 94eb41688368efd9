/** A list price of AWS: so many US dollars for so many units. */
interface Price {
  readonly service: PricedService;
  /** The units, as they stand before their number: `alarm metrics a month: 3`. */
  readonly unit: string;
  readonly dollars: number;
  readonly per: number;
}

const PAGES = {
  'API Gateway': 'https://aws.amazon.com/api-gateway/pricing/',
  CloudWatch: 'https://aws.amazon.com/cloudwatch/pricing/',
  DynamoDB: 'https://aws.amazon.com/dynamodb/pricing/',
  EventBridge: 'https://aws.amazon.com/eventbridge/pricing/',
  KMS: 'https://aws.amazon.com/kms/pricing/',
  Lambda: 'https://aws.amazon.com/lambda/pricing/',
  'Secrets Manager': 'https://aws.amazon.com/secrets-manager/pricing/',
  SNS: 'https://aws.amazon.com/sns/pricing/',
  SQS: 'https://aws.amazon.com/sqs/pricing/',
} as const;

export type PricedService = keyof typeof PAGES;

const MILLION = 1_000_000;
const TEN_THOUSAND = 10_000;

export const PRICE_REGION = 'us-east-1';

/** The day on which every price was looked up. Look up all of them when you change it. */
export const PRICES_CHECKED_ON = '2026-11-23';

function price(service: PricedService, unit: string, dollars: number, per = 1): Price {
  return { service, unit, dollars, per };
}

/**
 * The list prices that the costs are computed from: first tier, without free tiers, taxes and data transfer. AWS bills
 * an alarm by its metrics. An anomaly detection alarm has three: its metric and the two bounds of the band.
 */
export const PRICES = {
  alarmMetric: price('CloudWatch', 'alarm metrics a month', 0.1),
  highResolutionAlarmMetric: price('CloudWatch', 'high-resolution alarm metrics a month', 0.3),
  compositeAlarm: price('CloudWatch', 'composite alarms a month', 0.5),
  customMetric: price('CloudWatch', 'custom metrics a month, billed by the hour', 0.3),
  dashboard: price('CloudWatch', 'dashboards a month', 3),
  metricRequest: price('CloudWatch', 'metrics requested', 0.01, 1_000),
  logGigabyte: price('CloudWatch', 'GB of logs ingested', 0.5),
  key: price('KMS', 'keys a month', 1),
  keyRequest: price('KMS', 'requests', 0.03, TEN_THOUSAND),
  secret: price('Secrets Manager', 'secrets a month', 0.4),
  publish: price('SNS', 'publishes', 0.5, MILLION),
  fifoPublish: price('SNS', 'publishes to a FIFO topic', 0.3, MILLION),
  fifoPublishedGigabyte: price('SNS', 'GB published to a FIFO topic', 0.017),
  fifoDelivery: price('SNS', 'deliveries of a FIFO topic', 0.01, MILLION),
  fifoDeliveredGigabyte: price('SNS', 'GB delivered by a FIFO topic', 0.001),
  httpDelivery: price('SNS', 'deliveries to HTTP/S', 0.6, MILLION),
  emailDelivery: price('SNS', 'e-mails', 2, 100_000),
  firehoseDelivery: price('SNS', 'deliveries to Firehose', 0.19, MILLION),
  pushDelivery: price('SNS', 'mobile push notifications', 0.5, MILLION),
  queueRequest: price('SQS', 'requests', 0.4, MILLION),
  fifoQueueRequest: price('SQS', 'requests of a FIFO queue', 0.5, MILLION),
  fairQueueRequest: price('SQS', 'requests with message groups of a standard queue', 0.5, MILLION),
  invocation: price('Lambda', 'requests', 0.2, MILLION),
  armGigabyteSecond: price('Lambda', 'GB-s on arm64', 0.0000133334),
  x86GigabyteSecond: price('Lambda', 'GB-s on x86_64', 0.0000166667),
  tableRead: price('DynamoDB', 'read request units', 0.125, MILLION),
  tableWrite: price('DynamoDB', 'write request units', 0.625, MILLION),
  scheduledInvocation: price('EventBridge', 'invocations of Scheduler', 1, MILLION),
  restRequest: price('API Gateway', 'requests of a REST API', 3.5, MILLION),
  httpApiRequest: price('API Gateway', 'requests of an HTTP API', 1, MILLION),
} as const satisfies Readonly<Record<string, Price>>;

export type PriceName = keyof typeof PRICES;

export function pricePage(service: PricedService): string {
  return PAGES[service];
}

export function dollarsFor(name: PriceName, units: number): number {
  const { dollars, per } = PRICES[name];
  return (dollars * units) / per;
}

/** What AWS gives each account for nothing every month. The costs do not subtract it. */
export const FREE_TIERS: readonly string[] = [
  'CloudWatch: 10 alarm metrics, 10 custom metrics, 3 dashboards with up to 50 metrics each, 5 GB of logs',
  'EventBridge Scheduler: 14 million invocations',
  'KMS: 20,000 requests',
  'Lambda: 1 million requests and 400,000 GB-s',
  'SNS: 1 million publishes, 100,000 deliveries to HTTP/S, 1,000 e-mails',
  'SQS: 1 million requests',
];
