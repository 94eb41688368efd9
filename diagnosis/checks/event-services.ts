import { isKnown, knownValue } from '../../template/maybe-known';
import type { Inventory } from '../inventory/inventory';
import type { Check, CheckResult } from './finding';

/** @see https://docs.aws.amazon.com/iot/latest/developerguide/rule-error-handling.html */
function withoutErrorAction({ queueUsers = [] }: Inventory): CheckResult[] {
  return queueUsers
    .filter(({ hasErrorAction, isEnabled }) => hasErrorAction === false && isEnabled !== false)
    .map(resource => ({
      severity: 'at-risk',
      resource,
      location: 'Properties/TopicRulePayload/ErrorAction',
      says: `The IoT rule ${resource.name} has no error action: a message is lost when one of its actions fails.`,
      fix: { says: 'Give the rule an error action that sends to a queue, and a role that may send.' },
    }));
}

/**
 * EventBridge cannot process an event if it may not use the key of the bus.
 * @see https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-encryption-event-bus-dlq.html
 */
function keyWithoutDeadLetterQueue({ queueUsers = [] }: Inventory): CheckResult[] {
  return queueUsers
    .filter(({ keyId, deadLetterTargetArn }) => {
      return keyId !== undefined && isKnown(keyId) && deadLetterTargetArn === undefined;
    })
    .map(resource => ({
      severity: 'at-risk',
      resource,
      location: 'Properties/DeadLetterConfig',
      says: `The event bus ${resource.name} is encrypted with a customer managed key and has no dead-letter queue: events are lost when EventBridge cannot use the key.`,
      fix: { says: 'Give the bus a dead-letter queue that is not encrypted with the same key.' },
    }));
}

function withoutArchive({ queueUsers = [] }: Inventory): CheckResult[] {
  return queueUsers
    .filter(({ kind, hasArchive }) => kind === 'bus' && hasArchive === false)
    .map(resource => ({
      severity: 'note',
      resource,
      says: `The event bus ${resource.name} has no archive: its events cannot be replayed after a rule or a consumer was wrong.`,
      fix: { says: 'Create an archive of the bus, with a retention of as many days as a fault may go unnoticed.' },
    }));
}

const SERVICES: Readonly<Record<string, string>> = { sqs: 'SQS', sns: 'SNS' };

/** @see https://docs.aws.amazon.com/step-functions/latest/dg/concepts-error-handling.html */
function uncaught({ serviceCalls = [] }: Inventory): CheckResult[] {
  return serviceCalls.flatMap((resource): CheckResult[] => {
    if (resource.kind !== 'state' || resource.isCaught) return [];
    const service = SERVICES[resource.service];
    return [
      {
        severity: 'at-risk',
        resource,
        location: 'Properties/DefinitionString',
        says: `The state ${resource.state} of ${resource.name} sends to ${service} without a Catch: if ${service} still refuses after the retries, the execution fails and the message is lost.`,
        fix: { says: 'Give the state a Retry and a Catch whose next state stores the message.' },
      },
    ];
  });
}

/** @see https://docs.aws.amazon.com/apigateway/latest/developerguide/api-gateway-integration-settings-integration-response.html */
function hidesErrors({ serviceCalls = [] }: Inventory): CheckResult[] {
  return serviceCalls.flatMap((resource): CheckResult[] => {
    const hidden = resource.kind === 'method' ? (knownValue(resource.hiddenErrors) ?? []) : [];
    if (hidden.length === 0) return [];
    const service = SERVICES[resource.service];
    return [
      {
        severity: 'at-risk',
        resource,
        location: 'Properties/Integration/IntegrationResponses',
        says: `The method ${resource.name} sends to ${service} and answers with a success if ${service} refuses the message with ${hidden.join(', ')}: the caller does not repeat it, and it is lost.`,
        fix: {
          says: 'Add integration responses with the selection patterns 4\\d{2} and 5\\d{2} that answer with an error.',
        },
      },
    ];
  });
}

export const EVENT_SERVICE_CHECKS: readonly Check[] = [
  { id: 'iot-rule-without-error-action', severities: ['at-risk'], find: withoutErrorAction },
  { id: 'bus-key-without-dead-letter-queue', severities: ['at-risk'], find: keyWithoutDeadLetterQueue },
  { id: 'bus-without-archive', severities: ['note'], reportsMissing: 'configuration', find: withoutArchive },
  { id: 'state-machine-does-not-catch', severities: ['at-risk'], find: uncaught },
  { id: 'api-hides-errors', severities: ['at-risk'], find: hidesErrors },
];
