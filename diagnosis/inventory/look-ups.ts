import { formatArn, parseArn } from '../../policy/arn';
import type { PolicyDocument } from '../../template/access/policy-document';
import { isKnown, type MaybeKnown } from '../../template/maybe-known';
import type {
  FleetFacts,
  FunctionFacts,
  Inventory,
  KeyFacts,
  QueueFacts,
  Resource,
  RoleFacts,
  StreamFacts,
  TopicFacts,
} from './inventory';

/** Whether two resources are in the same template. */
function isBeside({ place }: Resource, near: Resource | undefined): boolean {
  return place !== undefined && place.stack === near?.place?.stack && place.templatePath === near.place.templatePath;
}

/**
 * Chooses among resources with the same ARN. Twin stacks, which are deployed to several Regions or accounts that they
 * do not state, contain resources of the same name. A resource refers to those of its own stack. References from other
 * stacks cannot be resolved.
 */
function meant<T extends Resource>(same: readonly T[], near: Resource | undefined): T | undefined {
  const [first] = same;
  if (same.length < 2 || first?.place === undefined) return first;
  const [own, ...others] = same.filter(it => isBeside(it, near));
  return others.length === 0 ? own : undefined;
}

/** Finds resources by name. It indexes each list once. */
function finder<T extends Resource>(namesOf: (resource: T) => readonly string[]) {
  const indices = new WeakMap<readonly T[], ReadonlyMap<string, readonly T[]>>();
  const indexOf = (resources: readonly T[]) => {
    const index = new Map<string, T[]>();
    for (const it of resources) {
      for (const name of namesOf(it)) {
        const there = index.get(name);
        if (there) there.push(it);
        else index.set(name, [it]);
      }
    }
    indices.set(resources, index);
    return index;
  };
  return (resources: readonly T[], name: string | undefined, near: Resource | undefined): T | undefined =>
    name === undefined ? undefined : meant((indices.get(resources) ?? indexOf(resources)).get(name) ?? [], near);
}

const byArn = ({ arn }: Resource) => [arn];
const queueAt = finder<QueueFacts>(byArn);
const topicAt = finder<TopicFacts>(byArn);
const roleAt = finder<RoleFacts>(byArn);
const functionAt = finder<FunctionFacts>(byArn);
const streamAt = finder<StreamFacts>(byArn);

/**
 * @param near the resource that refers to it. If several stacks have a resource with this ARN, the one in the same
 * stack is chosen. @default - only one resource may have this ARN
 */
export function queueOf(arn: string | undefined, { queues }: Inventory, near?: Resource): QueueFacts | undefined {
  return queueAt(queues, arn, near);
}

/** @param near the resource that refers to it, as for queues */
export function topicOf(arn: string | undefined, { topics }: Inventory, near?: Resource): TopicFacts | undefined {
  return topicAt(topics, arn, near);
}

/** @param near the resource that refers to it, as for queues */
export function roleOf(arn: string | undefined, { roles }: Inventory, near?: Resource): RoleFacts | undefined {
  return roleAt(roles, arn, near);
}

const NO_STREAMS: readonly StreamFacts[] = [];

/** @param near the resource that refers to it, as for queues */
export function streamOf(
  arn: string | undefined,
  { streams = NO_STREAMS }: Inventory,
  near?: Resource,
): StreamFacts | undefined {
  return streamAt(streams, arn, near);
}

const PARTS_OF_A_NAME = 2;

/** The ARN of the function itself, from that of a version or alias. */
export function unqualified(functionArn: string): string {
  const { resource } = parseArn(functionArn) ?? {};
  const parts = resource?.split(':') ?? [];
  if (parts.length <= PARTS_OF_A_NAME) return functionArn;
  return functionArn.slice(0, -parts.slice(PARTS_OF_A_NAME).join(':').length - 1);
}

