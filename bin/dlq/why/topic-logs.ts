import { CloudWatchLogsClient } from '@aws-sdk/client-cloudwatch-logs';
import type { Connection } from '../../../account/connection/connection';
import { mapAtMost } from '../../../account/connection/map-at-most';
import type { LoggedDelivery, LogLine, TopicLog } from '../../../diagnosis/causes/evidence';
import { feedingTopics, mayLog } from '../../../diagnosis/causes/suspects';
import type { Inventory } from '../../../diagnosis/inventory/inventory';
import { parseArn } from '../../../policy/arn';
import { statusLogGroups } from '../../../policy/messages/status-log-groups';
import { readStatusRecord } from '../../../policy/messages/status-record';
import type { Gaps } from './gaps';
import { LOGS_AT_ONCE, logLines, type Window } from './log-lines';

/** Of one topic. Our choice: as many as a minute or so brings. */
const MOST_RECORDS = 20_000;

function deliveriesIn(lines: readonly LogLine[]): LoggedDelivery[] {
  return lines.flatMap(({ atMs, message }) => {
    const record = readStatusRecord(message);
    return record ? [{ atMs, record }] : [];
  });
}

const UNREAD = {
  denied: 'may not be read: it takes logs:FilterLogEvents',
  'not-there': 'does not exist: nothing has been logged, or nobody lets SNS write to it',
} as const;

/** What the topics that feed a queue logged of deliveries that were to end there. It takes `logs:FilterLogEvents`. */
export async function topicLogs(
  aws: Connection,
  queueArn: string,
  inventory: Inventory,
  window: Window,
  gaps: Gaps,
): Promise<readonly TopicLog[]> {
  const logs = aws.client(CloudWatchLogsClient);
  return mapAtMost(LOGS_AT_ONCE, feedingTopics(queueArn, inventory), async topicArn => {
    const { region = '', account = '', resource: name = '' } = parseArn(topicArn) ?? {};
    const { failure: logGroupName } = statusLogGroups({ region, account, name });
    const question = { group: logGroupName, pattern: `"${queueArn}"`, window, most: MOST_RECORDS };
    const read = await gaps.read(() => logLines(logs, question, gaps));
    if (read.kind === 'read') return { topicArn, logGroupName, deliveries: deliveriesIn(read.value) };
    // Of one that logs nothing, it is said elsewhere.
    const isExpected = read.kind === 'not-there' && !mayLog(topicArn, inventory);
    return { topicArn, logGroupName, deliveries: [], ...(!isExpected && { unread: UNREAD[read.kind] }) };
  });
}
