import type { Command } from 'commander';
import { healthText, shownUrl } from '../../account/fleet/fleet-words';
import { dloCommand } from '../../account/printed-commands';
import { type EndpointDescription, type FleetClient, FleetError } from '../../fleet';
import { type EndpointName, groupOf } from '../../policy/fleet/endpoint';
import { formatDuration } from '../../policy/format-text';
import { formatInstant, isoInstant } from '../../policy/instants';
import { DAY_SECONDS } from '../../policy/time-units';
import {
  addChangeOptions,
  type ChangeOptions,
  type Outcome,
  type PlannedChange,
  planOrCarryOut,
} from '../shared/planned-change';
import {
  type AtFleet,
  atFleet,
  ENDPOINT_HELP,
  endpointNamed,
  type FleetContext,
  type FleetOptions,
  fleetCommandNamed,
} from './at-fleet';

export interface FleetChangeOptions extends FleetOptions, ChangeOptions {
  /** Of `rotate`. */
  readonly now?: boolean;
}

/** A change of a fleet, planned. */
export interface PlannedFleetChange extends Omit<PlannedChange, 'words' | 'change' | 'document'> {
  /** After `dlo fleet`: also the command that carries it out. */
  readonly words: readonly [command: string, ...string[]];
  /** The resource of the audit record, below the fleet: `acme/orders`. */
  readonly resource: string;
  /** For `--json` and for the audit record. It contains no secret. */
  readonly details: Readonly<Record<string, unknown>>;
}

/** Prints the plan, or with `--execute` carries it out. */
export async function planOrDo(
  { words, resource, title, details, ...plan }: PlannedFleetChange,
  at: AtFleet,
  options: ChangeOptions,
  context: FleetContext,
): Promise<void> {
  const { fleet, named } = at;
  const [command] = words;
  const change = {
    command: `fleet ${command}`,
    resource: `${fleet.name}/${resource}`,
    details: { tableName: fleet.settings.tableName, ...details },
  };
  const document = { fleet: fleet.name, command, ...details };
  const written = { words: ['fleet', ...words, ...named], title: `${title} of the fleet ${fleet.name}.` };
  await planOrCarryOut({ ...plan, ...written, change, document }, at, options, context);
}

/** A command that changes a fleet. */
export function changeCommandNamed(name: string, describes: string, help: string, permissions: string): Command {
  const whole = `${help}\nWithout --execute, it only prints the plan.`;
  return addChangeOptions(fleetCommandNamed(name, describes), whole, permissions);
}

/** The lines of a secret, which is printed once. */
export function secretLines(secret: string): readonly string[] {
  return [
    `  ${secret}`,
    'This is its signing secret. It cannot be read again: give it to the owner of the endpoint now.',
  ];
}

interface EndpointChange {
  readonly does: string;
  readonly help: string;
  /** With `--execute`. */
  readonly writes: string;
  /** An option of its own. @default - none */
  readonly option?: readonly [flag: string, does: string];
  readonly notes: (endpoint: EndpointDescription, options: FleetChangeOptions) => readonly string[];
  readonly nothing?: (endpoint: EndpointDescription) => string | undefined;
  /** @default - an endpoint that is disabled is changed like any other */
  readonly isRefusedIfDisabled?: true;
  readonly work: (
    client: FleetClient,
    endpoint: EndpointDescription,
    at: AtFleet,
    options: FleetChangeOptions,
  ) => Promise<Outcome>;
}

const NO_RESULT: Outcome = { document: {} };

/** How long the old secret signs too. */
const OVERLAP_SECONDS = DAY_SECONDS;

