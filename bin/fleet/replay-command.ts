import { type Command, Option } from 'commander';
import { BadInput } from '../../account/errors';
import type { Replayed, ReplayQuery } from '../../fleet';
import { isOfMessageOrEndpoint, selectionOf } from '../../fleet/client-input';
import { groupOf } from '../../policy/fleet/endpoint';
import { messagesText } from '../../policy/format-text';
import { isoInstant } from '../../policy/instants';
import { type JsonObject, parseObject } from '../../policy/json-members';
import { countOf } from '../shared/command-line';
import type { Outcome } from '../shared/planned-change';
import { atFleet, ENDPOINT_HELP, endpointOrMessage, type FleetContext, sinceOf } from './at-fleet';
import { changeCommandNamed, type FleetChangeOptions, planOrDo } from './change-commands';

interface ReplayOptions extends FleetChangeOptions {
  readonly all?: boolean;
  readonly since?: (nowMs: number) => number;
  readonly dataFilter?: string;
  readonly from: NonNullable<ReplayQuery['from']>;
  readonly number: number;
}

const HELP = `Delivers messages again with all of their attempts and with the same webhook-id: dead letters of the fleet, which then
leave the dead-letter queue, or with --from log messages of logged attempts, also delivered ones, if the fleet logs
bodies. The dead-letter queue cannot be searched: its messages are received, and those that stay are given back.
MESSAGE is the id of a message for one endpoint: msg_…
${ENDPOINT_HELP} --tenant alone means all endpoints of a tenant.
--data-filter is a filter policy of SNS, which the data must match.

  dlo fleet replay acme/orders --execute
  dlo fleet replay --all --since 24h
  dlo fleet replay acme/orders --since 2026-03-01T08:00:00Z --data-filter '{"total": [{"numeric": [">", 100]}]}'
  dlo fleet replay msg_Zo2fPlWU9HkbLZqYbGVBhfhEXT3 --from log --execute
`;

const PERMISSIONS = `lambda:ListFunctions; with --execute also sqs:SendMessage, and sqs:ReceiveMessage,
sqs:DeleteMessage and sqs:ChangeMessageVisibility, or with --from log dynamodb:Query; for an endpoint also
dynamodb:GetItem.`;

/** More are replayed by repeating the command. */
const NUMBER = 10_000;

/** `dlo fleet replay`. */
export function replayCommand(context: FleetContext): Command {
  return changeCommandNamed(
    'replay',
    'deliver messages again: of an endpoint, a tenant or all, or one',
    HELP,
    PERMISSIONS,
  )
    .argument('[ENDPOINT|MESSAGE]', 'TENANT/NAME, or NAME with --tenant; or the id of a message')
    .option('--all', 'messages of all endpoints')
    .option('--since <time>', 'only messages of events sent since then (default: all dead letters)', sinceOf)
    .option('--data-filter <json>', 'only messages whose data match this filter policy')
    .addOption(
      new Option('--from <place>', 'where the messages are').choices(['dead-letters', 'log']).default('dead-letters'),
    )
    .addOption(
      new Option('-n, --number <count>', 'how many dead letters or logged attempts are looked at')
        .argParser(countOf)
        .default(NUMBER, '10,000'),
    )
    .action(async (text: string | undefined, options: ReplayOptions) => {
      const query = queryOf(text, options, context.nowMs());
      await atFleet(options, context, async at => {
        const isOne = 'delivery' in query;
        const { words: which, what } = subjectOf(query);
        const since = isOne || query.sinceMs === 0 ? [] : ['--since', isoInstant(query.sinceMs)];
        const filter = options.dataFilter === undefined ? [] : ['--data-filter', options.dataFilter];
        const from = options.from === 'log' ? ['--from', 'log'] : [];
        const number = options.number === NUMBER ? [] : ['--number', String(options.number)];
        const place = options.from === 'log' ? 'the log of attempts' : 'the dead-letter queue';
        // So that the plan is refused too, not only the replay.
        selectionOf(query);
        if (options.from === 'log' && !at.fleet.settings.logsBodies)
          throw new BadInput([`--from log needs logBodies of the RelayFleet: ${at.fleet.name} does not log bodies`]);
        const isOfEndpoint = isOfMessageOrEndpoint(query) && !('delivery' in query);
        const health = isOfEndpoint ? (await at.client.get(query)).health : 'healthy';
        await planOrDo(
          {
            words: ['replay', ...which, ...since, ...filter, ...from, ...number],
            resource: what,
            title: isOne ? `Replay ${what}` : `Replay messages of ${what}`,
            facts: [
              ['From', place],
              ['Sent since', ...since.slice(1)],
              ['Filter', ...(options.dataFilter === undefined ? [] : [options.dataFilter])],
            ],
            notes: [
              'Endpoints must know a message by its webhook-id: they may get it again.',
              ...(health === 'open' ? [`${what} is down: its messages are parked until a probe succeeds.`] : []),
              ...(health === 'disabled' ? [`${what} is disabled: its messages are parked until it is enabled.`] : []),
            ],
            details: {
              ...(isOne
                ? { delivery: query.delivery }
                : { tenant: query.tenant ?? null, endpoint: query.endpoint ?? null }),
              from: options.from,
              ...(!isOne && { since: since[1] ?? null, filter: query.dataFilter ?? null }),
            },
            work: async () => outcomeOf(await at.client.replay(query), options.from),
          },
          at,
          options,
          context,
        );
      });
    });
}

