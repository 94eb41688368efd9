import type { AssumeRoleRequest } from '@aws-sdk/client-sts';
import { AwsError, notImplemented } from '../../kernel/aws-error';
import { assumedRoleArn } from '../../kernel/caller';
import { Constraints } from '../../kernel/constraints';
import type { Resource } from '../../kernel/doorkeeper';
import type { AssumableRole } from '../ports';
import { credentialsAnswer, type StsAction, sessionSeconds, validationError } from './sts-action';

const ASSUME_ROLE_SECONDS = { min: 900, max: 43_200 };
const DEFAULT_ASSUME_ROLE_SECONDS = 3600;
/** How long a session may last that is assumed out of another one. */
const CHAINED_SECONDS = 3600;
const SESSION_NAME = '[\\w+=,.@-]*';

interface RoleTarget extends Resource {
  /** A role that is not there is refused as one that trusts nobody. */
  readonly role: AssumableRole | undefined;
}

/** What AWS has for a session and the embedded AWS has not. */
const NOT_HERE = ['Policy', 'PolicyArns', 'Tags', 'TransitiveTagKeys', 'SerialNumber', 'SourceIdentity'] as const;

/**
 * Our choice: the administrator of the account may assume roles, as a user of it could; AWS refuses its root user.
 *
 * @see https://docs.aws.amazon.com/STS/latest/APIReference/API_AssumeRole.html
 */
export const assumeRole: StsAction<'AssumeRole', RoleTarget> = {
  permission: 'sts:AssumeRole',
  resourceOf: ({ roles }, input) => {
    checkNames(input);
    const role = roles.findRole(input.RoleArn ?? '');
    return { arn: input.RoleArn ?? '', policy: role?.trustPolicy, role };
  },
  run: ({ context, roles }, { caller, input }, { role }) => {
    if (!role) throw new AwsError('AccessDenied', 'the role does not exist', 403);
    const { RoleSessionName: sessionName = '', DurationSeconds = DEFAULT_ASSUME_ROLE_SECONDS } = input;
    for (const member of NOT_HERE) {
      const value = input[member];
      if (value !== undefined && value.length > 0) throw notImplemented(`AssumeRole with ${member}`);
    }
    const seconds = sessionSeconds(DurationSeconds, ASSUME_ROLE_SECONDS);
    if (seconds > role.details.maxSessionSeconds) {
      throw validationError('The requested DurationSeconds exceeds the MaxSessionDuration set for this role.');
    }
    if (caller.principal.kind === 'role' && seconds > CHAINED_SECONDS) {
      throw validationError(
        'The requested DurationSeconds exceeds the 1 hour session limit for roles assumed by role chaining.',
      );
    }
    const roleArn = role.arn;
    const expiresAtMs = context.timeline.nowMs + seconds * 1000;
    const issued = roles.credentials.issueSession({ roleArn, sessionName, expiresAtMs });
    context.trace.record({ type: 'sts.role-assumed', roleArn, sessionName, expiresAtMs });
    return {
      Credentials: credentialsAnswer(issued, expiresAtMs),
      AssumedRoleUser: {
        AssumedRoleId: `${role.id}:${sessionName}`,
        Arn: assumedRoleArn(roleArn, sessionName),
      },
    };
  },
};

function checkNames({ RoleArn = '', RoleSessionName = '' }: AssumeRoleRequest): void {
  if (!/^arn:[^:]+:iam::\d{12}:role\/.+$/.test(RoleArn)) throw validationError(`${RoleArn} is invalid`);
  new Constraints(validationError)
    .length('roleSessionName', RoleSessionName, 2, 64)
    .pattern('roleSessionName', RoleSessionName, SESSION_NAME)
    .check();
}
