import { type NoteProblem, PENDING, scalarText } from '../../template/values';
import { AwsError } from '../kernel/aws-error';
import { isObject, parseJson } from '../kernel/json';

interface SecretReference {
  /** A name or an ARN. */
  readonly secretId: string;
  /** @default AWSCURRENT, unless there is a version id */
  readonly versionStage?: string;
  readonly versionId?: string;
}

/** Looks up values of other services that templates refer to, with the permissions of the user that deploys. */
export interface References {
  /**
   * Returns a parameter of SSM; the items of a list are joined with commas.
   *
   * @param name with the suffix `:version` for an older version
   * @throws AwsError with the code and message that SSM returns, or for a SecureString parameter
   */
  parameter(name: string): string;
  /** @throws AwsError with the code and message that Secrets Manager returns */
  secret(reference: SecretReference): string;
  /**
   * Makes up a value that does not exist here, where stand-ins are allowed.
   *
   * @param service `ssm` or `secretsmanager`
   * @param reference what the template refers to
   */
  missing?(service: string, reference: string): string | undefined;
}

/** A dynamic reference in a template: `{{resolve:service:reference}}`. */
const DYNAMIC_REFERENCE = /\{\{resolve:([^:}]*):?([^}]*)\}\}/g;

/** Returns undefined for a value that is not known yet. */
type Resolve = (reference: string, references: References | undefined) => string | undefined;

/** @see https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/dynamic-references.html */
const SERVICES: Readonly<Record<string, Resolve>> = {
  ssm: (reference, references) => references?.parameter(reference),
  'ssm-secure': () => {
    // On AWS, these are for passwords of directories, databases and users, which the embedded AWS does not have.
    throw new AwsError('ValidationError', 'SSM Secure reference is not supported in this property');
  },
  secretsmanager: secretValue,
};

/** `secret-id:SecretString:json-key:version-stage:version-id`, where the id may be an ARN that contains colons. */
const SECRET =
  /^(arn:[^:]*:secretsmanager:[^:]*:[^:]*:secret:[^:]+|[^:]+)(?::([^:]*))?(?::([^:]*))?(?::([^:]*))?(?::([^:]*))?$/;

function secretValue(reference: string, references: References | undefined): string | undefined {
  const [, secretId, kind = '', jsonKey = '', versionStage = '', versionId = ''] = SECRET.exec(reference) ?? [];
  if (secretId === undefined || (kind !== '' && kind !== 'SecretString')) {
    throw new AwsError(
      'ValidationError',
      'a reference to a secret must have the form secret-id:SecretString:json-key:version-stage:version-id',
    );
  }
  const text = references?.secret({
    secretId,
    ...(versionStage === '' ? {} : { versionStage }),
    ...(versionId === '' ? {} : { versionId }),
  });
  return text === undefined || jsonKey === '' ? text : memberOf(text, jsonKey);
}

function memberOf(text: string, key: string): string {
  const secret = parseJson(text, () => new AwsError('ValidationError', 'Could not parse SecretString JSON'));
  const value = isObject(secret) && Object.hasOwn(secret, key) ? scalarText(secret[key]) : undefined;
  if (value !== undefined) return value;
  throw new AwsError('ValidationError', 'Could not find a value associated with JSONKey in SecretString');
}

/** The services of the dynamic references in a value: `ssm`, `secretsmanager`, … */
export function referencesIn(value: unknown): ReadonlySet<string> {
  if (typeof value === 'string') {
    return new Set([...value.matchAll(DYNAMIC_REFERENCE)].map(([, service = '']) => service));
  }
  const parts = Array.isArray(value) ? value : isObject(value) ? Object.values(value) : [];
  return new Set(parts.flatMap(part => [...referencesIn(part)]));
}

/**
 * Replaces the dynamic references anywhere in an evaluated value.
 *
 * @param at the name of the value in problems
 * @param references without them, the values are pending
 */
export function resolveReferences(
  value: unknown,
  at: string,
  references: References | undefined,
  note: NoteProblem,
): unknown {
  if (typeof value === 'string') return resolveText(value, at, references, note);
  if (Array.isArray(value)) return value.map((item, i) => resolveReferences(item, `${at}[${i}]`, references, note));
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [name, resolveReferences(member, `${at}.${name}`, references, note)]),
  );
}

function resolveText(text: string, at: string, references: References | undefined, note: NoteProblem): unknown {
  let pending = false;
  const resolved = text.replace(DYNAMIC_REFERENCE, (whole, service: string, reference: string) => {
    const value = resolveOne(service, reference, references, problem => note(`${at}: ${whole} ${problem}`));
    if (value === undefined) pending = true;
    return value ?? '';
  });
  return pending ? PENDING : resolved;
}

function resolveOne(
  service: string,
  reference: string,
  references: References | undefined,
  problem: NoteProblem,
): string | undefined {
  const resolve = Object.hasOwn(SERVICES, service) ? SERVICES[service] : undefined;
  if (!resolve) {
    problem(`must name one of ${Object.keys(SERVICES).join(', ')}`);
    return undefined;
  }
  try {
    return resolve(reference, references);
  } catch (error) {
    if (!(error instanceof AwsError)) throw error;
    const madeUp = references?.missing?.(service, reference);
    if (madeUp !== undefined) return madeUp;
    problem(`cannot be resolved (${error.code}: ${error.message})`);
    return undefined;
  }
}
