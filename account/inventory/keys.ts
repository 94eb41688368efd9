import { DescribeKeyCommand, GetKeyPolicyCommand, KMSClient } from '@aws-sdk/client-kms';
import type { KeyFacts, QueueFacts, TopicFacts } from '../../diagnosis/inventory/inventory';
import { parseArn } from '../../policy/arn';
import { isKnown, knownValue } from '../../template/told';
import type { AccountPlace } from './account-place';
import type { AccountReader, Question } from './account-reader';
import { policyOf } from './attribute-text';

const OF = ['key', 'keys'] as const;

const DESCRIPTION: Question = { action: 'kms:DescribeKey', of: OF, tells: 'the state', isDispensable: true };
const POLICY: Question = { action: 'kms:GetKeyPolicy', of: OF, tells: 'the policy', isDispensable: true };

const ALIAS_PREFIX = 'alias/';

/** The alias a key is named by; none where it is named by its id. */
function aliasIn(keyId: string): readonly string[] {
  const resource = parseArn(keyId)?.resource ?? keyId;
  return resource.startsWith(ALIAS_PREFIX) ? [resource] : [];
}

type DescribedKey = Omit<KeyFacts, 'policy'>;

/** What is told of the key that a topic or a queue names. Undefined where not even that is told which it is. */
async function described(reader: AccountReader, kms: KMSClient, keyId: string): Promise<DescribedKey | undefined> {
  const read = async () => (await kms.send(new DescribeKeyCommand({ KeyId: keyId }))).KeyMetadata;
  const reported = await reader.ask(DESCRIPTION, keyId, read);
  if (!isKnown(reported) || reported?.Arn === undefined) return undefined;
  const { Arn: arn, KeyId: id = arn, KeyManager, Enabled: isEnabled = false, KeyState: state } = reported;
  const isManagedByAws = KeyManager === 'AWS';
  return { arn, name: id, aliases: aliasIn(keyId), isManagedByAws, isEnabled, ...(state !== undefined && { state }) };
}

/** Each key once, with every alias it is named by; the first is its name. */
function merged(keys: readonly DescribedKey[]): readonly DescribedKey[] {
  const byArn = new Map<string, DescribedKey>();
  for (const key of keys) {
    const aliases = [...new Set([...(byArn.get(key.arn)?.aliases ?? []), ...key.aliases])];
    byArn.set(key.arn, { ...key, aliases, name: aliases[0] ?? key.name });
  }
  return [...byArn.values()];
}

/**
 * The keys that topics and queues are encrypted with. It takes the permissions `kms:DescribeKey` and `kms:GetKeyPolicy`;
 * without them the keys are left out, or their policies untold.
 */
export async function readKeys(
  reader: AccountReader,
  encrypted: readonly (TopicFacts | QueueFacts)[],
  { account }: AccountPlace,
): Promise<readonly KeyFacts[]> {
  const kms = reader.aws.client(KMSClient);
  const ids = new Set(encrypted.flatMap(({ keyId }) => knownValue(keyId) ?? []));
  const found = await reader.each([...ids], keyId => described(reader, kms, keyId));
  return reader.each(merged(found.flatMap(it => it ?? [])), async (key): Promise<KeyFacts> => {
    // KMS tells nobody the policy of another account's key: https://docs.aws.amazon.com/kms/latest/APIReference/API_GetKeyPolicy.html
    if (parseArn(key.arn)?.account !== account)
      return { ...key, policy: { unknownBecause: 'is that of another account' } };
    const asked = new GetKeyPolicyCommand({ KeyId: key.arn });
    const read = async () => policyOf((await kms.send(asked)).Policy);
    return { ...key, policy: await reader.ask(POLICY, key.name, read) };
  });
}
