import { parseArn } from '../../policy/arn';
import type { PolicyDocument } from '../../template/access/policy-document';
import { isKnown, type MaybeKnown } from '../../template/told';
import type { TopicFacts } from '../inventory/inventory';

/**
 * A topic's policy, or the one SNS gives a topic nobody has given one: who belongs to its account may publish, and services
 * that say whose they are.
 * @see https://docs.aws.amazon.com/sns/latest/dg/sns-access-policy-use-cases.html
 */
export function topicPolicyOf({ arn, policy }: TopicFacts): MaybeKnown<PolicyDocument> {
  if (!isKnown(policy)) return policy;
  const account = parseArn(arn)?.account ?? '';
  return (
    policy ?? {
      Version: '2008-10-17',
      Statement: [
        {
          Effect: 'Allow',
          Principal: { AWS: '*' },
          Action: 'SNS:Publish',
          Resource: arn,
          Condition: { StringEquals: { 'AWS:SourceOwner': account } },
        },
      ],
    }
  );
}
