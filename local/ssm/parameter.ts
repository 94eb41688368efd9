import { ResourceTags } from '../kernel/resource-tags';
import { parameterNotFound, versionNotFound } from './errors';
import { PARAMETER_TAGS } from './tag-rules';

export type ParameterType = 'String' | 'StringList' | 'SecureString';
export type ParameterTier = 'Standard' | 'Advanced';

/** What was put at one time. */
export interface ParameterVersion {
  /** From 1. */
  readonly version: number;
  readonly type: ParameterType;
  readonly value: string;
  /** What is shown of a SecureString to whoever does not ask for more. */
  readonly cipherText: string | undefined;
  /** The key of a SecureString. */
  readonly keyId: string | undefined;
  readonly description: string | undefined;
  readonly allowedPattern: string | undefined;
  readonly tier: ParameterTier;
  readonly modifiedAtMs: number;
  /** Who put it, by ARN. */
  readonly modifiedBy: string;
  readonly labels: Set<string>;
}

/** One parameter, with the versions it still has. */
export class Parameter {
  readonly tags = new ResourceTags(PARAMETER_TAGS);
  /** Oldest first. */
  private readonly kept: ParameterVersion[] = [];

  constructor(
    readonly name: string,
    readonly arn: string,
  ) {}

  get versions(): readonly ParameterVersion[] {
    return this.kept;
  }

  /** @throws AwsError for a parameter without versions, which has never been put */
  get latest(): ParameterVersion {
    const latest = this.kept.at(-1);
    if (!latest) throw parameterNotFound(this.name);
    return latest;
  }

  add(version: ParameterVersion): void {
    this.kept.push(version);
  }

  dropOldest(): void {
    this.kept.shift();
  }

  /**
   * @param selector a version's number, or a label; empty for the newest
   * @throws AwsError `ParameterVersionNotFound`
   */
  select(selector: string): ParameterVersion {
    if (selector === '') return this.latest;
    const found = this.kept.find(({ version, labels }) => String(version) === selector || labels.has(selector));
    if (!found) throw versionNotFound(this.name, selector);
    return found;
  }
}
