import { messageOf } from '../errors';
import { areCredentialsRefused, mapAtMost } from './calls';
import { type Connection, type ConnectionOptions, configuredRegion, connected } from './connection';
import type { RetryClock } from './retries';

/**
 * The Regions of each partition, those included that an account must enable. AWS lists them only to callers with the permission
 * `account:ListRegions` or `ec2:DescribeRegions`, which an operator of queues seldom has.
 * @see https://docs.aws.amazon.com/global-infrastructure/latest/regions/aws-regions.html
 */
export const AWS_REGIONS: Readonly<Record<string, readonly string[]>> = {
  aws: [
    ...['us-east-1', 'us-east-2', 'us-west-1', 'us-west-2', 'ca-central-1', 'ca-west-1', 'mx-central-1', 'sa-east-1'],
    ...[
      'eu-central-1',
      'eu-central-2',
      'eu-north-1',
      'eu-south-1',
      'eu-south-2',
      'eu-west-1',
      'eu-west-2',
      'eu-west-3',
    ],
    ...['il-central-1', 'me-central-1', 'me-south-1', 'me-west-1', 'af-south-1', 'ap-east-1', 'ap-east-2'],
    ...['ap-northeast-1', 'ap-northeast-2', 'ap-northeast-3', 'ap-south-1', 'ap-south-2', 'ap-southeast-1'],
    ...['ap-southeast-2', 'ap-southeast-3', 'ap-southeast-4', 'ap-southeast-5', 'ap-southeast-6', 'ap-southeast-7'],
  ],
  'aws-cn': ['cn-north-1', 'cn-northwest-1'],
  'aws-us-gov': ['us-gov-east-1', 'us-gov-west-1'],
  'aws-eusc': ['eusc-de-east-1'],
  'aws-iso': ['us-iso-east-1', 'us-iso-west-1'],
  'aws-iso-b': ['us-isob-east-1', 'us-isob-west-1'],
  'aws-iso-e': ['eu-isoe-west-1'],
  'aws-iso-f': ['us-isof-east-1', 'us-isof-south-1'],
};

/** All Regions of the partition that this Region is in. Those of the partition `aws` for an unknown Region. */
export function regionsBeside(region: string | undefined): readonly string[] {
  const same = Object.values(AWS_REGIONS).find(regions => region !== undefined && regions.includes(region));
  return same ?? AWS_REGIONS['aws'] ?? [];
}

/** Several accounts and Regions, as the user names them. */
export interface PlaceChoice extends ConnectionOptions {
  /** Each has the credentials of an account. @default - `profile` */
  readonly profiles?: readonly string[];
  /** Roles that the credentials assume. @default - `roleArn`, or none */
  readonly roles?: readonly string[];
  /** Regions, or all of the partition. @default - `region` */
  readonly regions?: readonly string[] | 'all';
}

/** How many accounts and Regions are read at the same time. */
const PARALLEL_PLACES = 6;

/** The connections that a choice names: each identity in each Region. */
export async function placesOf(choice: PlaceChoice): Promise<readonly ConnectionOptions[]> {
  const { profiles, roles, regions, ...given } = choice;
  const identities = (profiles ?? [given.profile]).flatMap(profile =>
    (roles ?? [given.roleArn]).map(
      (roleArn): ConnectionOptions => ({
        ...(given.endpointUrl !== undefined && { endpointUrl: given.endpointUrl }),
        ...(given.region !== undefined && { region: given.region }),
        ...(profile !== undefined && { profile }),
        ...(roleArn !== undefined && { roleArn }),
      }),
    ),
  );
  const wanted = await Promise.all(
    identities.map(async identity => {
      if (regions === undefined) return [identity];
      const all = regions === 'all' ? regionsBeside(await configuredRegion(identity)) : regions;
      return all.map(region => ({ ...identity, region }));
    }),
  );
  return wanted.flat();
}

/** The identity of a place: its profile and its role. */
function identityOf({ profile, roleArn }: ConnectionOptions): string {
  return [profile, roleArn].filter(it => it !== undefined).join(' ') || 'the default credentials';
}

/** What was read in one account and Region, or why nothing was. */
export interface PlaceRead<T> {
  readonly options: ConnectionOptions;
  /** Undefined if it could not be read. */
  readonly value?: T;
  /** Why it could not be read. @default - it could */
  readonly error?: Error;
}

/**
 * Reads several places at the same time. An error in one of them does not end the others.
 * @param clock the time that retries go by. @default - the machine's
 */
export function readPlaces<T>(
  places: readonly ConnectionOptions[],
  read: (aws: Connection, options: ConnectionOptions) => Promise<T>,
  clock?: RetryClock,
): Promise<readonly PlaceRead<T>[]> {
  return mapAtMost(PARALLEL_PLACES, places, async (options): Promise<PlaceRead<T>> => {
    try {
      const value = await connected(options, aws => read(aws, { ...options, region: aws.region }), clock);
      return { options, value };
    } catch (error) {
      return { options, error: error instanceof Error ? error : new Error(messageOf(error)) };
    }
  });
}

/** Places that could not be read, for the same reason. */
export interface UnreadPlaces {
  readonly identity: string;
  readonly regions: readonly string[];
  readonly says: string;
  /** Whether it is no failure: the account has not enabled the Regions. */
  readonly isNotEnabled: boolean;
}

const NOT_ENABLED = 'the account has not enabled these Regions, or its session is not valid there';

/**
 * Groups the places that could not be read. AWS refuses the credentials of an account in a Region that the account has not enabled.
 * @see https://docs.aws.amazon.com/accounts/latest/reference/manage-acct-regions.html
 */
export function unreadPlaces(reads: readonly PlaceRead<unknown>[]): readonly UnreadPlaces[] {
  const works = new Set(reads.flatMap(({ options, error }) => (error ? [] : [identityOf(options)])));
  const groups = new Map<string, UnreadPlaces>();
  for (const { options, error } of reads) {
    if (!error) continue;
    const identity = identityOf(options);
    const isNotEnabled = areCredentialsRefused(error) && works.has(identity);
    const { region = '' } = options;
    // The same failure names another Region in each.
    const key = `${identity} ${isNotEnabled ? '' : error.message.replaceAll(region, '')}`;
    const { regions = [], says = isNotEnabled ? NOT_ENABLED : error.message } = groups.get(key) ?? {};
    groups.set(key, { identity, regions: [...regions, ...(region === '' ? [] : [region])], says, isNotEnabled });
  }
  return [...groups.values()];
}
