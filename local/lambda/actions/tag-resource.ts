import type { TagResourceRequest } from '@aws-sdk/client-lambda';
import { addTags, onTags } from './tagged';

export const tagResource = onTags<TagResourceRequest, object>('TagResource', (tagged, { Tags = {} }) => {
  addTags(tagged, Tags);
  return {};
});
