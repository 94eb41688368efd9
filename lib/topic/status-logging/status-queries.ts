import { STATUS_FIELDS } from '../../../policy/messages/status-record';

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

/** As a query shows a field: by its own name, without what it is part of. */
function shown(...names: readonly (keyof typeof STATUS_FIELDS)[]): string {
  return names.map(name => `${STATUS_FIELDS[name]} as ${name}`).join(', ');
}

const { status, messageId, answer, dwellTimeMs } = STATUS_FIELDS;

/** Who fails, how, and since when: the destinations and answers with the most failures first. */
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
