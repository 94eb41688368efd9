import { PROTOCOLS, type Protocol } from '../../policy/outcome/protocol';
import { isKnown, knownValue } from '../../template/maybe-known';
import { logFailures, loggedAs, loggingOf } from '../fixes/log-deliveries';
import type { Inventory } from '../inventory/inventory';
import { topicOf } from '../inventory/look-ups';
import type { Check, CheckResult } from './finding';

function withoutRole({ topics }: Inventory): CheckResult[] {
  return topics.flatMap(resource =>
    (knownValue(resource.logging) ?? [])
      .filter(({ successRoleArn, failureRoleArn }) => successRoleArn === undefined && failureRoleArn === undefined)
      .map(({ protocol }) => ({
        severity: 'unwatched' as const,
        resource,
        location: 'Properties/DeliveryStatusLogging',
        says: `${resource.name} configures logging of ${protocol} deliveries without a role: SNS logs nothing.`,
        fix: { says: 'Give the logging configuration a role that may write logs, at least for failures.' },
      })),
  );
}

function protocolOf(text: string): Protocol | undefined {
  return PROTOCOLS.find(it => it === text);
}

/** Only the log contains the reason why SNS could not deliver a message; its dead letter does not. */
function off(inventory: Inventory): CheckResult[] {
  const seen = new Set<string>();
  return inventory.subscriptions.flatMap((subscription): CheckResult[] => {
    const { deadLetterTargetArn: dead } = subscription;
    const topic = topicOf(knownValue(subscription.topicArn), inventory, subscription);
    const protocol = protocolOf(subscription.protocol);
    const logged = protocol && loggedAs(protocol);
    if (!isKnown(dead) || dead === undefined || topic === undefined || protocol === undefined) return [];
    const logging = loggingOf(topic, protocol);
    const id = `${topic.arn} ${logged}`;
    if (logged === undefined || logging === undefined || seen.has(id)) return [];
    seen.add(id);
    // A configuration without roles is a finding of its own.
    if (logging.failureRoleArn !== undefined || logging.protocol !== undefined) return [];
    return [
      {
        severity: 'note',
        resource: topic,
        location: 'Properties/DeliveryStatusLogging',
        says: `${topic.name} does not log failed ${logged} deliveries. Dead letters of SNS contain no reason, so the cause cannot be determined.`,
        fix: logFailures(topic.arn, protocol, inventory) ?? { says: 'Log failures.' },
      },
    ];
  });
}

export const LOGGING_CHECKS: readonly Check[] = [
  { id: 'logging-without-role', severities: ['unwatched'], find: withoutRole },
  { id: 'logging-off', severities: ['note'], find: off },
];
