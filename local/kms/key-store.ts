import { parseArn } from '../kernel/arn';
import { AwsError } from '../kernel/aws-error';
import { rootArn } from '../kernel/caller';
import { arnIn, type Place } from '../kernel/place';
import type { Random } from '../kernel/random';
import { awsManagedKeyPolicy, serviceOfAwsManagedKey } from './aws-managed-key';
import type { Key } from './key';

const KEY_RESOURCE = 'key/';

/** The keys and aliases of the account. */
export class KeyStore {
  private readonly keys = new Map<string, Key>();
  /** Key ids by alias name. */
  private readonly aliases = new Map<string, string>();
  /** The account's root, to which key policies leave decisions. */
  readonly accountRootArn: string;

  constructor(
    private readonly place: Place,
    private readonly random: Random,
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

  /** @throws AwsError `NotFoundException` */
  get(keyId: string): Key {
    const key = this.find(keyId);
    if (key) return key;
    const alias = this.nameInPlace(keyId)?.startsWith('alias/');
    throw new AwsError('NotFoundException', alias ? `Alias ${keyId} is not found.` : `Key '${keyId}' does not exist`);
  }

  /** @param stream names the part of the generator that draws the id */
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

  /** AWS makes its own key of a service when it is first asked for. */
  private awsManaged(aliasName: string): Key | undefined {
    const service = serviceOfAwsManagedKey(aliasName);
    if (service === undefined) return undefined;
    const policy = awsManagedKeyPolicy(service, this.place, this.accountRootArn);
    const key = this.add(aliasName, { manager: 'AWS', policy, state: 'Enabled' });
    this.aliases.set(aliasName, key.keyId);
    return key;
  }
}
