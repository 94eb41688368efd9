import { type Fix, isCallable } from '../fixes/fix';
import { mergedFixes } from '../fixes/merge-calls';
import type { Inventory } from '../inventory/inventory';
import { ALARM_TOPIC_CHECKS } from './alarm-topics';
import { ALARM_CHECKS } from './alarms';
import { DELIVERY_POLICY_CHECKS } from './delivery-policies';
import type { Check, CheckResult, Finding } from './finding';
import { KEY_CHECKS } from './keys';
import { LOGGING_CHECKS } from './logging';
import { WHEREABOUTS_CHECKS } from './missing-resources';
import { KEEPS_NOTHING_CHECKS } from './no-dead-letter-queue';
import { PERMISSION_CHECKS } from './permissions';
import { PAIR_CHECKS } from './queue-pairs';
import { RECEIVE_CHECKS, RETENTION_CHECKS } from './queue-settings';
import { REDRIVE_ROLE_CHECKS } from './redrive-roles';
import { SUBSCRIPTION_CHECKS } from './subscriptions';

/** Every check, in the order in which findings are told: by what a message meets on its way. */
export const CHECKS: readonly Check[] = [
  ...SUBSCRIPTION_CHECKS,
  ...DELIVERY_POLICY_CHECKS,
  ...PERMISSION_CHECKS,
  ...KEY_CHECKS,
  ...KEEPS_NOTHING_CHECKS,
  ...WHEREABOUTS_CHECKS,
  ...PAIR_CHECKS,
  ...RETENTION_CHECKS,
  ...RECEIVE_CHECKS,
  ...ALARM_CHECKS,
  ...ALARM_TOPIC_CHECKS,
  ...LOGGING_CHECKS,
  ...REDRIVE_ROLE_CHECKS,
];

/** What is in a template is mended there: the calls of a fix are for what is deployed. */
function callable({ resource, fix }: CheckResult): Fix {
  const { calls, ...said } = fix;
  if (calls === undefined || calls.length === 0) return said;
  return resource.place === undefined && calls.every(isCallable) ? fix : said;
}

/**
 * What of an account, or of an app's templates, loses messages, is rejected, or tells nobody. What the inventory does not tell
 * nothing is said of, so that no finding is wrong.
 */
export function checkInventory(inventory: Inventory): Finding[] {
  const isAllRead = (inventory.unread ?? []).length === 0;
  const checks = CHECKS.filter(({ isOfAbsence }) => isAllRead || isOfAbsence !== true);
  const found = checks.flatMap(({ id, find }) => find(inventory).map(it => ({ id, ...it })));
  const fixes = mergedFixes(found.map(callable));
  return found.map(({ others = [], ...it }, index) => {
    const about = [...new Set([it.resource.arn, ...others])];
    return { ...it, about, fix: fixes[index] ?? it.fix };
  });
}
