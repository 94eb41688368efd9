import type { FunctionConfiguration, PublishVersionRequest } from '@aws-sdk/client-lambda';
import { refuse } from '../errors';
import { digestOf } from '../function/code-digest';
import { describeVersion } from './describe-function';
import { checkRevision, onFunction } from './lambda-action';

export const publishVersion = onFunction<PublishVersionRequest, FunctionConfiguration>(
  'PublishVersion',
  (target, { CodeSha256, Description, RevisionId, PublishTo }) => {
    if (PublishTo) throw refuse('PublishVersion', 'PublishTo');
    const { versions, configuration } = target.deployed;
    checkRevision(target, RevisionId);
    if (CodeSha256 !== undefined) versions.checkCode(CodeSha256, digestOf(configuration).sha256);
    return describeVersion(versions.publish(Description));
  },
);
