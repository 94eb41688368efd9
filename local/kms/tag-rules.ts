import type { Tag } from '@aws-sdk/client-kms';
import { AwsError } from '../kernel/aws-error';
import type { ResourceTag } from '../kernel/tag-rules';
import { TAG_RULES, type TagRules } from '../kernel/tag-rules';

/** The tags of keys. The texts are ours. @see https://docs.aws.amazon.com/kms/latest/APIReference/API_TagResource.html */
export const KEY_TAGS: TagRules = {
  needsValues: true,
  refusesDuplicates: true,
  refuse: breaches => new AwsError('TagException', breaches.map(({ rule, text }) => TAG_RULES[rule](text)).join(' ')),
};

/** KMS has names of its own for the halves of a tag. */
export function resourceTags(tags: readonly Tag[] = []): readonly ResourceTag[] {
  return tags.map(({ TagKey, TagValue }) => ({ Key: TagKey, Value: TagValue }));
}
