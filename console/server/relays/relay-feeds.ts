import type { Connection } from '../../../account/connection/connection';
import { BadInput } from '../../../account/errors';
import { attemptLog } from '../../../account/relay/attempt-log';
import { type FoundRelays, findRelays } from '../../../account/relay/find-relays';
import { activityOf, relayFacts } from '../../../account/relay/relay-state';
import { shortNames } from '../../../diagnosis/inventory/short-names';
import { DAY_MS } from '../../../policy/instants';
import type { RelayDetailDocument, RelaysDocument } from '../../api/relays';
import type { ConsoleContext } from '../context';
import { type FeedSources, polled } from '../feed';
import { relayDetail, relayRow, scheduleSeconds } from './relay-document';

/** How often a relay's metrics and log are read: CloudWatch charges for metrics, and has one value a minute. */
const DETAIL_MS = { aws: 60_000, simulation: 1_000 } as const;

/** How often functions and mappings are listed. */
const LIST_MS = { aws: 30_000, simulation: 1_000 } as const;

/** Attempts that are older are not read: the message has most likely been delivered or dead-lettered. */
const LONGEST_WINDOW_MS = DAY_MS;

/** A message waits at most for the longest delay, and somewhat longer if the relay is behind. */
const WINDOW_FACTOR = 1.5;

async function relaysDocument(aws: Connection, { source }: ConsoleContext, nowMs: number): Promise<RelaysDocument> {
  const { relays, warnings } = await findRelays(aws);
  const facts = await relayFacts(aws, relays);
  const short = shortNames(relays.map(({ name }) => name));
  const site = { options: source.options, region: aws.region };
  const rows = facts.map(it => relayRow(it, short.get(it.relay.name) ?? it.relay.name, site, nowMs));
  return { relays: rows, unknowns: [...warnings, ...aws.unread.texts] };
}

async function detailOf(
  aws: Connection,
  { relays }: FoundRelays,
  name: string,
  nowMs: number,
): Promise<RelayDetailDocument> {
  const relay = relays.find(it => it.name === name);
  if (!relay) throw new BadInput([`${aws.region} has no relay ${name}: it may have been deleted`]);
  const windowMs = Math.min(LONGEST_WINDOW_MS, WINDOW_FACTOR * 1_000 * scheduleSeconds(relay));
  const window = { fromMs: nowMs - Math.max(windowMs, 60 * 60_000), toMs: nowMs };
  const [[facts], activity, log] = await Promise.all([
    relayFacts(aws, [relay]),
    activityOf(aws, relay, nowMs),
    attemptLog(aws, relay, window),
  ]);
  return relayDetail({ relay, messages: facts?.messages, activity, log, unknowns: aws.unread.texts });
}

export function relayFeeds(context: ConsoleContext): Pick<FeedSources, 'relays' | 'relay'> {
  const { source, nowMs } = context;
  return {
    relays: polled(
      () => source.use(async aws => relaysDocument(aws, context, await source.nowMs())),
      { nextMs: () => LIST_MS[source.kind] },
      nowMs,
    ),
    relay: polled(
      name => source.use(async aws => detailOf(aws, await findRelays(aws), name, await source.nowMs())),
      { nextMs: () => DETAIL_MS[source.kind] },
      nowMs,
    ),
  };
}
