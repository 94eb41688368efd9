import type { Tag } from '@aws-sdk/client-cloudwatch';
import { ResourceTags } from '../../kernel/resource-tags';
import { refuseByModel, type TagRules } from '../../kernel/tag-rules';
import { validationError } from '../errors';

/** @see https://docs.aws.amazon.com/AmazonCloudWatch/latest/APIReference/API_Tag.html */
const RULES: TagRules = { needsValues: true, refuse: refuseByModel(validationError) };

/** The tags of alarms and dashboards, by ARN. */
export class TagRegistry {
  private readonly byArn = new Map<string, ResourceTags>();

  of(arn: string): Tag[] {
    return this.byArn.get(arn)?.list() ?? [];
  }

  /** @throws AwsError `ValidationError` when a tag is malformed, or there would be more than 50 */
  add(arn: string, tags: readonly Tag[]): void {
    const all = this.byArn.get(arn) ?? new ResourceTags(RULES);
    all.put(tags);
    this.byArn.set(arn, all);
  }

  remove(arn: string, keys: readonly string[]): void {
    this.byArn.get(arn)?.remove(keys);
  }

  forget(arn: string): void {
    this.byArn.delete(arn);
  }
}
