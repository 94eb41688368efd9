import type {
  ListTagsRequest,
  ListTagsResponse,
  TagResourceRequest,
  UntagResourceRequest,
} from '@aws-sdk/client-lambda';
import { nameInArn, parseArn } from '../../../policy/arn';
import { MissingResource, type Resource } from '../../kernel/service-api';
import { type ResourceTags, tagList } from '../../kernel/tags';
import { functionNotFound, invalidParameter, resourceNotFound } from '../errors';
import { parseFunctionName } from '../function/function-configuration';
import type { LambdaState } from '../lambda-state';
import type { LambdaAction } from './lambda-action';

export const tagResource = onTags<TagResourceRequest, object>('TagResource', ({ tags }, { Tags = {} }) => {
  tags.put(tagList(Tags));
  return {};
});

export const untagResource = onTags<UntagResourceRequest, object>('UntagResource', ({ tags }, { TagKeys = [] }) => {
  tags.remove(TagKeys);
  return {};
});

export const listTags = onTags<ListTagsRequest, ListTagsResponse>('ListTags', ({ tags }) => ({
  Tags: tags.record(),
}));

const FUNCTIONS_ONLY =
  'Tagging operations are permitted on Lambda functions only. Tags on aliases and versions are not supported. ' +
  'Please specify either a function name or a function ARN.';

/** A resource with tags: a function or an event source mapping. */
export interface Tagged extends Resource {
  readonly tags: ResourceTags;
}

/** An action on the tags of a function or an event source mapping. */
function onTags<Input extends { readonly Resource?: string | undefined }, Output>(
  permission: string,
  run: (tagged: Tagged, input: Input) => Output,
): LambdaAction<Input, Output, Tagged> {
  return {
    permission: `lambda:${permission}`,
    resourceOf: (state, { Resource: arn = '' }) => taggedAt(state, arn),
    run: (_state, { input }, tagged) => {
      if (parseFunctionName(input.Resource ?? '').qualifier && !isMapping(input.Resource ?? '')) {
        throw invalidParameter(FUNCTIONS_ONLY);
      }
      return run(tagged, input);
    },
  };
}

function taggedAt({ functions, mappings }: LambdaState, arn: string): Tagged | MissingResource {
  if (isMapping(arn)) return mappings.find(nameInArn(arn)) ?? new MissingResource(arn, resourceNotFound());
  return functions.find(arn) ?? new MissingResource(arn, functionNotFound(arn));
}

function isMapping(arn: string): boolean {
  return parseArn(arn)?.resource.startsWith('event-source-mapping:') ?? false;
}
