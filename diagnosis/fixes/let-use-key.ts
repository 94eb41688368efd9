import { isKnown } from '../../template/told';
import type { KeyFacts } from '../inventory/inventory';
import { addedStatement } from './added-statement';
import type { Fix } from './fix';
import { type ServiceFor, serviceName, statementName, whoIsLetIn } from './let-send';

/** Services that are known to tell KMS on whose behalf they come: of others a condition would shut them out. */
const TELL_SOURCE: readonly string[] = ['sns.amazonaws.com', 'cloudwatch.amazonaws.com'];

const KEY_ACTIONS = ['kms:Decrypt', 'kms:GenerateDataKey*'];

/**
 * Lets a service encrypt with a key what it sends to a queue. Where the key's policy is not known, there is only the
 * statement; of a key of AWS's own nobody can change the policy, so there is no such fix.
 * @see https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/sqs-key-management.html#compatibility-with-aws-services
 */
export function allowKeyUse(key: KeyFacts, who: ServiceFor): Fix {
  const { service, sourceArn } = who;
  const isTelling = TELL_SOURCE.includes(service);
  const { statement, policy } = addedStatement(isKnown(key.policy) ? key.policy : undefined, statementName(who), {
    Effect: 'Allow',
    Principal: { Service: service },
    Action: KEY_ACTIONS,
    Resource: '*',
    ...(isTelling && { Condition: { ArnLike: { 'aws:SourceArn': sourceArn } } }),
  });
  const whom = isTelling ? whoIsLetIn(who) : serviceName(service);
  const says = `Let ${whom}, use the key ${key.name}: add this statement to its policy.`;
  if (!isKnown(key.policy) || key.policy === undefined) return { says, statement };
  const input = { KeyId: key.arn, PolicyName: 'default', Policy: policy };
  return { says, statement, calls: [{ service: 'kms', operation: 'PutKeyPolicy', input }] };
}
