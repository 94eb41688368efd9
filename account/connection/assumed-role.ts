import { AssumeRoleCommand, STSClient, type STSClientConfig } from '@aws-sdk/client-sts';
import type { AwsCredentialIdentity } from '@smithy/types';
import { nowMs } from '../../mover/aws/clock';
import { messageOf } from '../errors';

/** How the sessions of this command appear in CloudTrail. */
const SESSION_NAME = 'dlo';

/** Credentials are replaced before they end, because a call takes a while. */
const SPARE_MS = 60_000;

async function assume(roleArn: string, settings: STSClientConfig): Promise<AwsCredentialIdentity> {
  const sts = new STSClient(settings);
  try {
    const asked = new AssumeRoleCommand({ RoleArn: roleArn, RoleSessionName: SESSION_NAME });
    const {
      AccessKeyId = '',
      SecretAccessKey = '',
      SessionToken,
      Expiration,
    } = (await sts.send(asked)).Credentials ?? {};
    return {
      accessKeyId: AccessKeyId,
      secretAccessKey: SecretAccessKey,
      ...(SessionToken !== undefined && { sessionToken: SessionToken }),
      ...(Expiration && { expiration: new Date(Expiration.getTime() - SPARE_MS) }),
    };
  } catch (error) {
    throw new Error(`the role ${roleArn} cannot be assumed: ${messageOf(error)}`);
  } finally {
    sts.destroy();
  }
}

/**
 * Credentials of a role, which the caller's own credentials assume when they are first needed. All clients of a connection share
 * them. It needs the permission `sts:AssumeRole`.
 */
export function assumedRole(roleArn: string, settings: STSClientConfig): () => Promise<AwsCredentialIdentity> {
  let assumed: Promise<AwsCredentialIdentity> | undefined;
  return async () => {
    assumed ??= assume(roleArn, settings);
    const credentials = await assumed;
    // The client asks again when its credentials have expired.
    if (credentials.expiration && credentials.expiration.getTime() <= nowMs()) assumed = assume(roleArn, settings);
    return assumed;
  };
}
