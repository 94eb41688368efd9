/** The six parts of an Amazon Resource Name; `resource` keeps its own colons and slashes. */
export interface Arn {
  readonly partition: string;
  readonly service: string;
  readonly region: string;
  readonly account: string;
  readonly resource: string;
}

const PREFIX = 'arn:';
const FUNCTION = 'function:';

/** Reads an ARN. Returns undefined for a text that is not an ARN. */
export function parseArn(text: string): Arn | undefined {
  if (!text.startsWith(PREFIX)) return undefined;
  // Without split(): every call of every simulated service reads an ARN.
  const afterPartition = text.indexOf(':', PREFIX.length);
  const afterService = afterPartition === -1 ? -1 : text.indexOf(':', afterPartition + 1);
  const afterRegion = afterService === -1 ? -1 : text.indexOf(':', afterService + 1);
  const afterAccount = afterRegion === -1 ? -1 : text.indexOf(':', afterRegion + 1);
  if (afterAccount === -1) return undefined;
  const partition = text.slice(PREFIX.length, afterPartition);
  const service = text.slice(afterPartition + 1, afterService);
  if (partition === '' || service === '') return undefined;
  return {
    partition,
    service,
    region: text.slice(afterService + 1, afterRegion),
    account: text.slice(afterRegion + 1, afterAccount),
    resource: text.slice(afterAccount + 1),
  };
}

/** Returns the part after the last colon. A text without a colon is returned as it is. */
export function nameInArn(arn: string): string {
  return arn.slice(arn.lastIndexOf(':') + 1);
}

/** Returns what follows the last colon or slash: the name of a queue in its ARN or URL, of a role in its path. */
export function lastPart(name: string): string {
  return name.slice(Math.max(name.lastIndexOf('/'), name.lastIndexOf(':')) + 1);
}

/**
 * Services whose resource names may contain slashes: in their ARNs, a colon separates the resource type from the name.
 */
const NAMES_WITH_SLASHES: ReadonlySet<string> = new Set(['cloudwatch', 'logs']);

/**
 * The short name of a resource, for display: a function with its version or alias (`bill:live`), a rule without its
 * event bus, a role without its path. A text that is not an ARN is returned as it is.
 */
export function displayNameOf(arn: string): string {
  const { service = '', resource = arn } = parseArn(arn) ?? {};
  if (resource === arn) return arn;
  if (service === 'lambda' && resource.startsWith(FUNCTION)) return resource.slice(FUNCTION.length);
  const name = nameInArn(resource);
  return NAMES_WITH_SLASHES.has(service) ? name : name.slice(name.lastIndexOf('/') + 1);
}

export function formatArn({ partition, service, region, account, resource }: Arn): string {
  return `arn:${partition}:${service}:${region}:${account}:${resource}`;
}

/**
 * The values of the condition key `kms:ViaService` by which a key knows a service that uses it.
 *
 * **Assumption KMS-3:** AWS documents the value as `<service>.<region>.amazonaws.com`, and does not say what it is in China,
 * where host names end in `amazonaws.com.cn`. aws-cdk-lib writes the first form everywhere, and a key policy published
 * from an account in Beijing has it too; other tools write the second. A permission therefore names both, and the doctor
 * reports only a role that may use neither. The embedded
 * AWS passes the first. A customer-managed key with this condition on a queue in cn-north-1 would settle it: SQS
 * accepts a message only if the value is right.
 * @see https://docs.aws.amazon.com/kms/latest/developerguide/conditions-kms.html#conditions-kms-via-service
 * @see https://docs.amazonaws.cn/en_us/kms/latest/developerguide/conditions-kms.html
 */
export function keyServiceNames(service: string, region: string, urlSuffix: string): readonly [string, ...string[]] {
  const documented = `${service}.${region}.amazonaws.com`;
  const inChina = `${service}.${region}.${urlSuffix}`;
  return inChina === documented ? [documented] : [documented, inChina];
}
