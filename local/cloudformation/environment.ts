import type { Place } from '../kernel/place';

/** The account and Region a stack is made for; what the app left open is missing. */
export interface Environment {
  readonly account?: string;
  readonly region?: string;
}

const ENVIRONMENT = /^aws:\/\/([^/]+)\/([^/]+)$/;
const OPEN = /^(unknown-(account|region)|current_(account|region))$/;

/** Reads `aws://123456789012/us-east-1`, the form in which an assembly gives an environment. */
export function parseEnvironment(text: string | undefined): Environment {
  const [, account, region] = ENVIRONMENT.exec(text ?? '') ?? [];
  return { ...known('account', account), ...known('region', region) };
}

/** The place in the Region, with the partition and host names that belong to it. */
export function placeIn(account: string, region: string): Place {
  if (region.startsWith('cn-')) return { account, region, partition: 'aws-cn', urlSuffix: 'amazonaws.com.cn' };
  const partition = region.startsWith('us-gov-') ? 'aws-us-gov' : 'aws';
  return { account, region, partition, urlSuffix: 'amazonaws.com' };
}

/**
 * Where a world must play for these stacks: in the account and Region they name, otherwise in `fallback`.
 *
 * @throws AssemblyError when they name more than one, for a world is one account in one Region
 */
export function placeOf(
  stacks: readonly { readonly name: string; readonly environment: Environment }[],
  fallback: Place,
): Place {
  const account = onlyOne(stacks, 'account') ?? fallback.account;
  const region = onlyOne(stacks, 'region') ?? fallback.region;
  return region === fallback.region ? { ...fallback, account } : placeIn(account, region);
}

/** Why a stack made for `environment` cannot be deployed in `place`; nothing when it can. */
export function environmentProblems(environment: Environment, place: Place): readonly string[] {
  return (['account', 'region'] as const)
    .filter(part => environment[part] !== undefined && environment[part] !== place[part])
    .map(part => `is made for ${part} ${environment[part]}, but this world plays in ${place[part]}`);
}

function onlyOne(
  stacks: readonly { readonly name: string; readonly environment: Environment }[],
  part: keyof Environment,
): string | undefined {
  const named = stacks.filter(stack => stack.environment[part] !== undefined);
  if (new Set(named.map(stack => stack.environment[part])).size > 1) {
    const list = named.map(stack => `${stack.name} in ${stack.environment[part]}`).join(', ');
    throw new AssemblyError([`the stacks are made for more than one ${part}, and a world has only one: ${list}`]);
  }
  return named[0]?.environment[part];
}

function known(part: keyof Environment, value: string | undefined): Environment {
  return value === undefined || OPEN.test(value) ? {} : { [part]: value };
}

/**
 * What is wrong with a cloud assembly, or with what it asks of the embedded AWS: bad input, never a failure of ours.
 * A command prints `message` and exits 2.
 */
export class AssemblyError extends Error {
  override readonly name = 'AssemblyError';

  /** @param problems every problem found, each one a sentence that names the file, or the stack, resource and property */
  constructor(readonly problems: readonly string[]) {
    super(problems.join('\n'));
  }
}

/** Throws when there are problems. */
export function failOn(problems: readonly string[]): void {
  if (problems.length > 0) throw new AssemblyError(problems);
}
