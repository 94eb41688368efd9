import { GetCallerIdentityCommand, STSClient } from '@aws-sdk/client-sts';
import { parseArn } from '../../policy/arn';
import type { Connection } from '../connection/connection';

/** Which account and Region credentials work in. */
export interface AccountPlace {
  /** `aws`, `aws-cn`, `aws-us-gov`. */
  readonly partition: string;
  readonly region: string;
  readonly account: string;
}

/**
 * Whose the credentials are. It takes no permission: AWS tells everybody who they are.
 * @see https://docs.aws.amazon.com/STS/latest/APIReference/API_GetCallerIdentity.html
 */
export async function accountPlace(aws: Connection): Promise<AccountPlace> {
  const { Account: account = '', Arn = '' } = await aws.client(STSClient).send(new GetCallerIdentityCommand({}));
  return { partition: parseArn(Arn)?.partition ?? 'aws', region: aws.region, account };
}
