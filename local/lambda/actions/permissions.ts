import type {
  AddPermissionRequest,
  AddPermissionResponse,
  GetPolicyRequest,
  GetPolicyResponse,
  RemovePermissionRequest,
} from '@aws-sdk/client-lambda';
import { invalidParameter, lambdaConstraints, refuse, resourceNotFound } from '../errors';
import { LATEST } from '../function/function-configuration';
import { statement } from '../function/permissions';
import { checkRevision, onFunction } from './lambda-action';

const STATEMENT_ID = '([a-zA-Z0-9-_]+)';
const ACTION = '(lambda:[*]|lambda:[a-zA-Z]+|[*])';

const REFUSED = ['EventSourceToken', 'FunctionUrlAuthType', 'InvokedViaFunctionUrl', 'PrincipalOrgID'] as const;

export const addPermission = onFunction<AddPermissionRequest, AddPermissionResponse>(
  'AddPermission',
  (target, input) => {
    const { StatementId = '', Action = '', Principal = '', SourceArn, SourceAccount, RevisionId } = input;
    lambdaConstraints().pattern('statementId', StatementId, STATEMENT_ID).pattern('action', Action, ACTION).check();
    for (const member of REFUSED) if (input[member] !== undefined) throw refuse('AddPermission', member);
    const { deployed, qualifier } = target;
    if (qualifier === LATEST) throw invalidParameter('We currently do not support adding policies for $LATEST.');
    checkRevision(target, RevisionId);
    const permission = {
      statementId: StatementId,
      action: Action,
      principal: Principal,
      sourceArn: SourceArn,
      sourceAccount: SourceAccount,
    };
    deployed.permissions.add(qualifier, permission);
    deployed.revise(qualifier);
    return { Statement: JSON.stringify(statement(target.arn, permission)) };
  },
);

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

export const getPolicy = onFunction<GetPolicyRequest, GetPolicyResponse>(
  'GetPolicy',
  ({ deployed, policy, qualifier }) => {
    if (!policy) throw resourceNotFound();
    return { Policy: JSON.stringify(policy), RevisionId: deployed.revisionId(qualifier) };
  },
);
