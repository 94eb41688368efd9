import type { PolicyDocument } from '../kernel/access';
import { ResourceTags } from '../kernel/resource-tags';
import { SECRET_TAGS } from './tag-rules';

export const CURRENT = 'AWSCURRENT';
export const PREVIOUS = 'AWSPREVIOUS';

/** Text or bytes; one of the two. */
export interface SecretValue {
  readonly text?: string;
  readonly bytes?: Uint8Array;
}

/** One value the secret had, and the labels by which callers ask for it. */
export interface SecretVersion extends SecretValue {
  readonly id: string;
  readonly createdAtMs: number;
  readonly keyId: string;
  readonly stages: Set<string>;
  accessedAtMs?: number;
}

/** One secret, with all its versions. */
export class Secret {
  readonly tags = new ResourceTags(SECRET_TAGS);
  /** By id, oldest first. */
  readonly versions = new Map<string, SecretVersion>();
  description: string | undefined;
  /** A key id, ARN or alias; undefined for AWS's own key. */
  keyId: string | undefined;
  policy: PolicyDocument | undefined;
  changedAtMs: number;
  /** Set while it waits for its deletion. */
  deletion: { readonly markedAtMs: number; readonly dueAtMs: number } | undefined;

  constructor(
    readonly name: string,
    /** The name and six characters more, which no other secret has had. */
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

  /** A label is on one version only; the version that was current is the previous one from then on. */
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
