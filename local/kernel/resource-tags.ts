/** A tag in the form most services have it. */
export interface ResourceTag {
  readonly Key: string | undefined;
  readonly Value: string | undefined;
}

/** The tags of a resource: by their key, in the order in which they were given. */
export class ResourceTags {
  private readonly byKey = new Map<string, string>();

  list(): { Key: string; Value: string }[] {
    return [...this.byKey].map(([Key, Value]) => ({ Key, Value }));
  }

  /** Gives these tags, each in the place of the one with its key. */
  put(tags: readonly ResourceTag[] = []): void {
    for (const { Key = '', Value = '' } of tags) this.byKey.set(Key, Value);
  }

  remove(keys: readonly string[] = []): void {
    for (const key of keys) this.byKey.delete(key);
  }
}
