import { AwsError, notImplemented } from '../../kernel/aws-error';
import { credentialsAnswer, type StsAction, sessionSeconds } from './sts-action';

const SESSION_TOKEN_SECONDS = { min: 900, max: 129_600 };
const DEFAULT_SESSION_TOKEN_SECONDS = 43_200;

/** @see https://docs.aws.amazon.com/STS/latest/APIReference/API_GetSessionToken.html */
export const getSessionToken: StsAction<'GetSessionToken'> = {
  permission: undefined,
  resourceOf: () => ({ arn: '*' }),
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
};
