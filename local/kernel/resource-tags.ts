import { type ResourceTag, type TagRules, tagBreaches } from './tag-rules';

/** Tags in the form some services have them: by their key. */
export type TagRecord = Readonly<Record<string, string>>;

/** Tags in the form most services have them. */
export function tagList(tags: TagRecord): { Key: string; Value: string }[] {
  return Object.entries(tags).map(([Key, Value]) => ({ Key, Value }));
}

/** The other way round. */
export function tagRecord(tags: readonly { readonly Key: string; readonly Value: string }[]): TagRecord {
  return Object.fromEntries(tags.map(({ Key, Value }) => [Key, Value]));
}

/** @throws AwsError the service's, unless a resource without tags may have these */
export function checkTags(tags: readonly ResourceTag[], rules: TagRules, held: Iterable<string> = []): void {
  const breaches = tagBreaches(tags, rules, held);
  if (breaches.length > 0) throw rules.refuse(breaches);
}

/** The tags of a resource: by their key, in the order in which they were given. */
export class ResourceTags {
  private readonly byKey = new Map<string, string>();

  constructor(private readonly rules: TagRules) {}

  get size(): number {
    return this.byKey.size;
  }

  get keys(): readonly string[] {
    return [...this.byKey.keys()];
  }

  get values(): readonly string[] {
    return [...this.byKey.values()];
  }

  get(key: string): string | undefined {
    return this.byKey.get(key);
  }

  list(): { Key: string; Value: string }[] {
    return [...this.byKey].map(([Key, Value]) => ({ Key, Value }));
  }

  record(): Record<string, string> {
    return Object.fromEntries(this.byKey);
  }

  /**
   * Gives these tags, each in the place of the one with its key.
   *
   * @throws AwsError the service's, when a rule is broken: none is given then
   */
  put(tags: readonly ResourceTag[] = []): void {
    checkTags(tags, this.rules, this.byKey.keys());
    for (const { Key = '', Value = '' } of tags) this.byKey.set(Key, Value);
  }

  /** Taking away what is not there is done already. */
  remove(keys: readonly string[] = []): void {
    for (const key of keys) this.byKey.delete(key);
  }

  /** Whether all of `others` are here, with the same values. */
  include(others: ResourceTags): boolean {
    return [...others.byKey].every(([key, value]) => this.byKey.get(key) === value);
  }
}
