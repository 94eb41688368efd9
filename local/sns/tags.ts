import { AwsError } from '../kernel/aws-error';
import { TAG_RULES, type TagBreach, type TagRules } from '../kernel/tag-rules';
import { invalidParameter } from './errors';

/**
 * The tags of topics. On record are the texts for keys that come twice and for too many tags; the others are ours.
 *
 * @see https://docs.aws.amazon.com/sns/latest/dg/sns-tags.html
 */
export const TOPIC_TAGS: TagRules = { refusesDuplicates: true, refuse };

function refuse(breaches: readonly TagBreach[]): AwsError {
  const broken = (rule: TagBreach['rule']) => breaches.find(breach => breach.rule === rule);
  const [first] = breaches;
  if (broken('duplicate')) return invalidParameter('Duplicated keys are not allowed.');
  if (!first || first.rule === 'most') {
    return new AwsError('TagLimitExceeded', 'Could not complete request: tag quota of per resource exceeded');
  }
  return invalidParameter(`Tags Reason: ${TAG_RULES[first.rule](first.text)}`);
}
