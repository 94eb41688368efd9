import { type NoteProblem, PENDING, scalarText } from '../../template/values';
import { AwsError } from '../kernel/aws-error';
import { isMembers, parseJson } from '../kernel/json';

/** A secret, or a part of it, as a reference names it. */
export interface SecretReference {
  /** A name or an ARN. */
  readonly secretId: string;
  /** @default AWSCURRENT, unless there is a version id */
  readonly versionStage?: string;
  readonly versionId?: string;
}

/** Values that other services hold and templates name. CloudFormation reads them as whoever deploys. */
export interface References {
  /**
   * A plain parameter of SSM: a list's items are joined with commas.
   *
   * @param name with `:version` behind it for one that is not the newest
   * @throws AwsError as SSM would answer, or for a parameter that is a SecureString
   */
  parameter(name: string): string;
  /** @throws AwsError as Secrets Manager would answer */
  secret(reference: SecretReference): string;
}

/** What stands in a template for a value: `{{resolve:service:reference}}`. */
const DYNAMIC_REFERENCE = /\{\{resolve:([^:}]*):?([^}]*)\}\}/g;

/** Answers undefined for what is not known yet. */
type Resolve = (reference: string, references: References | undefined) => string | undefined;

/**
 * @see https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/dynamic-references.html
 */
const SERVICES: Readonly<Record<string, Resolve>> = {
  ssm: (reference, references) => references?.parameter(reference),
  'ssm-secure': () => {
    // Passwords of directories, databases and users: nothing that takes one exists in the embedded AWS.
    throw new AwsError('ValidationError', 'SSM Secure reference is not supported in this property');
  },
  secretsmanager: secretValue,
};

/** `secret-id:SecretString:json-key:version-stage:version-id`, where an id may be an ARN with colons of its own. */
const SECRET =
  /^(arn:[^:]*:secretsmanager:[^:]*:[^:]*:secret:[^:]+|[^:]+)(?::([^:]*))?(?::([^:]*))?(?::([^:]*))?(?::([^:]*))?$/;

function secretValue(reference: string, references: References | undefined): string | undefined {
  const [, secretId, kind = '', jsonKey = '', versionStage = '', versionId = ''] = SECRET.exec(reference) ?? [];
  if (secretId === undefined || (kind !== '' && kind !== 'SecretString')) {
    throw new AwsError(
      'ValidationError',
      'a reference to a secret must be secret-id:SecretString:json-key:version-stage:version-id',
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
  const value = isMembers(secret) && Object.hasOwn(secret, key) ? scalarText(secret[key]) : undefined;
  if (value !== undefined) return value;
  throw new AwsError('ValidationError', 'Could not find a value associated with JSONKey in SecretString');
}

/** Which dynamic references a value holds, by their services: `ssm`, `secretsmanager`, … */
export function referencesIn(value: unknown): ReadonlySet<string> {
  if (typeof value === 'string') {
    return new Set([...value.matchAll(DYNAMIC_REFERENCE)].map(([, service = '']) => service));
  }
  const parts = Array.isArray(value) ? value : isMembers(value) ? Object.values(value) : [];
  return new Set(parts.flatMap(part => [...referencesIn(part)]));
}

/**
 * Puts values in the place of dynamic references, wherever they stand in an evaluated value.
 *
 * @param at what the value is, for problems
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
  if (!isMembers(value)) return value;
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
    problem(`cannot be resolved (${error.code}: ${error.message})`);
    return undefined;
  }
}
