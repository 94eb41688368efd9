import { parseArn } from '../../policy/arn';
import { KEY_ACCESS_DENIED, keyRefusal } from '../kernel/access';
import { AccessRefused, AwsError } from '../kernel/aws-error';
import type { Caller } from '../kernel/caller';
import { arnIn } from '../kernel/place';
import type { Random } from '../kernel/random';
import { CURRENT, invalidParameter, Secret, type SecretValue, type SecretVersion } from './secret';
import type { SecretsManagerContext } from './trace-events';

const DEFAULT_KEY = 'alias/aws/secretsmanager';

const SUFFIX_CHARACTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';
const SUFFIX_LENGTH = 6;
const SUFFIX = /-[A-Za-z0-9]{6}$/;
const RESOURCE = 'secret:';

export class SecretsState {
  private readonly secrets = new Map<string, Secret>();
  /** How many secrets with a name there have been. Each has a different ARN. */
  private readonly generations = new Map<string, number>();

  constructor(readonly context: SecretsManagerContext) {}

  get nowMs(): number {
    return this.context.timeline.nowMs;
  }

  /** @param secretId a name, an ARN, or an ARN without its last six characters */
  find(secretId: string): Secret | undefined {
    const arn = parseArn(secretId);
    if (!arn) return this.secrets.get(secretId);
    const resource = arn.resource.startsWith(RESOURCE) ? arn.resource.slice(RESOURCE.length) : '';
    const whole = this.secrets.get(resource.replace(SUFFIX, ''));
    if (whole?.arn === secretId) return whole;
    const partial = this.secrets.get(resource);
    return partial?.arn.startsWith(secretId) ? partial : undefined;
  }

  all(): readonly Secret[] {
    return [...this.secrets.values()];
  }

  nextArn(name: string): string {
    const generation = this.generations.get(name) ?? 0;
    const suffix = suffixFrom(this.context.random.stream(`secret/${name}/${generation}`));
    return arnIn(this.context.place, 'secretsmanager', `${RESOURCE}${name}-${suffix}`);
  }

  create(name: string): Secret {
    const secret = new Secret(name, this.nextArn(name), this.nowMs);
    this.generations.set(name, (this.generations.get(name) ?? 0) + 1);
    this.secrets.set(name, secret);
    this.context.trace.record({ type: 'secretsmanager.secret-created', secretArn: secret.arn });
    return secret;
  }

  delete(secret: Secret): void {
    if (this.secrets.get(secret.name) !== secret) return;
    this.secrets.delete(secret.name);
    this.context.trace.record({ type: 'secretsmanager.secret-deleted', secretArn: secret.arn });
  }

  /**
   * Adds a version, or returns the one that was added with the same token and value.
   *
   * @param token the version's id @default - a new id
   */
  putValue(
    secret: Secret,
    value: SecretValue,
    token: string | undefined,
    stages: readonly string[] = [CURRENT],
  ): SecretVersion {
    const { context } = this;
    const id = token ?? context.random.uuid();
    const existing = secret.versions.get(id);
    if (existing) {
      if (isSameValue(existing, value)) return existing;
      throw new AwsError(
        'ResourceExistsException',
        `You can't use ClientRequestToken ${id} because that value is already in use for a version of secret ${secret.arn}.`,
      );
    }
    const keyId = secret.keyId ?? DEFAULT_KEY;
    const version: SecretVersion = { ...value, id, keyId, createdAtMs: this.nowMs, stages: new Set() };
    secret.versions.set(id, version);
    // The first version is always the current one.
    const all = secret.versions.size === 1 ? new Set([CURRENT, ...stages]) : new Set(stages);
    for (const stage of all) secret.putStage(stage, version);
    secret.changedAtMs = this.nowMs;
    const put = { type: 'secretsmanager.value-put', secretArn: secret.arn, versionId: id, stages: [...all] } as const;
    context.trace.record(put);
    return version;
  }

  checkKey(secretArn: string, keyId: string, actions: readonly string[], caller: Caller): void {
    const asking = { ...caller, context: { ...caller.context, 'kms:EncryptionContext:SecretARN': secretArn } };
    const refusal = keyRefusal(this.context, { keyId, caller: asking, via: 'secretsmanager' }, ...actions);
    if (!refusal) return;
    const { code, reason, httpStatus, action } = refusal;
    if (httpStatus >= 500) throw new AwsError('InternalServiceError', reason, httpStatus);
    if (code !== KEY_ACCESS_DENIED) {
      throw new AwsError(action === 'kms:Decrypt' ? 'DecryptionFailure' : 'EncryptionFailure', reason);
    }
    throw new AccessRefused('AccessDeniedException', 'Access to KMS is not allowed', 400, reason);
  }

  /** @throws AwsError when the caller may not encrypt a secret's value */
  checkMayEncrypt(secretArn: string, keyId: string | undefined, caller: Caller): void {
    this.checkKey(secretArn, keyId ?? DEFAULT_KEY, ['kms:GenerateDataKey', 'kms:Decrypt'], caller);
  }
}

export function valueGiven(text: string | undefined, bytes: Uint8Array | undefined): SecretValue | undefined {
  if (text !== undefined && bytes !== undefined) {
    throw invalidParameter(
      "You can't specify both a binary secret value and a string secret value in the same secret.",
    );
  }
  if (text !== undefined) return { text };
  return bytes && { bytes };
}

function isSameValue(a: SecretValue, b: SecretValue): boolean {
  if (a.bytes && b.bytes) return Buffer.compare(a.bytes, b.bytes) === 0;
  return a.text !== undefined && a.text === b.text;
}

function suffixFrom(random: Random): string {
  const characters = Array.from({ length: SUFFIX_LENGTH }, () =>
    SUFFIX_CHARACTERS.charAt(random.integer(0, SUFFIX_CHARACTERS.length - 1)),
  );
  return characters.join('');
}
