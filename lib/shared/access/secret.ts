import { Stack } from 'aws-cdk-lib';
import { type IGrantable, PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { ISecret } from 'aws-cdk-lib/aws-secretsmanager';

/**
 * Lets somebody read the value of a secret, and nothing else of it: `grantRead` of aws-cdk-lib lets them describe it too. A
 * secret known by a partial ARN has six characters behind it that AWS made up. Of its key they may use only what Secrets
 * Manager asks for in their name; the key's own policy leaves that to their account, as aws-cdk-lib writes it.
 * @see https://docs.aws.amazon.com/secretsmanager/latest/userguide/security-encryption.html
 */
export function grantSecretValue(secret: ISecret, grantee: IGrantable): void {
  const { secretFullArn, secretArn, encryptionKey } = secret;
  const value = { actions: ['secretsmanager:GetSecretValue'], resources: [secretFullArn ?? `${secretArn}-??????`] };
  grantee.grantPrincipal.addToPrincipalPolicy(new PolicyStatement(value));
  if (!encryptionKey) return;
  const { region, urlSuffix } = Stack.of(secret);
  const conditions = { StringEquals: { 'kms:ViaService': `secretsmanager.${region}.${urlSuffix}` } };
  const key = { actions: ['kms:Decrypt'], resources: [encryptionKey.keyArn], conditions };
  grantee.grantPrincipal.addToPrincipalPolicy(new PolicyStatement(key));
}
