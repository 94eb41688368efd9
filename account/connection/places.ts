import { messageOf } from '../errors';
import { regionsBeside } from './aws-regions';
import { areCredentialsRefused, mapAtMost } from './calls';
import { type Connection, type ConnectionOptions, configuredRegion, connected } from './connection';
import type { RetryClock } from './retries';

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
