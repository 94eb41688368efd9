import { capitalized } from '../../policy/format-text';
import { denialsOf, denialText, letIn, mayAccess } from '../fixes/let-in';
import type { Inventory } from '../inventory/inventory';
import { whatIsLost, whoSends } from '../inventory/senders';
import type { Check, CheckResult } from './finding';
import { keyArrivalsOf } from './keys';
import { arrivalsOf } from './permissions';

/**
 * Finds Deny statements that may keep a sender out: whether they apply depends on a condition key whose value for this
 * request is unknown.
 */
function mayKeepOut(inventory: Inventory): CheckResult[] {
  const arrivals = [
    ...arrivalsOf(inventory).map(({ target: { resource }, ...it }) => ({ ...it, resource, target: resource })),
    ...keyArrivalsOf(inventory),
  ];
  return arrivals.flatMap(({ sender, resource, target, access }): CheckResult[] => {
    const [denial] = mayAccess(access) === 'unknown' ? denialsOf(access) : [];
    if (!denial) return [];
    const keys = denial.dependsOn.join(' and ');
    return [
      {
        severity: 'unwatched',
        resource: 'role' in access ? access.role : resource,
        others: [resource.arn, target.arn, sender.by.arn],
        says: capitalized(
          `${denialText(denial)} may keep out ${whoSends(sender, inventory)} of ${sender.by.name}: it depends on ${keys}, whose value in this request is unknown. If the statement applies, ${whatIsLost(sender)}.`,
        ),
        fix: letIn(access),
      },
    ];
  });
}

export const UNCERTAIN_DENIAL_CHECKS: readonly Check[] = [
  { id: 'deny-may-keep-out', severities: ['unwatched'], find: mayKeepOut },
];
