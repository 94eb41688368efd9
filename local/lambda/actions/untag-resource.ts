import type { UntagResourceRequest } from '@aws-sdk/client-lambda';
import { onTags } from './tagged';

export const untagResource = onTags<UntagResourceRequest, object>('UntagResource', ({ tags }, { TagKeys = [] }) => {
  tags.remove(TagKeys);
  return {};
});
