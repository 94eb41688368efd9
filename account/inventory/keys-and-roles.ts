import {
  GetPolicyCommand,
  GetPolicyVersionCommand,
  GetRoleCommand,
  GetRolePolicyCommand,
  IAMClient,
  paginateListAttachedRolePolicies,
  paginateListRolePolicies,
} from '@aws-sdk/client-iam';
import { DescribeKeyCommand, GetKeyPolicyCommand, KMSClient } from '@aws-sdk/client-kms';
import type {
  BoundaryFacts,
  FunctionFacts,
  KeyFacts,
  MappingFacts,
  QueueFacts,
  RoleFacts,
  StreamFacts,
  SubscriptionFacts,
  TargetFacts,
  TopicFacts,
} from '../../diagnosis/inventory/inventory';
import { unqualified } from '../../diagnosis/inventory/look-ups';
import { displayNameOf, parseArn } from '../../policy/arn';
import type { PolicyDocument } from '../../template/access/policy-document';
import { isKnown, knownValue, type MaybeKnown, thenKnown } from '../../template/maybe-known';
import type { Question } from '../connection/unread-calls';
import { type AccountPlace, type AccountReader, policyOf, unlessGone } from './account-reader';

const OF = ['key', 'keys'] as const;

const DESCRIPTION: Question = { action: 'kms:DescribeKey', of: OF, tells: 'the state' };
const POLICY: Question = { action: 'kms:GetKeyPolicy', of: OF, tells: 'the policy' };

const ALIAS_PREFIX = 'alias/';

/** The alias in a key reference. Empty when the reference is a key id. */
function aliasIn(keyId: string): readonly string[] {
  const resource = parseArn(keyId)?.resource ?? keyId;
  return resource.startsWith(ALIAS_PREFIX) ? [resource] : [];
}

type DescribedKey = Omit<KeyFacts, 'policy'>;

/** Describes a key that a topic or queue uses. Undefined when it cannot be described. */
async function described(reader: AccountReader, kms: KMSClient, keyId: string): Promise<DescribedKey | undefined> {
  const read = async () => (await kms.send(new DescribeKeyCommand({ KeyId: keyId }))).KeyMetadata;
  const reported = await reader.ask(DESCRIPTION, keyId, read);
  if (!isKnown(reported) || reported?.Arn === undefined) return undefined;
  const { Arn: arn, KeyId: id = arn, KeyManager, Enabled: isEnabled = false, KeyState: state } = reported;
  const isManagedByAws = KeyManager === 'AWS';
  return { arn, name: id, aliases: aliasIn(keyId), isManagedByAws, isEnabled, ...(state !== undefined && { state }) };
}

/** Merges descriptions of the same key. Its first alias is its name. */
function merged(keys: readonly DescribedKey[]): readonly DescribedKey[] {
  const byArn = new Map<string, DescribedKey>();
  for (const key of keys) {
    const aliases = [...new Set([...(byArn.get(key.arn)?.aliases ?? []), ...key.aliases])];
    byArn.set(key.arn, { ...key, aliases, name: aliases[0] ?? key.name });
  }
  return [...byArn.values()];
}

/**
 * Reads the keys that topics, queues and Firehose streams are encrypted with. It needs the permissions `kms:DescribeKey` and `kms:GetKeyPolicy`.
 * Without the first, keys are missing from the inventory. Without the second, their policies are unknown.
 */
export async function readKeys(
  reader: AccountReader,
  encrypted: readonly (TopicFacts | QueueFacts | StreamFacts)[],
  { account }: AccountPlace,
): Promise<readonly KeyFacts[]> {
  const kms = reader.aws.client(KMSClient);
  const ids = new Set(encrypted.flatMap(({ keyId }) => knownValue(keyId) ?? []));
  const found = await reader.each([...ids], keyId => described(reader, kms, keyId));
  return reader.each(merged(found.flatMap(it => it ?? [])), async (key): Promise<KeyFacts> => {
    // KMS does not return the policy of another account's key: https://docs.aws.amazon.com/kms/latest/APIReference/API_GetKeyPolicy.html
    if (isKnown(account) && parseArn(key.arn)?.account !== account)
      return { ...key, policy: { unknownBecause: 'belongs to another account' } };
    const asked = new GetKeyPolicyCommand({ KeyId: key.arn });
    const read = async () => policyOf((await kms.send(asked)).Policy);
    return { ...key, policy: await reader.ask(POLICY, key.name, read) };
  });
}