const CHANGES: Readonly<Record<'disable' | 'enable' | 'rotate' | 'test' | 'remove', EndpointChange>> = {
  disable: {
    does: 'send no more requests to an endpoint until it is enabled',
    help: 'No message is lost: they wait for as long as the fleet keeps them.',
    writes: 'dynamodb:PutItem',
    notes: () => ['Its messages are parked, for as long as the fleet keeps them. Requests under way end.'],
    nothing: ({ health }) => (health === 'disabled' ? 'it is disabled already' : undefined),
    work: async (client, endpoint) => {
      await client.disable(endpoint);
      return NO_RESULT;
    },
  },
  enable: {
    does: 'send the messages of an endpoint that is disabled or down',
    help: 'Parked messages come back, the oldest first, at its ceiling.',
    writes: 'dynamodb:PutItem',
    notes: () => ['Its parked messages come back, the oldest first. If it still fails, the fleet stops again.'],
    nothing: ({ health }) => (health === 'disabled' || health === 'open' ? undefined : `it is ${health}`),
    work: async (client, endpoint) => {
      await client.enable(endpoint);
      return NO_RESULT;
    },
  },
  rotate: {
    does: 'sign with a new secret, and for a day with the old one too',
    help: 'The new secret is printed once.',
    writes: 'dynamodb:PutItem and kms:Decrypt',
    option: ['--now', 'sign with the new secret alone: the old ones are known to others'],
    notes: ({ previousSecretUntilMs }, { now }) => {
      if (now) return ['Receivers that have only an old secret refuse requests from now on.'];
      const until = previousSecretUntilMs === undefined ? undefined : formatInstant(previousSecretUntilMs);
      return [
        `Requests are signed with both secrets for ${formatDuration(OVERLAP_SECONDS)}.`,
        ...(until === undefined ? [] : [`The secret before the current one signs too, until ${until} at the latest.`]),
      ];
    },
    work: async (client, endpoint, _, { now }) => {
      const overlapSeconds = now ? 0 : OVERLAP_SECONDS;
      const { secret, previousUntilMs } = await client.rotateSecret(endpoint, { overlapSeconds });
      const recorded = { previousUntil: isoInstant(previousUntilMs) };
      return { document: { secret, ...recorded }, lines: secretLines(secret), recorded };
    },
  },
  test: {
    does: 'send a test event to an endpoint',
    help: 'It gets an event of the type test, whatever its types and its filter, with {"test": true}.',
    writes: 'sqs:SendMessage',
    isRefusedIfDisabled: true,
    notes: ({ health }) => [
      ...(health === 'open' ? ['The endpoint is down: the event is parked until a probe succeeds.'] : []),
      'It gets an event of the type test with {"test": true}, signed as any other.',
    ],
    work: async (client, endpoint, { site, named }) => {
      const { delivery } = await client.sendTest(endpoint);
      const lines = [`Sent. This shows its attempts: ${dloCommand(['fleet', 'attempts', delivery, ...named], site)}`];
      return { document: { delivery }, lines, recorded: { delivery } };
    },
  },
  remove: {
    does: 'remove an endpoint; its messages become dead letters',
    help: 'It cannot be undone. Messages that wait for it go to the dead-letter queue with the reason.',
    writes: 'dynamodb:UpdateItem and dynamodb:DeleteItem',
    notes: () => [
      'It cannot be undone: its secret is gone. Messages that wait for it go to the dead-letter queue within minutes.',
    ],
    work: async (client, endpoint) => {
      await client.remove(endpoint, { version: endpoint.version });
      return NO_RESULT;
    },
  },
};

/** `dlo fleet disable`, `enable`, `rotate`, `test` and `remove`. */
export function endpointCommands(context: FleetContext): readonly Command[] {
  return Object.entries(CHANGES).map(([name, change]) => {
    const help = `${change.help}
${ENDPOINT_HELP}

  dlo fleet ${name} acme/orders
  dlo fleet ${name} acme/orders --execute
`;
    const permissions = `lambda:ListFunctions and dynamodb:GetItem; with --execute also ${change.writes}.`;
    const command = changeCommandNamed(name, change.does, help, permissions);
    return (change.option ? command.option(...change.option) : command)
      .argument('ENDPOINT', 'TENANT/NAME, or NAME with --tenant')
      .action(async (text: string, options: FleetChangeOptions) => {
        const endpoint = endpointNamed(text, options);
        await atFleet(options, context, async at => changeEndpoint(name, change, endpoint, at, options, context));
      });
  });
}

async function changeEndpoint(
  command: string,
  change: EndpointChange,
  name: EndpointName,
  at: AtFleet,
  options: FleetChangeOptions,
  context: FleetContext,
): Promise<void> {
  const endpoint = await at.client.get(name);
  const { health, version } = endpoint;
  const group = groupOf(name);
  if (change.isRefusedIfDisabled && health === 'disabled') {
    const enable = dloCommand(['fleet', 'enable', group, ...at.named], at.site);
    throw new FleetError('conflict', `${group} is disabled: ${enable} enables it`);
  }
  const nothing = change.nothing?.(endpoint);
  const plan: PlannedFleetChange = {
    words: [command, group, ...(options.now ? ['--now'] : [])],
    resource: group,
    title: `${command.slice(0, 1).toUpperCase()}${command.slice(1)} ${group}`,
    facts: [
      ['URL', shownUrl(endpoint)],
      ['State now', healthText(endpoint)],
    ],
    notes: change.notes(endpoint, options),
    details: { ...name, health, version },
    ...(nothing !== undefined && { nothing: `${group}: ${nothing}` }),
    work: () => change.work(at.client, endpoint, at, options),
  };
  await planOrDo(plan, at, options, context);
}
