import { type Fix, isCallable } from '../fixes/fix';
import { mergedFixes } from '../fixes/merge-calls';
import type { Inventory } from '../inventory/inventory';
import { ALARM_THRESHOLD_CHECKS } from './alarm-thresholds';
import { ALARM_TOPIC_CHECKS } from './alarm-topics';
import { ALARM_CHECKS } from './alarms';
import { DELIVERY_POLICY_CHECKS } from './delivery-policies';
import { EVENT_SERVICE_CHECKS } from './event-services';
import type { Check, CheckResult, Finding } from './finding';
import { KEY_CHECKS } from './keys';
import { LOGGING_CHECKS } from './logging';
import { MISSING_RESOURCE_CHECKS } from './missing-resources';
import { NO_DEAD_LETTER_QUEUE_CHECKS } from './no-dead-letter-queue';
import { PERMISSION_CHECKS } from './permissions';
import { POLICY_LIMIT_CHECKS } from './policy-limits';
import { QUEUE_PAIR_CHECKS } from './queue-pairs';
import { QUEUE_SETTINGS_CHECKS } from './queue-settings';
import { REDRIVE_ROLE_CHECKS } from './redrive-roles';
import { SHARED_DEAD_LETTER_QUEUE_CHECKS } from './shared-dead-letter-queues';
import { STREAM_CHECKS } from './streams';
import { SUBSCRIPTION_CHECKS } from './subscriptions';
import { UNCERTAIN_DENIAL_CHECKS } from './uncertain-denials';

/**
 * Every check, in the order in which findings are reported: the order in which a message meets the resources.
 * A check belongs in its family's table. Only a new family is added here. CONTRIBUTING has the other steps.
 */
export const CHECKS: readonly Check[] = [
  ...SUBSCRIPTION_CHECKS,
  ...DELIVERY_POLICY_CHECKS,
  ...PERMISSION_CHECKS,
  ...KEY_CHECKS,
  ...UNCERTAIN_DENIAL_CHECKS,
  ...POLICY_LIMIT_CHECKS,
  ...NO_DEAD_LETTER_QUEUE_CHECKS,
  ...STREAM_CHECKS,
  ...EVENT_SERVICE_CHECKS,
  ...MISSING_RESOURCE_CHECKS,
  ...QUEUE_PAIR_CHECKS,
  ...SHARED_DEAD_LETTER_QUEUE_CHECKS,
  ...QUEUE_SETTINGS_CHECKS,
  ...ALARM_CHECKS,
  ...ALARM_THRESHOLD_CHECKS,
  ...ALARM_TOPIC_CHECKS,
  ...LOGGING_CHECKS,
  ...REDRIVE_ROLE_CHECKS,
];

/** Resources of a template are fixed in the app. Calls only fix what is deployed, so they are removed. */
function callable({ resource, fix }: CheckResult): Fix {
  const { calls, ...said } = fix;
  if (calls === undefined || calls.length === 0) return said;
  return resource.place === undefined && calls.every(isCallable) ? fix : said;
}

/**
 * Finds what in an account, or in an app's templates, loses messages, is rejected by AWS, or fails without an alarm. A
 * check reports nothing about values that are unknown, so that no finding is wrong.
 */
export function checkInventory(inventory: Inventory): Finding[] {
  const isAllRead = (inventory.unread ?? []).length === 0;
  const checks = CHECKS.filter(({ reportsMissing }) => isAllRead || reportsMissing !== 'configuration');
  const found = checks.flatMap(({ id, find }) => find(inventory).map(it => ({ id, ...it })));
  const fixes = mergedFixes(found.map(callable));
  return found.map(({ others = [], ...it }, index) => {
    const about = [...new Set([it.resource.arn, ...others])];
    return { ...it, about, fix: fixes[index] ?? it.fix };
  });
}
