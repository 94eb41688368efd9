import type { KeyFacts } from '../inventory/inventory';
import type { Fix } from './fix';

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