function question(action: string, tells: string): Question {
  return { action, of: ['role', 'roles'], tells };
}

const OWN_NAMES = question('iam:ListRolePolicies', 'the names of the policies');
const OWN = question('iam:GetRolePolicy', 'the policies');
const ATTACHED_NAMES = question('iam:ListAttachedRolePolicies', 'the names of the attached policies');
const ATTACHED = question('iam:GetPolicy', 'the attached policies');
const BOUNDARY = question('iam:GetRole', 'the permissions boundaries');
const ATTACHED_VERSION = question('iam:GetPolicyVersion', 'the attached policies');

/** IAM returns policies URL-encoded. */
function documentOf(text: string | undefined): MaybeKnown<PolicyDocument | undefined> {
  return policyOf(text === undefined ? undefined : decodeURIComponent(text));
}

type MaybePolicy = MaybeKnown<PolicyDocument | undefined>;

/** Reads roles and their policies, each once. */
export class RoleReader {
  private readonly iam: IAMClient;
  private readonly managedPolicies = new Map<string, Promise<MaybePolicy>>();
  private readonly roles = new Map<string, Promise<RoleFacts>>();

  constructor(private readonly reader: AccountReader) {
    this.iam = reader.aws.client(IAMClient);
  }

  /** Begins with the role of a function that sends events, while other functions are still read. */
  begin(sender: SendingFunction): void {
    const arn = knownValue(sender.roleArn);
    // The caller that needs the role gets the error.
    if (arn !== undefined && sendsEvents(sender)) this.facts(arn).catch(() => {});
  }

  facts(arn: string): Promise<RoleFacts> {
    const reading = this.roles.get(arn) ?? this.read(arn);
    this.roles.set(arn, reading);
    return reading;
  }

  private async read(arn: string): Promise<RoleFacts> {
    // The path is not part of the role name: role/service-role/orders.
    const name = displayNameOf(arn);
    const [own, attached, boundary] = await Promise.all([this.own(name), this.attachedTo(name), this.boundary(name)]);
    const all = [...own.map(it => it.document), ...attached];
    const unknownBecause = all.find(it => !isKnown(it));
    const policies = all.flatMap(it => knownValue(it) ?? []);
    const inline = own.flatMap(it => {
      const document = knownValue(it.document);
      return document ? [{ name: it.name, document }] : [];
    });
    return {
      arn,
      name,
      policies: unknownBecause && !isKnown(unknownBecause) ? unknownBecause : policies,
      inline,
      ...(boundary && { boundary }),
    };
  }

  private async boundary(RoleName: string): Promise<BoundaryFacts | undefined> {
    const arn = await this.reader.ask(
      BOUNDARY,
      RoleName,
      async () =>
        (await this.iam.send(new GetRoleCommand({ RoleName }))).Role?.PermissionsBoundary?.PermissionsBoundaryArn,
    );
    if (arn === undefined) return undefined;
    if (!isKnown(arn)) return { arn, document: arn };
    const document = await this.managed(arn, RoleName);
    return { arn, document: thenKnown(document, it => it ?? { unknownBecause: 'no longer exists' }) };
  }

  private async own(RoleName: string): Promise<readonly { name: string; document: MaybePolicy }[]> {
    const names = await this.reader.ask(OWN_NAMES, RoleName, async () => {
      const found: string[] = [];
      const pages = paginateListRolePolicies({ client: this.iam }, { RoleName });
      for await (const { PolicyNames = [] } of pages) found.push(...PolicyNames);
      return found;
    });
    if (!isKnown(names)) return [{ name: '', document: names }];
    return Promise.all(
      names.map(async name => {
        const asked = new GetRolePolicyCommand({ RoleName, PolicyName: name });
        const read = async () => documentOf((await unlessGone(() => this.iam.send(asked)))?.PolicyDocument);
        return { name, document: await this.reader.ask(OWN, RoleName, read) };
      }),
    );
  }

