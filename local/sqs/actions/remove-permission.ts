import type { RemovePermissionRequest } from '@aws-sdk/client-sqs';
import type { Call, SqsInternals } from '../desk';
import { invalidValue } from '../errors';
import type { Queue } from '../queue';
import { policyOf, setStatements } from '../queue-policy';
import { checkLabel } from './add-permission';

/**
 * Takes the statement with this label out of the queue's policy; a policy without statements is none.
 *
 * @see https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_RemovePermission.html
 */
export function removePermission(
  internals: SqsInternals,
  queue: Queue,
  { input: { Label = '' } }: Call<RemovePermissionRequest>,
): void {
  checkLabel(Label);
  const { document, statements } = policyOf(queue);
  const rest = statements.filter(({ Sid }) => Sid !== Label);
  if (rest.length === statements.length) throw invalidValue(Label, 'Label', "can't find label on existing policy.");
  setStatements(internals, queue, document, rest);
}
