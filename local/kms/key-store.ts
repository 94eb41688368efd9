import { parseArn } from '../../policy/arn';
import { AwsError, notImplemented } from '../kernel/aws-error';
import { rootArn } from '../kernel/caller';
import type { Clock } from '../kernel/clock';
import { arnIn, type Place } from '../kernel/place';
import type { Random } from '../kernel/random';
import { ResourceTags } from '../kernel/tags';
import { awsManagedKeyPolicy, isAliasOfAws, KEY_TAGS, type Key, serviceOfAwsManagedKey } from './key';

const KEY_RESOURCE = 'key/';
const KEY_ID = /^(?:mrk-)?[0-9a-f-]{32,36}$/;

export class KeyStore {
  private readonly keys = new Map<string, Key>();
  private readonly aliases = new Map<string, string>();
  /** The ARN of the account's root, to which key policies delegate decisions. */
  readonly accountRootArn: string;

  constructor(
    private readonly place: Place,
    private readonly random: Random,
    private readonly clock: Clock,
  ) {
    this.accountRootArn = rootArn(place.partition, place.account);
  }

  arnOf(resource: string): string {
    return arnIn(this.place, 'kms', resource);
  }

  /** @param keyId a key id, key ARN, alias name or alias ARN */
  find(keyId: string): Key | undefined {
    const name = this.nameInPlace(keyId);
    if (name === undefined) return undefined;
    if (!name.startsWith('alias/')) return this.keys.get(name);
    const target = this.aliases.get(name);
    return target === undefined ? this.awsManaged(name) : this.keys.get(target);
  }

  get(keyId: string): Key {
    const key = this.find(keyId);
    if (key) return key;
    throw this.notFound(keyId);
  }

  notFound(keyId: string): AwsError {
    const name = this.nameInPlace(keyId) ?? keyId;
    if (isAliasOfAws(name)) return notImplemented(`the AWS managed key ${name}`);
    if (name.startsWith('alias/')) return new AwsError('NotFoundException', `Alias ${this.arnOf(name)} is not found.`);
    const isArn = parseArn(keyId) !== undefined;
    if (!isArn && !KEY_ID.test(keyId)) return new AwsError('NotFoundException', `Invalid keyId '${keyId}'`);
    return new AwsError('NotFoundException', `Key '${isArn ? keyId : this.arnOf(`key/${keyId}`)}' does not exist`);
  }

  /** All keys, in the order of creation. */
  all(): readonly Key[] {
    return [...this.keys.values()];
  }

  /** Key ids by alias name, sorted by name. */
  allAliases(): readonly (readonly [aliasName: string, keyId: string])[] {
    return [...this.aliases].sort(([a], [b]) => (a < b ? -1 : 1));
  }

  /** The 32 bytes of a key's material, derived from the seed. */
  materialOf({ keyId }: Key): Buffer {
    return Buffer.from(this.random.stream(`material/${keyId}`).hex(64), 'hex');
  }

  /** @param stream the name of the random stream that draws the id */
  add(stream: string, key: Omit<Key, 'keyId' | 'arn'>): Key {
    const keyId = this.random.stream(stream).uuid();
    const added: Key = { ...key, keyId, arn: this.arnOf(`${KEY_RESOURCE}${keyId}`) };
    this.keys.set(keyId, added);
    return added;
  }

  replace(key: Key): void {
    this.keys.set(key.keyId, key);
  }

  delete(keyId: string): void {
    this.keys.delete(keyId);
    for (const [alias, target] of this.aliases) if (target === keyId) this.aliases.delete(alias);
  }

  hasAlias(aliasName: string): boolean {
    return this.aliases.has(aliasName);
  }

  setAlias(aliasName: string, keyId: string): void {
    this.aliases.set(aliasName, keyId);
  }

  deleteAlias(aliasName: string): boolean {
    return this.aliases.delete(aliasName);
  }

  /** `alias/…` or a bare key id; undefined for an ARN of another account, Region or service. */
  private nameInPlace(keyId: string): string | undefined {
    const arn = parseArn(keyId);
    if (!arn) return keyId;
    if (keyId !== this.arnOf(arn.resource)) return undefined;
    return arn.resource.startsWith(KEY_RESOURCE) ? arn.resource.slice(KEY_RESOURCE.length) : arn.resource;
  }

  /** Creates the AWS managed key of a service on first use, as AWS does. */
  private awsManaged(aliasName: string): Key | undefined {
    const service = serviceOfAwsManagedKey(aliasName);
    if (service === undefined) return undefined;
    const policy = awsManagedKeyPolicy(service, this.place, this.accountRootArn);
    const key = this.add(aliasName, {
      manager: 'AWS',
      policy,
      state: 'Enabled',
      description: `Default key that protects my ${service} data when no other key is defined`,
      createdAtMs: this.clock.nowMs,
      tags: new ResourceTags(KEY_TAGS),
    });
    this.aliases.set(aliasName, key.keyId);
    return key;
  }
}
