import { type Command, Option } from 'commander';
import { BadInput } from '../../account/errors';
import type { Replayed, ReplayQuery } from '../../fleet';
import { selectionOf } from '../../fleet/client-input';
import { groupOf } from '../../policy/fleet/endpoint';
import { messagesText } from '../../policy/format-text';
import { isoInstant } from '../../policy/instants';
import { type JsonObject, parseObject } from '../../policy/json-members';
import { countOf } from '../shared/command-line';
import { atFleet, endpointOrMessage, type FleetContext, sinceOf } from './at-fleet';
import { type ChangeOptions, changeCommandNamed, type Outcome, planOrDo } from './change-commands';
import { ENDPOINT_HELP } from './look-commands';

interface ReplayOptions extends ChangeOptions {
  readonly since?: (nowMs: number) => number;
  readonly dataFilter?: string;
  readonly from: NonNullable<ReplayQuery['from']>;
  readonly number: number;
}

const HELP = `Delivers messages again with all of their attempts and with the same webhook-id: dead letters of the fleet, which then
leave the dead-letter queue, or with --from log messages of logged attempts, also delivered ones, if the fleet logs
bodies. The dead-letter queue cannot be searched: its messages are received, and those that stay are given back.
MESSAGE is the id of a message for one endpoint: msg_…
${ENDPOINT_HELP}
--data-filter is a filter policy of SNS, which the data must match.

  dlo fleet replay acme/orders --since 24h --execute
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
  return changeCommandNamed('replay', 'deliver messages of an endpoint, or one message, again', HELP, PERMISSIONS)
    .argument('ENDPOINT|MESSAGE', 'TENANT/NAME, or NAME with --tenant; or the id of a message')
    .option('--since <time>', 'for an endpoint: only messages of events sent since then', sinceOf)
    .option('--data-filter <json>', 'for an endpoint: only messages whose data match this filter policy')
    .addOption(
      new Option('--from <place>', 'where the messages are').choices(['dead-letters', 'log']).default('dead-letters'),
    )
    .addOption(
      new Option('-n, --number <count>', 'how many dead letters or logged attempts are looked at')
        .argParser(countOf)
        .default(NUMBER, '10,000'),
    )
    .action(async (text: string, options: ReplayOptions) => {
      const query = queryOf(text, options, context.nowMs());
      await atFleet(options, context, async at => {
        const isOne = 'delivery' in query;
        const what = isOne ? query.delivery : groupOf(query);
        const since = isOne ? [] : ['--since', isoInstant(query.sinceMs)];
        const filter = options.dataFilter === undefined ? [] : ['--data-filter', options.dataFilter];
        const from = options.from === 'log' ? ['--from', 'log'] : [];
        const number = options.number === NUMBER ? [] : ['--number', String(options.number)];
        const place = options.from === 'log' ? 'the log of attempts' : 'the dead-letter queue';
        // So that the plan is refused too, not only the replay.
        selectionOf(query);
        if (!isOne) await at.client.get(query);
        await planOrDo(
          {
            words: ['replay', what, ...since, ...filter, ...from, ...number],
            resource: what,
            title: isOne ? `Replay ${what}` : `Replay messages of ${what}`,
            facts: [
              ['From', place],
              ['Sent since', ...(isOne ? [] : [isoInstant(query.sinceMs)])],
              ['Filter', ...(options.dataFilter === undefined ? [] : [options.dataFilter])],
            ],
            notes: ['Endpoints must know a message by its webhook-id: they may get it again.'],
            details: {
              ...(isOne ? { delivery: query.delivery } : { tenant: query.tenant, endpoint: query.endpoint }),
              from: options.from,
              ...(!isOne && { since: isoInstant(query.sinceMs), filter: query.dataFilter ?? null }),
            },
            work: async () => outcomeOf(await at.client.replay(query)),
          },
          at,
          options,
          context,
        );
      });
    });
}

function outcomeOf({ deliveries, lookedAt, isComplete }: Replayed): Outcome {
  const looked = { lookedAt, isComplete };
  return {
    document: { deliveries, ...looked },
    lines: [
      `${messagesText(deliveries.length)} sent to the deliveries queue again; ${lookedAt} looked at.`,
      ...(isComplete ? [] : ['There are more: run the command again, or raise --number.']),
    ],
    recorded: { replayed: deliveries.length, ...looked },
  };
}

/** @throws BadInput */
function queryOf(
  text: string,
  { since, dataFilter, from, number, ...options }: ReplayOptions,
  nowMs: number,
): ReplayQuery {
  const of = endpointOrMessage(text, options);
  const common = { from, mostLookedAt: number };
  if ('delivery' in of) {
    if (since || dataFilter !== undefined)
      throw new BadInput(['--since and --data-filter are for an endpoint, not for a message']);
    return { ...of, ...common };
  }
  if (!since) throw new BadInput([`--since must say which messages of ${groupOf(of)}, such as --since 24h`]);
  return {
    ...of,
    ...common,
    sinceMs: since(nowMs),
    ...(dataFilter !== undefined && { dataFilter: filterOf(dataFilter) }),
  };
}

function filterOf(text: string): JsonObject {
  const value = parseObject(text);
  if (!value) throw new BadInput([`--data-filter must be a filter policy of SNS as a JSON object, got ${text}`]);
  return value;
}
