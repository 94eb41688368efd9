import type { Tag } from '@aws-sdk/client-cloudwatch';
import { Constraints } from '../constraints';

/** @see https://docs.aws.amazon.com/AmazonCloudWatch/latest/APIReference/API_Tag.html */
const MOST_TAGS = 50;
const LONGEST_KEY = 128;
const LONGEST_VALUE = 256;

/** The tags of alarms and dashboards, by ARN, in the order in which they were given. */
export class TagBook {
  private readonly byArn = new Map<string, ReadonlyMap<string, string>>();

  of(arn: string): Tag[] {
    return [...(this.byArn.get(arn) ?? [])].map(([Key, Value]) => ({ Key, Value }));
  }

  /** @throws AwsError `ValidationError` when a tag is malformed, or there would be more than 50 */
  add(arn: string, tags: readonly Tag[]): void {
    const constraints = new Constraints();
    tags.forEach(({ Key, Value }, index) => {
      const member = `tags.${index + 1}.member`;
      constraints.notNull(`${member}.key`, Key).length(`${member}.key`, Key, 1, LONGEST_KEY);
      constraints.notNull(`${member}.value`, Value).length(`${member}.value`, Value, 0, LONGEST_VALUE);
    });
    const merged = new Map(this.byArn.get(arn));
    for (const { Key = '', Value = '' } of tags) merged.set(Key, Value);
    constraints.length('tags', [...merged.keys()], 0, MOST_TAGS).check();
    this.byArn.set(arn, merged);
  }

  remove(arn: string, keys: readonly string[]): void {
    const left = new Map(this.byArn.get(arn));
    for (const key of keys) left.delete(key);
    this.byArn.set(arn, left);
  }

  forget(arn: string): void {
    this.byArn.delete(arn);
  }
}