/** The version or alias that an ARN names; undefined if it names the function itself. */
export function qualifierOf(functionArn: string): string | undefined {
  const name = unqualified(functionArn);
  return name === functionArn ? undefined : functionArn.slice(name.length + 1);
}

/**
 * @param arn of the function, a version or an alias
 * @param near the resource that refers to it, as for queues
 */
export function functionOf(
  arn: string | undefined,
  { functions }: Inventory,
  near?: Resource,
): FunctionFacts | undefined {
  return arn === undefined ? undefined : functionAt(functions, unqualified(arn), near);
}

const KEY_PREFIX = 'key/';
const ALIAS_PREFIX = 'alias/';

/** All names of a key in its Region and account. */
function arnsOf({ arn, aliases }: KeyFacts): string[] {
  const parsed = parseArn(arn);
  return parsed ? [arn, ...aliases.map(resource => formatArn({ ...parsed, resource }))] : [arn];
}

const keyAt = finder<KeyFacts>(arnsOf);

/**
 * The key that encrypts a queue or topic.
 *
 * @param name an id, an ARN, an alias or the ARN of an alias
 * @param encrypted the queue or topic: ids and aliases belong to its Region and account
 */
export function keyOf(
  name: string | undefined,
  { keys }: Inventory,
  encrypted: Resource | undefined,
): KeyFacts | undefined {
  if (name === undefined || encrypted === undefined) return undefined;
  if (parseArn(name)) return keyAt(keys, name, encrypted);
  const home = parseArn(encrypted.arn);
  const resource = name.startsWith(ALIAS_PREFIX) ? name : `${KEY_PREFIX}${name}`;
  return home && keyAt(keys, formatArn({ ...home, service: 'kms', resource }), encrypted);
}

/** Whether a name is the alias of an AWS managed key, whose policy allows no service: `alias/aws/sqs`. */
export function isAliasOfAws(name: string): boolean {
  return (parseArn(name)?.resource ?? name).startsWith(`${ALIAS_PREFIX}aws/`);
}

/**
 * A topic's policy, or SNS's default policy if it has none: principals of its account may publish, and services that
 * send the account of their source.
 * @see https://docs.aws.amazon.com/sns/latest/dg/sns-access-policy-use-cases.html
 */
export function topicPolicyOf({ arn, policy }: TopicFacts): MaybeKnown<PolicyDocument> {
  if (!isKnown(policy)) return policy;
  const account = parseArn(arn)?.account ?? '';
  return (
    policy ?? {
      Version: '2008-10-17',
      Statement: [
        {
          Effect: 'Allow',
          Principal: { AWS: '*' },
          Action: 'SNS:Publish',
          Resource: arn,
          Condition: { StringEquals: { 'AWS:SourceOwner': account } },
        },
      ],
    }
  );
}

/** A key's policy, or KMS's default policy if it has none: the account's IAM policies decide. */
export function keyPolicyOf({ arn, policy }: KeyFacts): MaybeKnown<PolicyDocument> {
  if (!isKnown(policy)) return policy;
  const { partition, account } = parseArn(arn) ?? {};
  const Principal = { AWS: `arn:${partition}:iam::${account}:root` };
  return policy ?? { Version: '2012-10-17', Statement: { Effect: 'Allow', Principal, Action: 'kms:*', Resource: '*' } };
}

/** The fleet whose dead-letter queue this is, as far as the settings of its functions could be read. */
export function fleetOfDeadLetters(queueArn: string, { functions }: Pick<Inventory, 'functions'>) {
  return functions.map(({ fleet }) => fleet).find(it => it?.deadLetterQueueArn === queueArn);
}

/** The option of `dlo fleet` that names a fleet, where there are several. */
export function fleetOption({ name }: FleetFacts, { functions }: Pick<Inventory, 'functions'>): readonly string[] {
  const queues = new Set(functions.flatMap(({ fleet }) => fleet?.deadLetterQueueArn ?? []));
  return queues.size > 1 ? ['--fleet', name] : [];
}
