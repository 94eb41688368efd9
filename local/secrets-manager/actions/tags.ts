import type { Secret } from '../secret';
import { type SecretsManagerAction, secretNamed } from './secrets-manager-action';

/** @see https://docs.aws.amazon.com/secretsmanager/latest/apireference/API_TagResource.html */
export const tagResource: SecretsManagerAction<'TagResource', Secret> = {
  permission: 'secretsmanager:TagResource',
  resourceOf: secretNamed,
  run: (_state, { input: { Tags = [] } }, { tags }) => {
    tags.put(Tags);
  },
};

/** @see https://docs.aws.amazon.com/secretsmanager/latest/apireference/API_UntagResource.html */
export const untagResource: SecretsManagerAction<'UntagResource', Secret> = {
  permission: 'secretsmanager:UntagResource',
  resourceOf: secretNamed,
  run: (_state, { input: { TagKeys = [] } }, { tags }) => {
    tags.remove(TagKeys);
  },
};
