import type { GetPolicyRequest, GetPolicyResponse } from '@aws-sdk/client-lambda';
import { resourceNotFound } from '../errors';
import { onFunction } from './lambda-action';

export const getPolicy = onFunction<GetPolicyRequest, GetPolicyResponse>(
  'GetPolicy',
  ({ deployed, policy, qualifier }) => {
    if (!policy) throw resourceNotFound();
    return { Policy: JSON.stringify(policy), RevisionId: deployed.revisionId(qualifier) };
  },
);
