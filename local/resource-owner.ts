import { parseArn } from '../policy/arn';
import type { AwsService } from './kernel/aws-service';
import type { Caller } from './kernel/caller';
import { isObject } from './kernel/json';
import type { Place } from './kernel/place';
import type { ActionTable, Api, InputOf, OutputOf } from './kernel/service-api';

/** The account and the Region of a resource, as far as its name tells. */
interface Owner {
  readonly account?: string;
  readonly region?: string;
}

/**
 * The members of requests that may name a resource of another account, by ARN, URL or account id. AWS lets the caller's
 * account use it as far as both accounts' policies allow. Other services' resources belong to the caller's own account.
 * `PutEvents` has a bus in each of its entries, so EventBridge itself finds their owners.
 */
const NAMING: Partial<Readonly<Record<AwsService, readonly string[]>>> = {
  dynamodb: ['TableName', 'StreamArn', 'ShardIterator', 'ResourceArn'],
  kms: ['KeyId'],
  lambda: ['FunctionName'],
  secretsmanager: ['SecretId'],
  sns: ['TopicArn', 'SubscriptionArn', 'TargetArn'],
  sqs: ['QueueUrl', 'QueueOwnerAWSAccountId'],
  sts: ['RoleArn'],
};

/** Returns the text in a request that names its resource; undefined when the resource is the caller's own. */
export function resourceNamedIn(service: AwsService, input: unknown): string | undefined {
  const members = NAMING[service];
  if (!members || !isObject(input)) return undefined;
  for (const member of members) {
    const text = input[member];
    if (typeof text === 'string') return text;
  }
  return undefined;
}

/** The services in ARNs, where they are not those of hosts. */
const IN_ARNS: Partial<Readonly<Record<AwsService, string>>> = { monitoring: 'cloudwatch' };

/**
 * Returns the ARN of a resource of the service itself that is in another account or Region, of services whose resources can only be
 * those of the caller here. AWS may know the resource, so that its words for a missing one would be untrue.
 */
export function foreignResource(
  service: AwsService,
  input: unknown,
  place: Pick<Place, 'account' | 'region'>,
): string | undefined {
  if (NAMING[service] || !isObject(input)) return undefined;
  return Object.values(input).find((value): value is string => {
    if (typeof value !== 'string' || !value.startsWith('arn:')) return false;
    const arn = parseArn(value);
    if (arn?.service !== (IN_ARNS[service] ?? service)) return false;
    const isElsewhere = arn.region !== '' && arn.region !== place.region;
    return isElsewhere || (ACCOUNT.test(arn.account) && arn.account !== place.account);
  });
}

const ACCOUNT = /^\d{12}$/;
/** `123456789012:function:name`, a partial ARN. */
const PARTIAL_ARN = /^(\d{12}):function:/;
const QUEUE_HOST = /^https?:\/\/sqs\.([a-z0-9-]+)\./;

/** Returns the owner of the resource with this ARN, queue URL, or partial ARN of a function; or the account itself. */
export function ownerOf(name: string): Owner {
  const arn = parseArn(name);
  if (arn)
    return { ...(ACCOUNT.test(arn.account) && { account: arn.account }), ...(arn.region && { region: arn.region }) };
  if (ACCOUNT.test(name)) return { account: name };
  const slash = name.lastIndexOf('/');
  const inUrl = slash === -1 ? '' : name.slice(name.lastIndexOf('/', slash - 1) + 1, slash);
  const account = ACCOUNT.test(inUrl) ? inUrl : PARTIAL_ARN.exec(name)?.[1];
  if (account === undefined) return {};
  const region = QUEUE_HOST.exec(name)?.[1];
  return { account, ...(region !== undefined && { region }) };
}

/** A service, wherever the resource of a call is: each call goes to the account and Region of its resource. */
export class RoutedApi<Actions extends ActionTable> implements Api<Actions> {
  /**
   * @param apiOf the service in the account and Region of the resource with this name; without a name, the caller's own
   */
  constructor(
    private readonly service: AwsService,
    private readonly apiOf: (name: string | undefined) => Api<Actions>,
  ) {}

  call<Name extends keyof Actions & string>(
    action: Name,
    caller: Caller,
    input: InputOf<Actions[Name]>,
  ): OutputOf<Actions[Name]> {
    return this.apiOf(resourceNamedIn(this.service, input)).call(action, caller, input);
  }
}
