import { CloudWatchLogsClient } from '@aws-sdk/client-cloudwatch-logs';
import { parseArn } from '../../../lib/policy/arn';
import type { LoggedDelivery, LogLine, TopicLog } from '../../../lib/policy/causes/evidence';
import type { Inventory } from '../../../lib/policy/inventory/inventory';
import { toldOf } from '../../../lib/policy/inventory/told';
import { statusLogGroups } from '../../../lib/policy/letters/status-log-groups';
import { readStatusRecord } from '../../../lib/policy/letters/status-record';
import type { Connection } from '../../aws/connection';
import { mapAtMost } from '../../aws/map-at-most';
import type { Gaps } from './gaps';
import { LOGS_AT_ONCE, logLines, type Window } from './log-lines';

/** Of one topic. Our choice: as many as a minute or so brings. */
const MOST_RECORDS = 20_000;

/** The topics that send what they could not deliver to the queue. */
function feedingTopics(queueArn: string, { subscriptions }: Inventory): readonly string[] {
  const feeding = subscriptions.filter(it => toldOf(it.deadLetterTargetArn) === queueArn);
  return [...new Set(feeding.flatMap(({ topicArn }) => toldOf(topicArn) ?? []))];
}

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

/** Whether the topic logs any failures; where that is not known, it may. */
function mayLog(topicArn: string, { topics }: Inventory): boolean {
  const topic = topics.find(it => it.arn === topicArn);
  const logging = topic && toldOf(topic.logging);
  return logging?.some(({ failureRoleArn }) => failureRoleArn !== undefined) ?? true;
}

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
