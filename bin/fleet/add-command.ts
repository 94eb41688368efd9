import type { Command } from 'commander';
import { BadInput } from '../../account/errors';
import { shownUrl } from '../../account/fleet/fleet-words';
import { FleetError } from '../../fleet';
import { type EndpointName, endpointProblems, type FleetEndpoint, groupOf } from '../../policy/fleet/endpoint';
import { parseObject } from '../../policy/json-members';
import { formatProblem } from '../../policy/problem';
import { countOf } from '../shared/command-line';
import { type AtFleet, atFleet, endpointNamed, type FleetContext } from './at-fleet';
import { type ChangeOptions, changeCommandNamed, planOrDo, secretLines } from './change-commands';
import { ENDPOINT_HELP } from './look-commands';

interface AddOptions extends ChangeOptions {
  readonly url?: string;
  readonly type?: readonly string[];
  readonly maxPerSecond?: number;
  readonly description?: string;
  readonly file?: string;
}

const HELP = `The fleet sends it the events of its types, signed with a new secret, which is printed once.
${ENDPOINT_HELP}
FILE has the endpoint as JSON, with the members of the typed client: url, types, filter (a filter policy of SNS),
filterScope, retryPolicy, maxPerSecond, headers, authorization and description. Options take precedence. - is standard
input.

  dlo fleet add acme/orders --url https://acme.example/hook --type order.paid --type order.sent
  dlo fleet add acme/orders --file orders.json --max-per-second 10 --execute
`;

const PERMISSIONS = `lambda:ListFunctions and dynamodb:GetItem; with --execute also dynamodb:PutItem,
kms:Decrypt and kms:GenerateDataKey.`;

/** `dlo fleet add`. */
export function addCommand(context: FleetContext): Command {
  return changeCommandNamed('add', 'add an endpoint, and print its signing secret', HELP, PERMISSIONS)
    .argument('ENDPOINT', 'TENANT/NAME, or NAME with --tenant')
    .option('--url <url>', 'where it gets events')
    .option(
      '--type <type>',
      'a type of events that it gets; can be repeated; * is every type',
      (type: string, types: readonly string[] = []) => [...types, type],
    )
    .option('--max-per-second <count>', 'the most requests a second (default: no limit)', countOf)
    .option('--description <text>', 'for people')
    .option('--file <file>', 'the endpoint as JSON')
    .action(async (text: string, options: AddOptions) => {
      const name = endpointNamed(text, options);
      const endpoint = { ...(await fileOf(options, context)), ...membersOf(options), ...name };
      await atFleet(options, context, async at => {
        const problems = endpointProblems(endpoint, at.fleet.settings.allowedPrivateRanges);
        if (problems.length > 0) throw new BadInput(problems.map(formatProblem));
        await checkNew(name, at);
        await addEndpoint(endpoint as FleetEndpoint, at, options, context);
      });
    });
}

/** @throws BadInput if the file has no JSON object */
async function fileOf({ file }: AddOptions, { io }: FleetContext): Promise<object> {
  if (file === undefined) return {};
  const value = parseObject(await io.readText(file));
  if (!value) throw new BadInput([`${file} must have a JSON object: an endpoint`]);
  return value;
}

function membersOf({ url, type: types, maxPerSecond, description }: AddOptions): object {
  const given = Object.entries({ url, types, maxPerSecond, description });
  return Object.fromEntries(given.filter(([, value]) => value !== undefined));
}

/** @throws BadInput if the endpoint exists */
async function checkNew(name: EndpointName, { client }: AtFleet): Promise<void> {
  try {
    await client.get(name);
  } catch (error) {
    if (error instanceof FleetError && error.code === 'not-found') return;
    throw error;
  }
  throw new BadInput([
    `${groupOf(name)} exists already: the typed client changes endpoints, dlo fleet remove removes them`,
  ]);
}

async function addEndpoint(
  endpoint: FleetEndpoint,
  at: AtFleet,
  options: AddOptions,
  context: FleetContext,
): Promise<void> {
  const { tenant, endpoint: name, types, filter, maxPerSecond } = endpoint;
  const { file, url, type = [], description } = options;
  const given = {
    '--file': file,
    '--url': url,
    '--max-per-second': options.maxPerSecond,
    '--description': description,
  };
  const words = Object.entries(given).flatMap(([option, value]) =>
    value === undefined ? [] : [option, String(value)],
  );
  await planOrDo(
    {
      words: ['add', groupOf(endpoint), ...words, ...type.flatMap(it => ['--type', it])],
      resource: groupOf(endpoint),
      title: `Add ${groupOf(endpoint)}`,
      facts: [
        ['URL', shownUrl(endpoint)],
        ['Types', types.join(', ')],
        ['Filter', filter ? JSON.stringify(filter) : 'none'],
        ['Ceiling', maxPerSecond === undefined ? 'none' : `${maxPerSecond} a second`],
      ],
      notes: ['It gets events that are sent from now on.'],
      details: { tenant, endpoint: name, url: shownUrl(endpoint), types },
      work: async () => {
        const { secret = '', version } = await at.client.put(endpoint, { version: 0 });
        return { document: { secret, version }, lines: secretLines(secret), recorded: { version } };
      },
    },
    at,
    options,
    context,
  );
}
