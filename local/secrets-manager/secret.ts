import type { PolicyDocument } from '../kernel/access';
import { AwsError } from '../kernel/aws-error';
import { ResourceTags, TAG_RULES, type TagRules } from '../kernel/tags';

export const CURRENT = 'AWSCURRENT';
const PREVIOUS = 'AWSPREVIOUS';

/** Either text or bytes. */
export interface SecretValue {
  readonly text?: string;
  readonly bytes?: Uint8Array;
}

/** A value of the secret with its staging labels. */
export interface SecretVersion extends SecretValue {
  readonly id: string;
  readonly createdAtMs: number;
  readonly keyId: string;
  readonly stages: Set<string>;
  accessedAtMs?: number;
}

export class Secret {
  readonly tags = new ResourceTags(SECRET_TAGS);
  /** Versions by id, oldest first. */
  readonly versions = new Map<string, SecretVersion>();
  description: string | undefined;
  /** A key id, ARN or alias; undefined for the AWS managed key. */
  keyId: string | undefined;
  policy: PolicyDocument | undefined;
  changedAtMs: number;
  /** Set while it is scheduled for deletion. */
  deletion: { readonly markedAtMs: number; readonly dueAtMs: number } | undefined;

  constructor(
    readonly name: string,
    /** The ARN ends with the name and six characters, which no other secret has had. */
    readonly arn: string,
    readonly createdAtMs: number,
  ) {
    this.changedAtMs = createdAtMs;
  }

  get accessedAtMs(): number | undefined {
    const times = [...this.versions.values()].flatMap(({ accessedAtMs }) => accessedAtMs ?? []);
    return times.length > 0 ? Math.max(...times) : undefined;
  }

  withStage(stage: string): SecretVersion | undefined {
    return [...this.versions.values()].find(({ stages }) => stages.has(stage));
  }

  /**
   * Moves a label to a version, because only one version can have it. The version that was current becomes the previous
   * one.
   */
  putStage(stage: string, version: SecretVersion): void {
    const before = this.withStage(stage);
    if (before === version) return;
    before?.stages.delete(stage);
    version.stages.add(stage);
    if (stage !== CURRENT || !before) return;
    this.withStage(PREVIOUS)?.stages.delete(PREVIOUS);
    before.stages.add(PREVIOUS);
  }
}

/**
 * The rules for tags of secrets. **Assumption AWS-4:** The error texts are ours. @see
 * https://docs.aws.amazon.com/secretsmanager/latest/apireference/API_TagResource.html
 */
export const SECRET_TAGS: TagRules = {
  refuse: breaches => invalidParameter(breaches.map(({ rule, text }) => TAG_RULES[rule](text)).join(' ')),
};

export function secretNotFound(): AwsError {
  return new AwsError('ResourceNotFoundException', "Secrets Manager can't find the specified secret.");
}

/** @param which for example `staging label: AWSCURRENT` */
export function valueNotFound(which: string): AwsError {
  return new AwsError(
    'ResourceNotFoundException',
    `Secrets Manager can't find the specified secret value for ${which}`,
  );
}

export function invalidParameter(text: string): AwsError {
  return new AwsError('InvalidParameterException', text);
}

export function invalidRequest(text: string): AwsError {
  return new AwsError('InvalidRequestException', text);
}

export function markedForDeletion(): AwsError {
  return invalidRequest("You can't perform this operation on the secret because it was marked for deletion.");
}
