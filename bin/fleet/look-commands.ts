import type { Command } from 'commander';
import { BadInput } from '../../account/errors';
import { type Fleet, findFleets, oneFleet } from '../../account/fleet/find-fleets';
import { endpointFacts, fleetClient, fleetFacts, MOST_PARKED } from '../../account/fleet/fleet-facts';
import { endpointAdvice } from '../../account/fleet/fleet-words';
import { dloCommand } from '../../account/printed-commands';
import type { Redaction } from '../../account/redaction/redaction';
import type { Attempt, EndpointDescription, FleetClient, ParkedMessage } from '../../fleet';
import { deliveryId } from '../../fleet/delivery-id';
import { type EndpointName, groupOf } from '../../policy/fleet/endpoint';
import { formatInstant, isoInstant } from '../../policy/instants';
import { addRedactOption, REDACT_HELP, type RedactOptions, redactionOf } from '../dlq/redact-option';
import { countOf, EXIT_CODES } from '../shared/command-line';
import { warn, writeJson } from '../shared/print';
import { foreignText, screenOf } from '../shared/terminal-text';
import { withAws } from '../shared/with-aws';
import {
  type AtFleet,
  atFleet,
  ENDPOINT_HELP,
  endpointNamed,
  endpointOrMessage,
  type FleetContext,
  type FleetOptions,
  fleetCommandNamed,
  sinceOf,
} from './at-fleet';
import { VALUE_CHARACTERS } from './endpoint-options';
import {
  attemptDocument,
  attemptLines,
  endpointDocument,
  endpointText,
  fleetDocument,
  fleetsText,
  tenantText,
} from './fleet-text';

const LIST_HELP = `
A fleet is found by the environment of its functions, not by its name and tags. It is listed with its endpoints that are
not healthy or have parked messages: suspect (it fails), open (down, probed), draining (parked messages come back) and
disabled. With --tenant, all endpoints of the tenant are listed instead. URLs are shown without user and query.

  dlo fleet ls --region eu-central-1
  dlo fleet ls --tenant acme
  dlo fleet ls --json | jq -r '.fleets[].unsettled[] | select(.health == "open") | .tenant + "/" + .endpoint'

It needs the permissions lambda:ListFunctions, dynamodb:Query and dynamodb:BatchGetItem; without --tenant also
sqs:GetQueueAttributes.

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
for an event of a topic is the id that SNS gave it. Its attempts are shown from the first on, and where it is. Those of an
endpoint are shown from the newest on. AFTER is the time since the event. ${ENDPOINT_HELP}
Attempts are logged if the fleet logs them, for its attemptRetention. Bodies are there only if it logs bodies.

${REDACT_HELP}

  dlo fleet attempts acme/orders --since 24h
  dlo fleet attempts msg_Zo2fPlWU9HkbLZqYbGVBhfhEXT3
  dlo fleet attempts acme/orders --event invoice-17
  dlo fleet attempts acme/orders --json | jq -r '.attempts[] | select(.outcome == "dead").deliveryId'

It needs the permissions lambda:ListFunctions and dynamodb:Query.

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
        const attempts = redaction.everywhere(found.map(it => shown(it, options.bodies, redaction)));
        const place =
          'delivery' in query ? await placeOf(query.delivery, 'delivery' in of ? found[0] : of, found, at) : undefined;
        if (options.json) {
          const { parked = null } = place ?? {};
          const message =
            'delivery' in query ? { messageId: query.delivery, parked: parked && parkedDocument(parked) } : {};
          return writeJson(io, { fleet: fleet.name, ...message, attempts: attempts.map(attemptDocument) });
        }
        const none = [`No attempt of ${'delivery' in query ? query.delivery : groupOf(query)} is in the log.`];
        const lines = attempts.length > 0 ? attemptLines(attempts, screenOf(io.stdout), !('delivery' in query)) : none;
        io.stdout.write(`${[...lines, ...(place?.lines ?? [])].join('\n')}\n`);
      });
    });
}

/** The message of an event for an endpoint. */
function ofEvent(of: EndpointName | { readonly delivery: string }, event: string | undefined, { settings }: Fleet) {
  if ('delivery' in of || event === undefined) return of;
  return { delivery: deliveryId(settings.fleetName, event, of) };
}

interface Place {
  /** @default - it is not parked, or many messages are parked before it */
  readonly parked?: ParkedMessage;
  /** For people. */
  readonly lines: readonly string[];
}

/**
 * Where a message is that is not delivered.
 * @param name its endpoint. @default - unknown: it has no attempt
 */
async function placeOf(
  delivery: string,
  name: EndpointName | undefined,
  attempts: readonly Attempt[],
  { client, named, site }: AtFleet,
): Promise<Place> {
  const last = attempts.at(-1);
  if (last?.outcome === 'delivered' || !name) return { lines: [] };
  const { tenant, endpoint } = name;
  const show = `  ${dloCommand(['fleet', 'show', groupOf(name), ...named], site)}`;
  const first = await client.parked({ tenant, endpoint });
  const parked = first.find(it => it.deliveryId === delivery);
  if (parked) {
    const { sentAtMs, giveUpAtMs, reason } = parked;
    const until = `it becomes a dead letter at ${formatInstant(giveUpAtMs)} at the latest`;
    const says = `It is parked, because ${foreignText(reason, VALUE_CHARACTERS)}. Its event is of ${formatInstant(sentAtMs)}, and ${until}.`;
    return { parked, lines: ['', `${says} When its endpoint gets it:`, show] };
  }
  if (last?.outcome === 'dead') {
    const replay = `  ${dloCommand(['fleet', 'replay', delivery, ...named], site)}`;
    return { lines: ['', 'It is a dead letter. Once its endpoint takes it, this sends it again:', replay] };
  }
  if (last) return { lines: ['', 'It waits in the deliveries queue for its next attempt.'] };
  const where =
    first.length < MOST_PARKED ? 'It is not parked' : `It is not one of the first ${MOST_PARKED} that are parked`;
  const why =
    'It waits in a queue, the types or the filter of the endpoint leave the event out, or there was no such event';
  return { lines: [`${where}. ${why}:`, show] };
}

function shown({ data, ...attempt }: Attempt, hasBodies: boolean | undefined, redaction: Redaction): Attempt {
  if (data === undefined) return attempt;
  const { deliveryId: messageId, atMs } = attempt;
  const message = { messageId, body: data, attributes: {}, sentAtMs: atMs, firstReceivedAtMs: atMs, receiveCount: 0 };
  const { body } = redaction.message(message);
  return { ...attempt, ...(hasBodies && { data: body }) };
}
