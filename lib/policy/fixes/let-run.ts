import { calledIn } from '../arn';
import type { FunctionFacts, KeyFacts } from '../inventory/inventory';
import { toldOf } from '../inventory/told';
import { counted } from '../wording';
import type { Fix } from './fix';

/** Lets a function run that has no concurrency, or too little. A cap that somebody set is theirs to lift: it may protect a database. */
export function letRun({ arn, reservedConcurrency }: FunctionFacts): Fix {
  const reserved = toldOf(reservedConcurrency);
  const name = calledIn(arn);
  if (reserved === undefined) {
    return {
      says: `Reserve concurrency for the function ${name}, or ask AWS for more than the account's quota: others use it up.`,
    };
  }
  if (reserved > 0) {
    const most = counted(reserved, 'time', 'times');
    return {
      says: `Reserve more concurrency for the function ${name}, which may run only ${most} at once, once you know what that cap protects.`,
    };
  }
  return {
    says: `Take away the reserved concurrency of the function ${name}, which was switched off, or raise it.`,
    calls: [{ service: 'lambda', operation: 'DeleteFunctionConcurrency', input: { FunctionName: arn } }],
  };
}

/** Has an event source mapping feed its function again. */
export function resumeMapping(uuid: string, functionArn: string): Fix {
  return {
    says: `Enable the event source mapping of the function ${calledIn(functionArn)} again, once you know who disabled it.`,
    calls: [{ service: 'lambda', operation: 'UpdateEventSourceMapping', input: { UUID: uuid, Enabled: true } }],
  };
}

/**
 * Has a key work again that somebody disabled, or scheduled to be deleted: KMS enables none that waits to be deleted, and one
 * whose deletion is cancelled is disabled. In other states a key waits for something only its owner has.
 * @see https://docs.aws.amazon.com/kms/latest/developerguide/key-state.html
 */
export function enableKey({ arn, name, state = 'Disabled' }: KeyFacts): Fix {
  const input = { KeyId: arn };
  const enable = { service: 'kms', operation: 'EnableKey', input };
  if (state === 'PendingDeletion') {
    return {
      says: `Cancel the deletion of the key ${name}, and enable it again, once you know who is to delete it.`,
      calls: [{ service: 'kms', operation: 'CancelKeyDeletion', input }, enable],
    };
  }
  if (state === 'Disabled' || state === 'Enabled') {
    return { says: `Enable the key ${name} again, once you know who disabled it.`, calls: [enable] };
  }
  return { says: `Have the key ${name}, whose state is ${state}, work again, or use another key.` };
}
