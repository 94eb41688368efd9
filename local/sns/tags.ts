import type { Tag } from '@aws-sdk/client-sns';
import { AwsError } from '../kernel/aws-error';
import { invalidParameter } from './errors';

/** How many tags a topic has at most. */
const MAX_TAGS = 50;

function keysOf(tags: readonly Tag[]): readonly string[] {
  return tags.map(({ Key = '' }) => Key);
}

/**
 * The tags of a topic: by their key, in the order in which they were given.
 * @see https://docs.aws.amazon.com/sns/latest/dg/sns-tags.html
 */
export class Tags {
  private readonly byKey = new Map<string, string>();

  list(): Tag[] {
    return [...this.byKey].map(([Key, Value]) => ({ Key, Value }));
  }

  /**
   * Gives these tags, each in the place of the one with its key.
   * @throws AwsError when a key comes twice, or there would be more than 50
   */
  put(tags: readonly Tag[]): void {
    const keys = keysOf(tags);
    if (new Set(keys).size < keys.length) throw invalidParameter('Duplicated keys are not allowed.');
    if (new Set([...this.byKey.keys(), ...keys]).size > MAX_TAGS) {
      throw new AwsError('TagLimitExceeded', 'Could not complete request: tag quota of per resource exceeded');
    }
    for (const { Key = '', Value = '' } of tags) this.byKey.set(Key, Value);
  }

  remove(keys: readonly string[]): void {
    for (const key of keys) this.byKey.delete(key);
  }

  /** Whether all of `others` are here, with the same values. */
  include(others: Tags): boolean {
    return [...others.byKey].every(([key, value]) => this.byKey.get(key) === value);
  }
}
