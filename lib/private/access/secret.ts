import { Stack } from 'aws-cdk-lib';
import { type IGrantable, PolicyStatement } from 'aws-cdk-lib/aws-iam';
import { ViaServicePrincipal } from 'aws-cdk-lib/aws-kms';
import type { ISecret } from 'aws-cdk-lib/aws-secretsmanager';

/**
 * Lets somebody read the value of a secret, and nothing else of it: `grantRead` of aws-cdk-lib lets them describe it too. A
 * secret known by a partial ARN has six characters behind it that AWS made up.
 * @see https://docs.aws.amazon.com/secretsmanager/latest/userguide/auth-and-access_iam-policies.html
 */
export function grantSecretValue(secret: ISecret, grantee: IGrantable): void {
  const statement = new PolicyStatement({
    actions: ['secretsmanager:GetSecretValue'],
    resources: [secret.secretFullArn ?? `${secret.secretArn}-??????`],
  });
  grantee.grantPrincipal.addToPrincipalPolicy(statement);
  const { region, urlSuffix } = Stack.of(secret);
  const viaSecretsManager = `secretsmanager.${region}.${urlSuffix}`;
  secret.encryptionKey?.grantDecrypt(new ViaServicePrincipal(viaSecretsManager, grantee.grantPrincipal));
}
