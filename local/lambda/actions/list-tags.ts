import type { ListTagsRequest, ListTagsResponse } from '@aws-sdk/client-lambda';
import { onTags } from './tagged';

export const listTags = onTags<ListTagsRequest, ListTagsResponse>('ListTags', ({ tags }) => ({
  Tags: tags.record(),
}));
