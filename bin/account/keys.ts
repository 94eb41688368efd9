import { DescribeKeyCommand, GetKeyPolicyCommand, KMSClient } from '@aws-sdk/client-kms';
import { nameInArn, parseArn } from '../../lib/policy/arn';
import type { KeyFacts, QueueFacts, TopicFacts } from '../../lib/policy/inventory/inventory';
import { isTold, type Told } from '../../lib/policy/inventory/told';
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

/** A key as somebody names it. */
interface NamedKey {
  readonly keyId: string;
  readonly facts: Omit<KeyFacts, 'aliases'>;
}

class KeyReader {
  private readonly kms: KMSClient;

  constructor(
    private readonly reader: AccountReader,
    private readonly place: AccountPlace,
  ) {
    this.kms = reader.aws.client(KMSClient);
  }

  /** @returns undefined where nothing is told of the key, not even which it is */
  async named(keyId: string): Promise<NamedKey | undefined> {
    const read = async () => (await this.kms.send(new DescribeKeyCommand({ KeyId: keyId }))).KeyMetadata;
    const told = await this.reader.ask(DESCRIPTION, nameInArn(keyId), read);
    if (!isTold(told) || told?.Arn === undefined) return undefined;
    const { Arn: arn, KeyManager, Enabled: isEnabled = false } = told;
    const facts = {
      arn,
      name: nameInArn(arn),
      isManagedByAws: KeyManager === 'AWS',
      isEnabled,
      policy: await this.policy(arn),
    };
    return { keyId, facts };
  }

  private policy(arn: string): Promise<KeyFacts['policy']> | Told<never> {
    // KMS tells nobody the policy of another account's key: https://docs.aws.amazon.com/kms/latest/APIReference/API_GetKeyPolicy.html
    if (parseArn(arn)?.account !== this.place.account) return { untold: 'is that of a key of another account' };
    const read = async () => policyOf((await this.kms.send(new GetKeyPolicyCommand({ KeyId: arn }))).Policy);
    return this.reader.ask(POLICY, nameInArn(arn), read);
  }
}

/** Each key once, with every alias it is named by. */
function merged(named: readonly NamedKey[]): readonly KeyFacts[] {
  const byArn = new Map<string, KeyFacts>();
  for (const { keyId, facts } of named) {
    const aliases = new Set([...(byArn.get(facts.arn)?.aliases ?? []), ...aliasIn(keyId)]);
    byArn.set(facts.arn, { ...facts, aliases: [...aliases] });
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
  place: AccountPlace,
): Promise<readonly KeyFacts[]> {
  const ids = encrypted.flatMap(({ keyId }) => (isTold(keyId) && keyId !== undefined ? [keyId] : []));
  const keys = new KeyReader(reader, place);
  const found = await reader.each([...new Set(ids)], keyId => keys.named(keyId));
  return merged(found.flatMap(it => it ?? []));
}
