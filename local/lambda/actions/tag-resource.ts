import type { TagResourceRequest } from '@aws-sdk/client-lambda';
import { tagList } from '../../kernel/resource-tags';
import { onTags } from './tagged';

export const tagResource = onTags<TagResourceRequest, object>('TagResource', ({ tags }, { Tags = {} }) => {
  tags.put(tagList(Tags));
  return {};
});
