import type { Place } from '../kernel/place';

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

/** Returns the place with the Region's partition and host name suffix. */
export function placeIn(account: string, region: string): Place {
  if (region.startsWith('cn-')) return { account, region, partition: 'aws-cn', urlSuffix: 'amazonaws.com.cn' };
  const partition = region.startsWith('us-gov-') ? 'aws-us-gov' : 'aws';
  return { account, region, partition, urlSuffix: 'amazonaws.com' };
}

/**
 * Chooses the account and Region of the simulation: those that the stacks name, otherwise `fallback`.
 *
 * @throws AssemblyError when the stacks name more than one, because a simulation has one account and one Region
 */
export function placeOf(
  stacks: readonly { readonly name: string; readonly environment: Environment }[],
  fallback: Place,
): Place {
  const account = onlyOne(stacks, 'account') ?? fallback.account;
  const region = onlyOne(stacks, 'region') ?? fallback.region;
  return region === fallback.region ? { ...fallback, account } : placeIn(account, region);
}

/** Why a stack for `environment` cannot be deployed in `place`; empty when it can. */
export function environmentProblems(environment: Environment, place: Place): readonly string[] {
  return (['account', 'region'] as const)
    .filter(part => environment[part] !== undefined && environment[part] !== place[part])
    .map(part => `is for ${part} ${environment[part]}, but this simulation runs in ${place[part]}`);
}

function onlyOne(
  stacks: readonly { readonly name: string; readonly environment: Environment }[],
  part: keyof Environment,
): string | undefined {
  const named = stacks.filter(stack => stack.environment[part] !== undefined);
  if (new Set(named.map(stack => stack.environment[part])).size > 1) {
    const list = named.map(stack => `${stack.name} in ${stack.environment[part]}`).join(', ');
    throw new AssemblyError([`the stacks are for more than one ${part}, and a simulation has only one: ${list}`]);
  }
  return named[0]?.environment[part];
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
