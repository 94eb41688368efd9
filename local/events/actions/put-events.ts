import type { PutEventsRequestEntry, PutEventsResultEntry } from '@aws-sdk/client-eventbridge';
import type { Caller } from '../../kernel/caller';
import { Constraints, validationException } from '../../kernel/constraints';
import { isObject, type JsonObject, jsonOrUndefined } from '../../kernel/json';
import { AWS_SOURCE, BusEvent } from '../bus-event';
import type { EventsAction, EventsState } from '../events-state';

const MAX_ENTRIES = 10;

/** 1 MB since January 2026, before that 256 KB. */
const MAX_BYTES = 1024 * 1024;

export const putEvents: EventsAction<'PutEvents'> = {
  permission: null,
  resourceOf: (state, { Entries: [first] = [] }) => state.busAt(first?.EventBusName),
  run: (state, { caller, input }) => {
    const entries = checkEntries(input.Entries);
    checkAccess(state, caller, entries);
    const results = entries.map(entry => {
      const problem = entryProblem(entry);
      if (problem) return problem;
      const detail = detailOf(entry.Detail);
      return detail ? put(state, entry, detail, caller) : MALFORMED_DETAIL;
    });
    const FailedEntryCount = results.filter(({ EventId }) => EventId === undefined).length;
    const bytes = entries.reduce((sum, entry) => sum + entryBytes(entry), 0);
    state.router.metrics.putEvents(entries.length, FailedEntryCount, bytes);
    return { FailedEntryCount, Entries: results };
  },
};

/** Formats an entry as in the error text of AWS. */
function shown(entry: PutEventsRequestEntry): string {
  const { Time, Source, Resources, DetailType, Detail, EventBusName, TraceHeader } = entry;
  const members = {
    time: Time?.toISOString(),
    source: Source,
    resources: Resources && `[${Resources.join(', ')}]`,
    detailType: DetailType,
    detail: Detail,
    eventBusName: EventBusName,
    traceHeader: TraceHeader,
    kmsKeyIdentifier: undefined,
    internalMetadata: undefined,
  };
  const written = Object.entries(members).map(([name, value]) => `${name}=${value ?? 'null'}`);
  return `PutEventsRequestEntry(${written.join(', ')})`;
}

function checkEntries(entries: readonly PutEventsRequestEntry[] | undefined): readonly PutEventsRequestEntry[] {
  const shownEntries = entries && (entries.length > MAX_ENTRIES ? entries.map(shown) : entries);
  new Constraints().notNull('entries', entries).length('entries', shownEntries, 1, MAX_ENTRIES).check();
  const bytes = (entries ?? []).reduce((sum, entry) => sum + entryBytes(entry), 0);
  if (bytes > MAX_BYTES) throw validationException('Total size of the entries in the request is over the limit.');
  return entries ?? [];
}

/** Checks access to every bus of the entries. If one denies access, no entry is accepted. */
function checkAccess(state: EventsState, caller: Caller, entries: readonly PutEventsRequestEntry[]): void {
  const found = entries.map(({ EventBusName }) => state.receiverOf(EventBusName));
  const receivers = new Map(found.map(({ busArn, receiver }) => [busArn, receiver]));
  for (const [busArn, receiver] of receivers) receiver.checkMayPut(busArn, caller);
}

/** Recorded on AWS: an event for a missing bus is accepted and lost. */
function put(
  state: EventsState,
  entry: PutEventsRequestEntry,
  detail: JsonObject,
  caller: Caller,
): PutEventsResultEntry {
  const { context, nowMs } = state;
  const event = new BusEvent({
    id: context.random.uuid(),
    detailType: entry.DetailType ?? '',
    source: entry.Source ?? '',
    account: context.place.account,
    timeMs: entry.Time?.getTime() ?? nowMs,
    region: context.place.region,
    resources: entry.Resources ?? [],
    detail,
    ingestedAtMs: nowMs,
    traceHeader: entry.TraceHeader ?? caller.traceHeader,
  });
  const { busArn, receiver } = state.receiverOf(entry.EventBusName);
  receiver.put(busArn, event);
  return { EventId: event.id };
}

/** The error of one entry. It does not affect other entries. */
type Refusal = PutEventsResultEntry & { readonly ErrorCode: string };

const TIME_BYTES = 14;

function bytes(text: string | undefined): number {
  return Buffer.byteLength(text ?? '');
}

/** @see https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-putevent-size.html */
function entryBytes({ Time, Source, DetailType, Detail, Resources = [] }: PutEventsRequestEntry): number {
  const resources = Resources.reduce((sum, resource) => sum + bytes(resource), 0);
  return (Time ? TIME_BYTES : 0) + bytes(Source) + bytes(DetailType) + bytes(Detail) + resources;
}

function missing(name: string): Refusal {
  return {
    ErrorCode: 'InvalidArgument',
    ErrorMessage: `Parameter ${name} is not valid. Reason: ${name} is a required argument.`,
  };
}

/** Returns the error of an entry, or undefined. */
function entryProblem({ Source, DetailType, Detail }: PutEventsRequestEntry): Refusal | undefined {
  if (!Source) return missing('Source');
  if (!DetailType) return missing('DetailType');
  if (!Detail) return missing('Detail');
  if (Source.startsWith(AWS_SOURCE)) {
    return { ErrorCode: 'NotAuthorizedForSource', ErrorMessage: 'Not authorized for the source.' };
  }
  return undefined;
}

/** @returns undefined when the detail is not a JSON object, or is nested too deeply */
function detailOf(text = ''): JsonObject | undefined {
  const detail = jsonOrUndefined(text);
  return isObject(detail) ? detail : undefined;
}

const MALFORMED_DETAIL: Refusal = { ErrorCode: 'MalformedDetail', ErrorMessage: 'Detail is malformed.' };