  private async attachedTo(RoleName: string): Promise<readonly MaybePolicy[]> {
    const arns = await this.reader.ask(ATTACHED_NAMES, RoleName, async () => {
      const found: string[] = [];
      const pages = paginateListAttachedRolePolicies({ client: this.iam }, { RoleName });
      for await (const { AttachedPolicies = [] } of pages) {
        found.push(...AttachedPolicies.flatMap(({ PolicyArn }) => PolicyArn ?? []));
      }
      return found;
    });
    if (!isKnown(arns)) return [arns];
    return Promise.all(arns.map(arn => this.managed(arn, RoleName)));
  }

  private managed(arn: string, roleName: string): Promise<MaybePolicy> {
    const reading = this.managedPolicies.get(arn) ?? this.readManaged(arn, roleName);
    this.managedPolicies.set(arn, reading);
    return reading;
  }

  private async readManaged(PolicyArn: string, roleName: string): Promise<MaybePolicy> {
    const version = await this.reader.ask(ATTACHED, roleName, async () => {
      const asked = new GetPolicyCommand({ PolicyArn });
      return (await unlessGone(() => this.iam.send(asked)))?.Policy?.DefaultVersionId;
    });
    if (!isKnown(version) || version === undefined) return version;
    const asked = new GetPolicyVersionCommand({ PolicyArn, VersionId: version });
    const read = async () => documentOf((await unlessGone(() => this.iam.send(asked)))?.PolicyVersion?.Document);
    return this.reader.ask(ATTACHED_VERSION, roleName, read);
  }
}

function functionsWithFailureDestination(mappings: readonly MappingFacts[]): ReadonlySet<string> {
  const withDestination = mappings.filter(({ onFailureArn }) => knownValue(onFailureArn) !== undefined);
  return new Set(withDestination.flatMap(({ functionArn }) => knownValue(functionArn) ?? []).map(unqualified));
}

export type SendingFunction = Pick<FunctionFacts, 'roleArn' | 'deadLetterTargetArn' | 'eventInvokes'>;

function sendsEvents({ deadLetterTargetArn, eventInvokes }: SendingFunction): boolean {
  const destinations = (knownValue(eventInvokes) ?? []).flatMap(({ onFailureArn, onSuccessArn }) => [
    onFailureArn,
    onSuccessArn,
  ]);
  return [deadLetterTargetArn, ...destinations].some(it => knownValue(it) !== undefined);
}

/**
 * Reads the roles that send: those of functions and schedules with a dead-letter queue or a destination, and those with
 * which SNS writes to Firehose. It reads
 * their inline and attached policies and their permissions boundaries. It needs the permissions `iam:GetRole`,
 * `iam:ListRolePolicies`, `iam:GetRolePolicy`, `iam:ListAttachedRolePolicies`, `iam:GetPolicy` and
 * `iam:GetPolicyVersion`. Without them, the policies are unknown.
 */
export async function readRoles(
  reader: AccountReader,
  roles: RoleReader,
  functions: readonly FunctionFacts[],
  mappings: readonly MappingFacts[],
  targets: readonly TargetFacts[],
  subscriptions: readonly SubscriptionFacts[],
): Promise<readonly RoleFacts[]> {
  const withDestination = functionsWithFailureDestination(mappings);
  const senders = [
    ...functions.filter(it => sendsEvents(it) || withDestination.has(it.arn)),
    ...targets.filter(it => it.kind === 'schedule' && knownValue(it.deadLetterTargetArn) !== undefined),
    ...subscriptions,
  ];
  const arns = senders.flatMap(({ roleArn }) => (roleArn && knownValue(roleArn)) ?? []);
  return reader.each([...new Set(arns)], arn => roles.facts(arn));
}
