import { type Place, placeIn } from '../kernel/place';

/** The account and Region of a stack; undefined where the app leaves them open. */
export interface Environment {
  readonly account?: string;
  readonly region?: string;
}

const ENVIRONMENT = /^aws:\/\/([^/]+)\/([^/]+)$/;
const OPEN = /^(unknown-(account|region)|current_(account|region))$/;

/** Parses `aws://123456789012/us-east-1`, the form in an assembly. */
export function parseEnvironment(text: string | undefined): Environment {
  const [, account, region] = ENVIRONMENT.exec(text ?? '') ?? [];
  return { ...known('account', account), ...known('region', region) };
}

/** The accounts and Regions of an app. */
interface Environments {
  /** Where stacks are deployed that name neither, and clients and functions act unless they say otherwise. */
  readonly place: Place;
  /** Those of all stacks. */
  readonly places: readonly Pick<Place, 'account' | 'region'>[];
}

/**
 * Chooses the accounts and Regions of a simulation. The default place has the account and the Region that the stacks
 * name, if they name only one. Otherwise it has those of `given`, then those of the first stack that names any.
 *
 * @param given the account and Region that the user asked for
 * @param fallback the place of an app that names neither
 */
export function environmentsOf(
  stacks: readonly { readonly environment: Environment }[],
  given: Environment,
  fallback: Place,
): Environments {
  const choose = (part: keyof Environment): string => {
    const named = [...new Set(stacks.flatMap(({ environment }) => environment[part] ?? []))];
    return (named.length > 1 ? (given[part] ?? named[0]) : named[0]) ?? fallback[part];
  };
  const [account, region] = [choose('account'), choose('region')];
  const place = region === fallback.region ? { ...fallback, account } : placeIn(account, region);
  const places = stacks.map(({ environment }) => ({ account, region, ...environment }));
  return { place, places };
}

/** Why a stack for `environment` cannot be deployed in `place`; empty when it can. */
export function environmentProblems(environment: Environment, place: Place): readonly string[] {
  return (['account', 'region'] as const)
    .filter(part => environment[part] !== undefined && environment[part] !== place[part])
    .map(part => `is for ${part} ${environment[part]}, but this simulation runs in ${place[part]}`);
}

function known(part: keyof Environment, value: string | undefined): Environment {
  return value === undefined || OPEN.test(value) ? {} : { [part]: value };
}

/**
 * Problems of a cloud assembly, or of what it needs from the embedded AWS: bad input, never a bug of ours. A command
 * prints `message` and exits with 2.
 */
export class AssemblyError extends Error {
  override readonly name = 'AssemblyError';

  /** @param problems all problems; each is a sentence that names the file, or the stack, resource and property */
  constructor(readonly problems: readonly string[]) {
    super(problems.join('\n'));
  }
}

/** Throws when there are problems. */
export function failOn(problems: readonly string[]): void {
  if (problems.length > 0) throw new AssemblyError(problems);
}
