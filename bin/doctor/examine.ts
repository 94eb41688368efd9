import { existsSync } from 'node:fs';
import { type Connection, type ConnectionOptions, connected } from '../../account/connection/connection';
import { BadInput } from '../../account/errors';
import { readInventory } from '../../account/inventory/read-inventory';
import { inStack } from '../../account/inventory/stack-resources';
import { isAcknowledged } from '../../diagnosis/checks/acknowledged';
import { checkInventory } from '../../diagnosis/checks/check-inventory';
import { checkedStages } from '../../diagnosis/checks/check-stages';
import type { Finding, Severity } from '../../diagnosis/checks/finding';
import type { Inventory, Resource } from '../../diagnosis/inventory/inventory';
import { counted } from '../../policy/format-text';
import { isObject, type JsonObject, parseObject } from '../../policy/json-members';
import { knownValue } from '../../template/maybe-known';
import type { CommandContext } from '../shared/command-line';
import { withReadProgress } from '../shared/progress';
import { clockFor, type Unknowns } from '../shared/with-aws';
import type { BeyondBaseline } from './baseline';
import { readSource } from './templates';

/** What was checked, and the findings. */
export interface Examined {
  /** What was checked, in words: `cdk.out, 2 stacks`. */
  readonly what: string;
  readonly region?: string;
  readonly inventories: readonly Inventory[];
  readonly findings: readonly Finding[];
  /** How many other findings are acknowledged in the app. */
  readonly acknowledgedCount: number;
  /** What `--baseline` left out. @default - there is no baseline */
  readonly baseline?: Omit<BeyondBaseline, 'findings'>;
  /** What could not be read, each a sentence. */
  readonly unread: readonly string[];
  /** What could not be read of an account. @default - the templates were read */
  readonly unknowns?: Unknowns;
}

const ASSEMBLY = 'cdk.out';

function unreadOf(inventories: readonly Inventory[]): string[] {
  return inventories.flatMap(({ unread = [], unseen = [] }) => [...unread, ...unseen]);
}

function examineTemplates(folder: string, { stack }: DoctorOptions): Examined {
  const groups = readSource(folder);
  const names = groups.flatMap(({ stacks }) => stacks.map(({ stackName }) => stackName));
  if (stack !== undefined && !names.includes(stack)) {
    throw new BadInput([`no stack of ${folder} is named ${stack}. Its stacks are ${names.join(', ')}`]);
  }
  // The name of a nested stack begins with that of its parent: `Orders.Nested`.
  const isIn = ({ place }: Resource) => stack === undefined || place?.stack.split('.')[0] === stack;
  const checked = checkedStages(groups.map(({ stacks }) => stacks));
  const examined = checked.map(({ inventory, findings: all }, index) => {
    const { acknowledged = [] } = groups[index] ?? {};
    const found = all.filter(({ resource }) => isIn(resource));
    return { inventory, found, findings: found.filter(it => !isAcknowledged(it, acknowledged)) };
  });
  const inventories = examined.map(({ inventory }) => inventory);
  const findings = examined.flatMap(it => it.findings);
  return {
    what: `${folder}, ${counted(names.length, 'stack', 'stacks')}`,
    inventories,
    findings,
    acknowledgedCount: examined.flatMap(it => it.found).length - findings.length,
    unread: unreadOf(inventories),
  };
}

async function examineAccount(
  aws: Connection,
  { stack, endpointUrl }: DoctorOptions,
  context: CommandContext,
): Promise<Examined> {
  const isIn = stack === undefined ? () => true : await inStack(aws, stack);
  const inventory = await withReadProgress(context, readWith =>
    readInventory(aws, { progress: readWith(aws), purpose: 'checks' }),
  );
  const { region } = aws;
  for (const text of await unknownsOfSimulation(endpointUrl)) aws.unread.note(text);
  return {
    what: `the account ${knownValue(inventory.account) ?? ''} in ${region}`,
    region,
    inventories: [inventory],
    findings: checkInventory(inventory).filter(({ resource }) => isIn(resource)),
    acknowledgedCount: 0,
    unread: aws.unread.texts,
    unknowns: aws.unread,
  };
}

/**
 * Checks the templates or the account that the user names. Without either, it checks the assembly in this folder, else the account.
 */
export async function examine(
  assembly: string | undefined,
  options: DoctorOptions,
  context: CommandContext,
): Promise<Examined> {
  const { profile, region, endpointUrl } = options;
  const isAccount = [profile, region, endpointUrl].some(it => it !== undefined);
  if (assembly !== undefined && isAccount) {
    throw new BadInput([`name either templates or an account: AWS is not called for ${assembly}`]);
  }
  const folder = assembly ?? (!isAccount && existsSync(ASSEMBLY) ? ASSEMBLY : undefined);
  if (folder !== undefined) return examineTemplates(folder, options);
  return connected(options, aws => examineAccount(aws, options, context), await clockFor(options, context));
}

export interface DoctorOptions extends ConnectionOptions {
  readonly json?: boolean;
  readonly stack?: string;
  readonly severity: Severity;
  readonly failOn?: Severity;
  readonly sarif?: string;
  readonly junit?: string;
  readonly baseline?: string;
  readonly writeBaseline?: boolean;
}

const TIMEOUT_MS = 5_000;

/**
 * Reads from a simulation, such as `dlo local`, what it cannot tell because of stand-ins on the path of messages.
 *
 * @param endpointUrl @default - AWS_ENDPOINT_URL
 * @returns sentences. None for AWS and for other emulators, which do not have this address
 */
export async function unknownsOfSimulation(endpointUrl = process.env['AWS_ENDPOINT_URL']): Promise<readonly string[]> {
  if (!endpointUrl) return [];
  const url = new URL('/_dlo/state', endpointUrl);
  const state = await read(url);
  if (state instanceof Error)
    return [`${url.href} does not answer (${state.message}): a simulation lists unknowns there`];
  const unknowns: readonly unknown[] = Array.isArray(state?.['unknowns']) ? state['unknowns'] : [];
  return unknowns.filter(isObject).map(({ stack, logicalId, path, type, unknown }) => {
    const name = typeof path === 'string' ? path : `${String(logicalId)} of ${String(stack)}`;
    return `${name} (${String(type)}) is not simulated, so it is unknown ${String(unknown)}`;
  });
}

async function read(url: URL): Promise<JsonObject | Error | undefined> {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(TIMEOUT_MS) });
    return response.ok ? parseObject(await response.text()) : undefined;
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
}
