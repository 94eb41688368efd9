import type { Command } from 'commander';
import { BadInput } from '../../account/errors';
import { shownUrl } from '../../account/fleet/fleet-words';
import { clientProblems } from '../../fleet/client-input';
import { type EndpointName, endpointProblems, type FleetEndpoint, MAX_RATE } from '../../policy/fleet/endpoint';
import { counted } from '../../policy/format-text';
import { parseObject } from '../../policy/json-members';
import { formatProblem } from '../../policy/problem';
import { countUpTo } from '../shared/command-line';
import { foreignText } from '../shared/terminal-text';
import type { AtFleet, FleetContext } from './at-fleet';
import type { FleetChangeOptions } from './change-commands';

/** The options that describe an endpoint. */
export interface EndpointOptions extends FleetChangeOptions {
  readonly url?: string;
  readonly type?: readonly string[];
  readonly maxPerSecond?: number;
  readonly description?: string;
  readonly file?: string;
}

export const MEMBERS_HELP = `FILE has the members as JSON, as the typed client takes them. Options take precedence. - is standard input.

  url            an https URL; http only within allowedPrivateRanges of the fleet
  types          1 to 90 types of events; * is every type
  filter         a filter policy of SNS, which the data of an event must match
  filterScope    "MessageAttributes" applies the filter to the attributes of an event instead
  retryPolicy    all of numRetries, numNoDelayRetries, numMinDelayRetries, numMaxDelayRetries, minDelayTarget and
                 maxDelayTarget (seconds), and backoffFunction (default: that of the fleet)
  maxPerSecond   the most requests a second, up to 10,000 (default: no limit)
  headers        names and values of more headers; they are not secret
  authorization  OAuth 2.0 client credentials: tokenUrl, clientId, clientSecret, scope, audience, credentialsInBody
  description    for people, at most 256 characters
`;

export function addEndpointOptions(command: Command): Command {
  return command
    .option('--url <url>', 'where it gets events')
    .option(
      '--type <type>',
      'a type of events that it gets; can be repeated; * is every type',
      (type: string, types: readonly string[] = []) => [...types, type],
    )
    .option('--max-per-second <count>', 'the most requests a second', countUpTo(MAX_RATE))
    .option('--description <text>', 'for people')
    .option('--file <file>', 'the endpoint as JSON');
}

/** The members of an endpoint that the options give. @throws BadInput if the file has no JSON object */
export async function givenMembers(
  { file, url, type: types, maxPerSecond, description }: EndpointOptions,
  { io }: FleetContext,
): Promise<Partial<FleetEndpoint>> {
  const written = file === undefined ? {} : parseObject(await io.readText(file));
  if (!written) {
    throw new BadInput([
      `${file} must have a JSON object, such as {"url": "https://acme.example/hook", "types": ["order.paid"]}`,
    ]);
  }
  const given = Object.entries({ url, types, maxPerSecond, description });
  return { ...written, ...Object.fromEntries(given.filter(([, value]) => value !== undefined)) };
}

/** The options as words of a command. */
export function endpointWords({ file, url, type = [], maxPerSecond, description }: EndpointOptions): readonly string[] {
  const given = { '--file': file, '--url': url, '--max-per-second': maxPerSecond, '--description': description };
  const words = Object.entries(given).flatMap(([option, value]) =>
    value === undefined ? [] : [option, String(value)],
  );
  return [...words, ...type.flatMap(it => ['--type', it])];
}

/** Checks an endpoint as the typed client does. @throws BadInput with everything that is wrong with it */
export function checkEndpoint(
  given: Partial<FleetEndpoint> & EndpointName,
  { fleet }: AtFleet,
  before?: FleetEndpoint,
): asserts given is FleetEndpoint {
  const problems = endpointProblems(given, fleet.settings.allowedPrivateRanges);
  const all = problems.length > 0 ? problems : clientProblems(given.authorization, before?.authorization);
  if (all.length > 0) throw new BadInput(all.map(formatProblem));
}

/** Longer values are cut. */
export const VALUE_CHARACTERS = 400;

const textOf = (value: unknown) =>
  value === undefined
    ? undefined
    : foreignText(typeof value === 'string' ? value : JSON.stringify(value), VALUE_CHARACTERS);

/** The members of an endpoint as people see them: URLs without their query, of headers only the names. Undefined if it has none. */
export const ENDPOINT_MEMBERS: Readonly<
  Record<
    Exclude<keyof FleetEndpoint, keyof EndpointName>,
    { readonly label: string; readonly text: (endpoint: FleetEndpoint) => string | undefined }
  >
> = {
  url: { label: 'URL', text: shownUrl },
  description: { label: 'Description', text: ({ description }) => textOf(description) },
  types: { label: 'Types', text: ({ types }) => types.join(', ') },
  filter: { label: 'Filter', text: ({ filter }) => textOf(filter) },
  filterScope: { label: 'Filter scope', text: ({ filterScope }) => filterScope },
  retryPolicy: { label: 'Retry policy', text: ({ retryPolicy }) => textOf(retryPolicy) ?? "the fleet's" },
  maxPerSecond: {
    label: 'Ceiling',
    text: ({ maxPerSecond }) =>
      maxPerSecond === undefined ? 'none' : `${counted(maxPerSecond, 'request', 'requests')} a second`,
  },
  headers: { label: 'Headers', text: ({ headers }) => headers && Object.keys(headers).join(', ') },
  authorization: {
    label: 'Access tokens',
    text: ({ authorization }) => authorization && `from ${shownUrl({ url: authorization.tokenUrl })}`,
  },
};

/** The members as rows. */
export function endpointRows(endpoint: FleetEndpoint): readonly (readonly [about: string, ...texts: string[]])[] {
  return Object.values(ENDPOINT_MEMBERS).map(({ label, text }) => {
    const shown = text(endpoint);
    return shown === undefined ? [label] : [label, shown];
  });
}
