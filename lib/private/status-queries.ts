/** A query of Logs Insights over the records of delivery-status logging. */
export interface StatusQuery {
  /** Its construct's id. */
  readonly id: string;
  /** What it answers, and the end of its name. */
  readonly question: string;
  /** Whether it looks at what was delivered, too. */
  readonly ofSuccesses: boolean;
  readonly lines: readonly string[];
}

/** What stands in the saved query in place of a message id. */
export const MESSAGE_ID_PLACEHOLDER = 'PASTE-A-MESSAGE-ID';

/** Who fails, how, and since when: the destinations and answers with the most failures first. */
export const WHY_DELIVERIES_FAIL: readonly string[] = [
  'filter status = "FAILURE"',
  'stats count(*) as failures, earliest(@timestamp) as since, latest(@timestamp) as last, latest(delivery.providerResponse) as lastAnswer, latest(notification.messageId) as lastMessageId by delivery.destination as destination, delivery.statusCode as statusCode',
  'sort failures desc',
  'limit 20',
];

/** The queries that are saved for a topic. @see https://docs.aws.amazon.com/sns/latest/dg/sns-topic-attributes.html */
export const STATUS_QUERIES: readonly StatusQuery[] = [
  {
    id: 'WhyDidThisMessageDie',
    question: 'Why did this message die',
    ofSuccesses: true,
    lines: [
      'fields @timestamp, status, delivery.destination as destination, delivery.statusCode as statusCode, delivery.attempts as attempts, delivery.providerResponse as answer, delivery.redrivePolicy as redrivePolicy',
      `filter notification.messageId = "${MESSAGE_ID_PLACEHOLDER}"`,
      'sort @timestamp asc',
      'limit 100',
    ],
  },
  {
    id: 'SlowestEndpoints',
    question: 'Slowest endpoints',
    ofSuccesses: true,
    lines: [
      'stats count(*) as deliveries, avg(delivery.dwellTimeMs) as averageMs, pct(delivery.dwellTimeMs, 99) as p99Ms, max(delivery.dwellTimeMs) as slowestMs by delivery.destination as destination',
      'sort p99Ms desc',
      'limit 20',
    ],
  },
  { id: 'WhoIsFailingNow', question: 'Who is failing now', ofSuccesses: false, lines: WHY_DELIVERIES_FAIL },
];
