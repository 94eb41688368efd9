import { Key } from 'aws-cdk-lib/aws-kms';
import { CfnSecret, Secret } from 'aws-cdk-lib/aws-secretsmanager';
import type { Construct } from 'constructs';

/** A secret with its own key, and with its value in the template. A real secret must not have its value there. */
export function statedSecret(scope: Construct, id: string, text: string): Secret {
  const secret = new Secret(scope, id, { encryptionKey: new Key(scope, `${id}Key`) });
  const resource = secret.node.defaultChild;
  if (!(resource instanceof CfnSecret)) throw new Error(`${secret.node.path} has no AWS::SecretsManager::Secret`);
  resource.generateSecretString = undefined;
  resource.secretString = text;
  return secret;
}
