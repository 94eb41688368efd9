import type { Command } from 'commander';
import { BadInput } from '../../account/errors';
import { findFleets, oneFleet } from '../../account/fleet/find-fleets';
import { endpointFacts, fleetClient, fleetFacts } from '../../account/fleet/fleet-facts';
import { endpointAdvice } from '../../account/fleet/fleet-words';
import type { Redaction } from '../../account/redaction/redaction';
import type { Attempt, EndpointDescription, FleetClient, ParkedMessage } from '../../fleet';
import { groupOf } from '../../policy/fleet/endpoint';
import { isoInstant } from '../../policy/instants';
import { addRedactOption, REDACT_HELP, type RedactOptions, redactionOf } from '../dlq/redact-option';
import { countOf, EXIT_CODES } from '../shared/command-line';
import { warn, writeJson } from '../shared/print';
import { screenOf } from '../shared/terminal-text';
import { withAws } from '../shared/with-aws';
import {
  atFleet,
  ENDPOINT_HELP,
  endpointNamed,
  endpointOrMessage,
  type FleetContext,
  type FleetOptions,
  fleetCommandNamed,
  sinceOf,
} from './at-fleet';
import {
  attemptDocument,
  attemptLines,
  endpointDocument,
  endpointText,
  fleetDocument,
  fleetsText,
  tenantText,
} from './fleet-text';
import { ofEvent, placeOf, waitLines } from './message-place';

const LIST_HELP = `
A fleet is found by the environment of its functions, not by its name and tags. It is listed with its endpoints that are
not healthy or have parked messages: suspect (it fails), open (down, probed), draining (parked messages come back) and
disabled. With --tenant, all endpoints of the tenant are listed instead. URLs are shown without user and query.

Of the messages in the deliveries queue, those that are DUE are received next, those IN FLIGHT are attempted or wait up to a
minute for a retry, and those IN LINE wait for the endpoint's turn. DEAD are the messages in the dead-letter queue.

  dlo fleet ls --region eu-central-1
  dlo fleet ls --tenant acme
  dlo fleet ls --json | jq -r '.fleets[].unsettled[] | select(.health == "open") | .tenant + "/" + .endpoint'

It needs the permissions lambda:ListFunctions, dynamodb:Query and dynamodb:BatchGetItem; without --tenant also
dynamodb:Scan of the index and sqs:GetQueueAttributes.

${EXIT_CODES}`;

/** `dlo fleet ls`. */
export function listCommand(context: FleetContext): Command {
  return fleetCommandNamed('ls', 'list fleets with their endpoints that are not healthy, or the endpoints of a tenant')
    .addHelpText('after', LIST_HELP)
    .action(async (options: FleetOptions) =>
      options.tenant === undefined ? listFleets(options, context) : listTenant(options.tenant, options, context),
    );
}

async function listFleets(options: FleetOptions, context: FleetContext): Promise<void> {
  const { io } = context;
  await withAws(options, context, async aws => {
    const { fleets, warnings } = await findFleets(aws);
    warn(io, warnings);
    const chosen = options.fleet === undefined ? fleets : [oneFleet(options.fleet, fleets, aws.region)];
    const facts = await Promise.all(chosen.map(it => fleetFacts(aws, it, fleetClient(aws, it, context))));
    if (options.json) writeJson(io, { region: aws.region, fleets: facts.map(fleetDocument) });
    else io.stdout.write(fleetsText(facts, { options, region: aws.region }, screenOf(io.stdout)));
  });
}

/** @throws BadInput if it is no name of a tenant */
async function listTenant(tenant: string, options: FleetOptions, context: FleetContext): Promise<void> {
  const { io } = context;
  await atFleet(options, context, async ({ client, fleet }) => {
    const endpoints = await endpointsOf(client, tenant);
    if (options.json) writeJson(io, { fleet: fleet.name, tenant, endpoints: endpoints.map(endpointDocument) });
    else io.stdout.write(tenantText(endpoints, tenant, screenOf(io.stdout)));
  });
}

async function endpointsOf(client: FleetClient, tenant: string): Promise<readonly EndpointDescription[]> {
  const found: EndpointDescription[] = [];
  let after: string | undefined;
  do {
    const page = await client.list({ tenant, ...(after !== undefined && { after }) });
    found.push(...page.endpoints);
    after = page.after;
  } while (after !== undefined);
  return found;
}

const SHOW_HELP = `
${ENDPOINT_HELP} No secret is shown: of headers, only their names.

  dlo fleet show acme/orders
  dlo fleet show orders --tenant acme --json | jq .attempts[0]

It needs the permissions lambda:ListFunctions, dynamodb:GetItem and dynamodb:Query.

${EXIT_CODES}`;

const SHOWN_ATTEMPTS = 10;

