import type { RemovePermissionRequest } from '@aws-sdk/client-lambda';
import { checkRevision, onFunction } from './lambda-action';

export const removePermission = onFunction<RemovePermissionRequest, object>(
  'RemovePermission',
  (target, { StatementId = '', RevisionId }) => {
    const { deployed, qualifier } = target;
    checkRevision(target, RevisionId);
    deployed.permissions.remove(qualifier, StatementId);
    deployed.revise(qualifier);
    return {};
  },
);
