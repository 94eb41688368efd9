import type { AssumeRoleRequest, Credentials, STS } from '@aws-sdk/client-sts';
import type { PolicyDocument, SessionCredentials } from '../kernel/access';
import { AwsError, notImplemented } from '../kernel/aws-error';
import { accountOf, assumedRoleArn, type Caller, callerName } from '../kernel/caller';
import { Constraints } from '../kernel/constraints';
import {
  type ActionFamily,
  accessDenied,
  type InputOf,
  type OutputOf,
  type Refused,
  RequestChecks,
  type Resource,
  type SdkActions,
  ServiceApi,
  type ServiceContext,
} from '../kernel/service-api';

/**
 * The Security Token Service: sessions of roles, which expire in virtual time.
 *
 * @see https://docs.aws.amazon.com/STS/latest/APIReference/welcome.html
 */
export class Sts extends ServiceApi<StsState, StsActions> {
  constructor(context: StsContext, roles: Roles) {
    const checks = new RequestChecks('sts', context, accessDenied(context.place, 'AccessDenied', 403));
    super(checks, STS_ACTIONS, { context, roles });
  }

  override call<Name extends keyof StsActions>(
    action: Name,
    caller: Caller,
    input: InputOf<StsActions[Name]>,
  ): OutputOf<StsActions[Name]> {
    return super.call(action, withRequest(caller, input), input);
  }
}

const ASSUME_ROLE_SECONDS = { min: 900, max: 43_200 };
const DEFAULT_ASSUME_ROLE_SECONDS = 3600;
/** The longest session of a role assumed by another role. */
const CHAINED_SECONDS = 3600;
const SESSION_NAME = '[\\w+=,.@-]*';

interface RoleTarget extends Resource {
  /** Undefined for a role that does not exist. It is refused like a role that trusts no principal. */
  readonly role: AssumableRole | undefined;
}

/** Members of the request that are not implemented. */
const NOT_HERE = ['Policy', 'PolicyArns', 'Tags', 'TransitiveTagKeys', 'SerialNumber', 'SourceIdentity'] as const;

const SESSION_TOKEN_SECONDS = { min: 900, max: 129_600 };
const DEFAULT_SESSION_TOKEN_SECONDS = 43_200;

/**
 * The API actions of STS. Federation is not simulated.
 *
 * @see https://docs.aws.amazon.com/STS/latest/APIReference/API_Operations.html
 */
const STS_ACTIONS = {
  /**
   * An administrator may assume roles like a user of the account, because users are not simulated. AWS refuses the root user.
   */
  AssumeRole: {
    resourceOf: ({ roles }, input) => {
      checkNames(input);
      const role = roles.findRole(input.RoleArn ?? '');
      return { arn: input.RoleArn ?? '', policy: role?.trustPolicy, role };
    },
    run: ({ context, roles }, { caller, input }, { role }: RoleTarget) => {
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
  },

  GetSessionToken: {
    permission: null,
    run: (
      { context, roles },
      { caller, input: { DurationSeconds = DEFAULT_SESSION_TOKEN_SECONDS, SerialNumber, TokenCode } },
    ) => {
      if (caller.principal.kind !== 'account') {
        throw new AwsError('AccessDenied', 'Cannot call GetSessionToken with session credentials', 403);
      }
      if (SerialNumber !== undefined || TokenCode !== undefined) throw notImplemented('second factors');
      const expiresAtMs = context.timeline.nowMs + sessionSeconds(DurationSeconds, SESSION_TOKEN_SECONDS) * 1000;
      const issued = roles.credentials.issueSession({ expiresAtMs });
      context.trace.record({ type: 'sts.session-token-issued', expiresAtMs });
      return { Credentials: credentialsAnswer(issued, expiresAtMs) };
    },
  },

  /** Needs no permission. A function's session does not come from STS, so the answer names its role. */
  GetCallerIdentity: {
    permission: null,
    run: ({ context: { place }, roles }, { caller }) => {
      const { principal } = caller;
      const account = accountOf(caller) ?? place.account;
      const Arn = callerName(caller, place.partition);
      if (principal.kind !== 'role') return { UserId: account, Account: account, Arn };
      const id = roles.findRole(principal.arn)?.id ?? '';
      const { sessionName } = principal;
      return { UserId: sessionName === undefined ? id : `${id}:${sessionName}`, Account: account, Arn };
    },
  },
} satisfies ActionFamily<StsState, STS>;

function checkNames({ RoleArn = '', RoleSessionName = '' }: AssumeRoleRequest): void {
  if (!/^arn:[^:]+:iam::\d{12}:role\/.+$/.test(RoleArn)) throw validationError(`${RoleArn} is invalid`);
  new Constraints(validationError)
    .length('roleSessionName', RoleSessionName, 2, 64)
    .pattern('roleSessionName', RoleSessionName, SESSION_NAME)
    .check();
}

/** Adds the condition keys of the request to the caller, for trust policies. */
function withRequest(caller: Caller, input: object): Caller {
  const asked: { readonly ExternalId?: unknown; readonly RoleSessionName?: unknown } = input;
  const { ExternalId: externalId, RoleSessionName: sessionName } = asked;
  return {
    ...caller,
    context: {
      ...caller.context,
      ...(typeof externalId === 'string' && { 'sts:ExternalId': externalId }),
      ...(typeof sessionName === 'string' && { 'sts:RoleSessionName': sessionName }),
    },
  };
}

export type StsActions = SdkActions<STS, keyof typeof STS_ACTIONS>;

interface StsState {
  readonly context: StsContext;
  readonly roles: Roles;
}

/** One API action: its permission, its resource, and what it does. */
function validationError(text: string): AwsError {
  return new AwsError('ValidationError', text);
}

/** Checks that a session's length is in its range. @throws AwsError `ValidationError` */
function sessionSeconds(given: number, { min, max }: { readonly min: number; readonly max: number }): number {
  new Constraints(validationError).range('durationSeconds', given, min, max).check();
  return given;
}

function credentialsAnswer(
  { accessKeyId, secretAccessKey, sessionToken }: SessionCredentials,
  expiresAtMs: number,
): Credentials {
  return {
    AccessKeyId: accessKeyId,
    SecretAccessKey: secretAccessKey,
    SessionToken: sessionToken,
    Expiration: new Date(expiresAtMs),
  };
}

interface AssumableRole {
  readonly arn: string;
  /** `AROA…` */
  readonly id: string;
  readonly trustPolicy: PolicyDocument;
  readonly details: { readonly maxSessionSeconds: number };
}

export interface Roles {
  findRole(roleArn: string): AssumableRole | undefined;
  readonly credentials: {
    /** Issues credentials. Without a role, the session is one of an administrator. */
    issueSession(session: {
      readonly roleArn?: string;
      readonly sessionName?: string;
      readonly expiresAtMs: number;
    }): SessionCredentials;
  };
}

/** The trace events of STS: sessions, never their credentials. */
export type StsTraceEvent =
  | {
      readonly type: 'sts.role-assumed';
      readonly roleArn: string;
      readonly sessionName: string;
      readonly expiresAtMs: number;
    }
  | { readonly type: 'sts.session-token-issued'; readonly expiresAtMs: number }
  | Refused<'sts'>;

export type StsContext = Pick<ServiceContext<StsTraceEvent>, 'place' | 'timeline' | 'access' | 'faults' | 'trace'>;