/** A replay that failed leaves what it received hidden. */
const NONE_SEEN =
  'The dead-letter queue is empty, or another reader hides its messages: a replay does so for five minutes at most.';

function outcomeOf({ deliveries, lookedAt, isComplete }: Replayed, from: ReplayOptions['from']): Outcome {
  const looked = { lookedAt, isComplete };
  return {
    document: { deliveries, ...looked },
    lines: [
      `${messagesText(deliveries.length)} sent to the deliveries queue again; ${messagesText(lookedAt)} looked at.`,
      ...(lookedAt === 0 && from === 'dead-letters' ? [NONE_SEEN] : []),
      ...(isComplete ? [] : ['There are more: run the command again, or raise --number.']),
    ],
    recorded: { replayed: deliveries.length, ...looked },
  };
}

/** Whose messages are replayed, as words of the command and for people. */
function subjectOf(query: ReplayQuery): { readonly words: readonly string[]; readonly what: string } {
  if ('delivery' in query) return { words: [query.delivery], what: query.delivery };
  const { tenant, endpoint } = query;
  if (tenant === undefined) return { words: ['--all'], what: 'all endpoints' };
  if (endpoint === undefined) return { words: ['--tenant', tenant], what: tenant };
  const group = groupOf({ tenant, endpoint });
  return { words: [group], what: group };
}

/** @throws BadInput */
function namedBy(text: string | undefined, { all, ...options }: Pick<ReplayOptions, 'all' | 'tenant'>) {
  const { tenant } = options;
  if ((text !== undefined || tenant !== undefined) === (all === true))
    throw new BadInput([`name an ENDPOINT, a MESSAGE or a --tenant, or give --all${all ? ', and not both' : ''}`]);
  if (text !== undefined) return endpointOrMessage(text, options);
  return tenant === undefined ? {} : { tenant };
}

/** @throws BadInput */
function queryOf(
  text: string | undefined,
  { since, dataFilter, from, number, ...options }: ReplayOptions,
  nowMs: number,
): ReplayQuery {
  const of = namedBy(text, options);
  const common = { from, mostLookedAt: number };
  if ('delivery' in of) {
    if (since || dataFilter !== undefined)
      throw new BadInput(['--since and --data-filter are for endpoints, not for a message']);
    return { ...of, ...common };
  }
  if (from === 'log' && (!since || !('endpoint' in of)))
    throw new BadInput(['--from log takes a MESSAGE, or an ENDPOINT with --since']);
  return {
    ...of,
    ...common,
    sinceMs: since?.(nowMs) ?? 0,
    ...(dataFilter !== undefined && { dataFilter: filterOf(dataFilter) }),
  };
}

function filterOf(text: string): JsonObject {
  const value = parseObject(text);
  if (!value) throw new BadInput([`--data-filter must be a filter policy of SNS as a JSON object, got ${text}`]);
  return value;
}
