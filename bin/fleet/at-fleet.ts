import { Command, InvalidArgumentError } from 'commander';
import type { Connection } from '../../account/connection/connection';
import { BadInput } from '../../account/errors';
import { type Fleet, findFleets, fleetWords, oneFleet } from '../../account/fleet/find-fleets';
import { asBadInput, fleetClient } from '../../account/fleet/fleet-facts';
import type { Site } from '../../account/printed-commands';
import type { FleetClient } from '../../fleet';
import { type EndpointName, nameCheck } from '../../policy/fleet/endpoint';
import { isoInstantMs } from '../../policy/instants';
import { formatProblem } from '../../policy/problem';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../policy/time-units';
import { addConnectionOptions, type CommandContext, type CommandOptions } from '../shared/command-line';
import { warn } from '../shared/print';
import { withAws } from '../shared/with-aws';

export interface FleetOptions extends CommandOptions {
  /** @default - the only one of the Region */
  readonly fleet?: string;
  readonly tenant?: string;
}

/** What a command of `dlo fleet` works with. */
export interface AtFleet {
  readonly aws: Connection;
  readonly fleet: Fleet;
  readonly client: FleetClient;
  readonly site: Site;
  /** The option that names the fleet in printed commands. */
  readonly named: readonly string[];
}

export type FleetContext = Pick<CommandContext, 'io' | 'nowMs' | 'serverClock' | 'pollSeconds'>;

export const ENDPOINT_HELP = 'ENDPOINT is TENANT/NAME, or NAME with --tenant.';

/** A command with the options of all of them. */
export function fleetCommandNamed(name: string, describes: string): Command {
  return addConnectionOptions(new Command(name))
    .description(describes)
    .option('--fleet <name>', 'the name of the fleet, or a part of it (default: the only one of the Region)')
    .option('--tenant <name>', 'the tenant')
    .option('--json', 'print it as JSON');
}

/**
 * Finds the fleet and does work with it.
 * @throws BadInput if there is no such fleet, and for what the fleet refuses
 */
export async function atFleet(
  options: FleetOptions,
  context: FleetContext,
  work: (at: AtFleet) => Promise<void>,
): Promise<void> {
  await withAws(options, context, async aws => {
    const { fleets, warnings } = await findFleets(aws);
    warn(context.io, warnings);
    const fleet = oneFleet(options.fleet, fleets, aws.region);
    const client = fleetClient(aws, fleet, context);
    const [site, named] = [{ options, region: aws.region }, fleetWords(fleet, fleets)];
    await asBadInput(() => work({ aws, fleet, client, site, named }));
  });
}

/** Reads `acme/orders`, or `orders` with `--tenant acme`. @throws BadInput */
export function endpointNamed(text: string, { tenant }: FleetOptions): EndpointName {
  const [first = '', second, ...others] = text.split('/');
  const name = second === undefined ? { tenant: tenant ?? '', endpoint: first } : { tenant: first, endpoint: second };
  if (name.tenant === '' || others.length > 0 || (second !== undefined && tenant !== undefined && tenant !== first)) {
    const got = `${text}${tenant === undefined ? '' : ` and --tenant ${tenant}`}`;
    throw new BadInput([`ENDPOINT must be TENANT/NAME, or NAME with --tenant: got ${got}`]);
  }
  const problems = [...nameCheck(name.tenant, 'the tenant'), ...nameCheck(name.endpoint, 'the endpoint')];
  if (problems.length > 0) throw new BadInput(problems.map(formatProblem));
  return name;
}

const MESSAGE = /^msg_[\w-]+$/;

/** Reads the id of a message, which is its `webhook-id`, or the name of an endpoint. @throws BadInput */
export function endpointOrMessage(text: string, options: FleetOptions): EndpointName | { readonly delivery: string } {
  return options.tenant === undefined && MESSAGE.test(text) ? { delivery: text } : endpointNamed(text, options);
}

const UNITS_MS: Readonly<Record<string, number>> = { m: MINUTE_MS, h: HOUR_MS, d: DAY_MS };

/** Reads an instant, or how long ago it was: `90m`. Returns it for the time of the command. */
export function sinceOf(text: string): (nowMs: number) => number {
  const [, count, unit = ''] = /^([1-9]\d{0,4})([mhd])$/.exec(text) ?? [];
  if (count !== undefined) return nowMs => nowMs - Number(count) * (UNITS_MS[unit] ?? 0);
  const atMs = isoInstantMs(text);
  if (atMs !== undefined) return () => atMs;
  throw new InvalidArgumentError('It must be 90m, 24h, 7d or so, or an instant such as 2026-03-01T08:00:00Z.');
}
