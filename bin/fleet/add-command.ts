import type { Command } from 'commander';
import { BadInput } from '../../account/errors';
import { shownUrl } from '../../account/fleet/fleet-words';
import { FleetError } from '../../fleet';
import { type EndpointName, type FleetEndpoint, groupOf } from '../../policy/fleet/endpoint';
import { type AtFleet, atFleet, ENDPOINT_HELP, endpointNamed, type FleetContext } from './at-fleet';
import { changeCommandNamed, planOrDo, secretLines } from './change-commands';
import {
  addEndpointOptions,
  checkEndpoint,
  type EndpointOptions,
  endpointRows,
  endpointWords,
  givenMembers,
  MEMBERS_HELP,
} from './endpoint-options';

const HELP = `The fleet sends it the events of its types, signed with a new secret, which is printed once.
${ENDPOINT_HELP}
${MEMBERS_HELP}
  dlo fleet add acme/orders --url https://acme.example/hook --type order.paid --type order.sent
  dlo fleet add acme/orders --file orders.json --max-per-second 10 --execute
`;

const PERMISSIONS = `lambda:ListFunctions and dynamodb:GetItem; with --execute also dynamodb:PutItem,
kms:Decrypt and kms:GenerateDataKey.`;

/** `dlo fleet add`. */
export function addCommand(context: FleetContext): Command {
  const command = changeCommandNamed('add', 'add an endpoint, and print its signing secret', HELP, PERMISSIONS);
  return addEndpointOptions(command)
    .argument('ENDPOINT', 'TENANT/NAME, or NAME with --tenant')
    .action(async (text: string, options: EndpointOptions) => {
      const name = endpointNamed(text, options);
      const endpoint = { ...(await givenMembers(options, context)), ...name };
      await atFleet(options, context, async at => {
        checkEndpoint(endpoint, at);
        await checkNew(name, at);
        await addEndpoint(endpoint, at, options, context);
      });
    });
}

/** @throws BadInput if the endpoint exists */
async function checkNew(name: EndpointName, { client }: AtFleet): Promise<void> {
  try {
    await client.get(name);
  } catch (error) {
    if (error instanceof FleetError && error.code === 'not-found') return;
    throw error;
  }
  throw new BadInput([`${groupOf(name)} exists already: dlo fleet set changes it`]);
}

async function addEndpoint(
  endpoint: FleetEndpoint,
  at: AtFleet,
  options: EndpointOptions,
  context: FleetContext,
): Promise<void> {
  const { tenant, endpoint: name, types } = endpoint;
  await planOrDo(
    {
      words: ['add', groupOf(endpoint), ...endpointWords(options)],
      resource: groupOf(endpoint),
      title: `Add ${groupOf(endpoint)}`,
      facts: endpointRows(endpoint),
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