/** `dlo fleet show`. */
export function showCommand(context: FleetContext): Command {
  const { io } = context;
  return fleetCommandNamed('show', 'show one endpoint: its state, what is parked, its last attempts, and what to do')
    .argument('ENDPOINT', 'TENANT/NAME, or NAME with --tenant')
    .addHelpText('after', SHOW_HELP)
    .action(async (text: string, options: FleetOptions) => {
      const name = endpointNamed(text, options);
      await atFleet(options, context, async ({ client, fleet, site, named }) => {
        const facts = await endpointFacts(fleet, client, name, SHOWN_ATTEMPTS);
        const { endpoint, parked, attempts } = facts;
        const advice = endpointAdvice(facts, named, site);
        if (!options.json) return void io.stdout.write(endpointText(facts, fleet.name, advice, screenOf(io.stdout)));
        writeJson(io, {
          fleet: fleet.name,
          ...endpointDocument(endpoint),
          parked: parked.map(parkedDocument),
          attempts: attempts?.map(attemptDocument) ?? null,
          advice,
        });
      });
    });
}

function parkedDocument({ sentAtMs, dueAtMs, giveUpAtMs, endpointCreatedAtMs: _, ...others }: ParkedMessage) {
  return {
    ...others,
    sentAt: isoInstant(sentAtMs),
    dueAt: isoInstant(dueAtMs),
    giveUpAt: isoInstant(giveUpAtMs),
  };
}

const ATTEMPTS_HELP = `
MESSAGE is the id of a message for one endpoint, its webhook-id: msg_… --event finds the message by the id of its event, which
for an event of a topic is the id that SNS gave it. Its attempts are shown from the first on, why it waited, and where it is.
Those of an endpoint are shown from the newest on. AFTER is the time since the event. ${ENDPOINT_HELP}
Attempts are logged if the fleet logs them, for its attemptRetention. Bodies are there only if it logs bodies.

${REDACT_HELP}

  dlo fleet attempts acme/orders --since 24h
  dlo fleet attempts msg_Zo2fPlWU9HkbLZqYbGVBhfhEXT3
  dlo fleet attempts acme/orders --event invoice-17
  dlo fleet attempts acme/orders --json | jq -r '.attempts[] | select(.outcome == "dead").deliveryId'

It needs the permissions lambda:ListFunctions and dynamodb:Query; for an endpoint without attempts also dynamodb:GetItem.

${EXIT_CODES}`;

interface AttemptsOptions extends FleetOptions, RedactOptions {
  readonly since?: (nowMs: number) => number;
  readonly number: number;
  readonly bodies?: boolean;
  readonly event?: string;
}

/** `dlo fleet attempts`. */
export function attemptsCommand(context: FleetContext): Command {
  const { io, nowMs } = context;
  return addRedactOption(fleetCommandNamed('attempts', 'show the attempts of an endpoint or of a message'))
    .argument('ENDPOINT|MESSAGE', 'TENANT/NAME, or NAME with --tenant; or the id of a message')
    .option(
      '--since <time>',
      'for an endpoint: how far back, or an instant (default: as long as they are kept)',
      sinceOf,
    )
    .option('-n, --number <count>', 'for an endpoint: how many', countOf, 50)
    .option('--event <id>', 'of an endpoint: only the message of this event')
    .option('--bodies', 'show the bodies of the messages too')
    .addHelpText('after', ATTEMPTS_HELP)
    .action(async (text: string, options: AttemptsOptions) => {
      const redaction = redactionOf(options);
      const of = endpointOrMessage(text, options);
      const range = { limit: options.number, ...(options.since && { sinceMs: options.since(nowMs()) }) };
      if ('delivery' in of && options.event !== undefined) throw new BadInput(['--event needs an ENDPOINT']);
      await atFleet(options, context, async at => {
        const { client, fleet } = at;
        const query = ofEvent(of, options.event, fleet);
        const found = await client.attempts('delivery' in query ? query : { ...query, ...range });
        // A name that is mistyped is an error. An endpoint that was removed has its attempts.
        if (found.length === 0 && !('delivery' in of)) await client.get(of);
        const attempts = redaction.everywhere(found.map(it => shown(it, options.bodies, redaction)));
        const place =
          'delivery' in query ? await placeOf(query.delivery, 'delivery' in of ? found[0] : of, found, at) : undefined;
        if (options.json) {
          const { parked = null } = place ?? {};
          const message =
            'delivery' in query ? { messageId: query.delivery, parked: parked && parkedDocument(parked) } : {};
          return writeJson(io, { fleet: fleet.name, ...message, attempts: attempts.map(attemptDocument) });
        }
        const waits = 'delivery' in query ? await waitLines(found, at) : [];
        const none = [`No attempt of ${'delivery' in query ? query.delivery : groupOf(query)} is in the log.`];
        const lines = attempts.length > 0 ? attemptLines(attempts, screenOf(io.stdout), !('delivery' in query)) : none;
        io.stdout.write(`${[...lines, ...waits, ...(place?.lines ?? [])].join('\n')}\n`);
      });
    });
}

function shown({ data, ...attempt }: Attempt, hasBodies: boolean | undefined, redaction: Redaction): Attempt {
  if (data === undefined) return attempt;
  const { deliveryId: messageId, atMs } = attempt;
  const message = { messageId, body: data, attributes: {}, sentAtMs: atMs, firstReceivedAtMs: atMs, receiveCount: 0 };
  const { body } = redaction.message(message);
  return { ...attempt, ...(hasBodies && { data: body }) };
}
