import type { PutEventsRequestEntry, PutEventsResultEntry } from '@aws-sdk/client-eventbridge';
import type { Caller } from '../../kernel/caller';
import { isMembers, jsonOrUndefined, type Members } from '../../kernel/json';
import { AWS_SOURCE, BusEvent } from '../bus-event';
import { eventsConstraints, validationException } from '../constraints';
import type { EventsAction, EventsInternals } from '../events-actions';

const MAX_ENTRIES = 10;

/** 1 MB since January 2026; it was 256 KB. */
const MAX_BYTES = 1024 * 1024;

/** An entry as AWS's text shows it. */
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

/** @throws AwsError when the request as a whole is wrong */
function checkEntries(entries: readonly PutEventsRequestEntry[] | undefined): readonly PutEventsRequestEntry[] {
  const shownEntries = entries && (entries.length > MAX_ENTRIES ? entries.map(shown) : entries);
  eventsConstraints().notNull('entries', entries).length('entries', shownEntries, 1, MAX_ENTRIES).check();
  const bytes = (entries ?? []).reduce((sum, entry) => sum + entryBytes(entry), 0);
  if (bytes > MAX_BYTES) throw validationException('Total size of the entries in the request is over the limit.');
  return entries ?? [];
}

/** Every bus the entries name has to let the caller in, or none of them is taken. */
function checkAccess(internals: EventsInternals, caller: Caller, entries: readonly PutEventsRequestEntry[]): void {
  const buses = new Map(entries.map(({ EventBusName }) => internals.busAt(EventBusName)).map(bus => [bus.arn, bus]));
  for (const bus of buses.values()) internals.checks.checkAccess(caller, 'events:PutEvents', bus);
}

/** An event for a bus that does not exist is taken, and gone: recorded on AWS. */
function put(
  internals: EventsInternals,
  entry: PutEventsRequestEntry,
  detail: Members,
  caller: Caller,
): PutEventsResultEntry {
  const { context, nowMs, buses, router } = internals;
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
  const bus = buses.find(entry.EventBusName);
  if (bus) router.accept(bus, event);
  return { EventId: event.id };
}

/** @see https://docs.aws.amazon.com/eventbridge/latest/APIReference/API_PutEvents.html */
export const putEvents: EventsAction<'PutEvents'> = {
  permission: undefined,
  resourceOf: (internals, { Entries: [first] = [] }) => internals.busAt(first?.EventBusName),
  run: (internals, { caller, input }) => {
    const entries = checkEntries(input.Entries);
    checkAccess(internals, caller, entries);
    const results = entries.map(entry => {
      const problem = entryProblem(entry);
      if (problem) return problem;
      const detail = detailOf(entry.Detail);
      return detail ? put(internals, entry, detail, caller) : MALFORMED_DETAIL;
    });
    const FailedEntryCount = results.filter(({ EventId }) => EventId === undefined).length;
    const bytes = entries.reduce((sum, entry) => sum + entryBytes(entry), 0);
    internals.router.metrics.putEvents(entries.length, FailedEntryCount, bytes);
    return { FailedEntryCount, Entries: results };
  },
};

/** A problem of one entry, which the others do not share. */
type Refusal = PutEventsResultEntry & { readonly ErrorCode: string };

const TIME_BYTES = 14;

function bytes(text: string | undefined): number {
  return Buffer.byteLength(text ?? '');
}

/** @see https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-putevent-size.html */
export function entryBytes({ Time, Source, DetailType, Detail, Resources = [] }: PutEventsRequestEntry): number {
  const resources = Resources.reduce((sum, resource) => sum + bytes(resource), 0);
  return (Time ? TIME_BYTES : 0) + bytes(Source) + bytes(DetailType) + bytes(Detail) + resources;
}

function missing(name: string): Refusal {
  return {
    ErrorCode: 'InvalidArgument',
    ErrorMessage: `Parameter ${name} is not valid. Reason: ${name} is a required argument.`,
  };
}

/** What is wrong with an entry, or undefined when nothing is. */
export function entryProblem({ Source, DetailType, Detail }: PutEventsRequestEntry): Refusal | undefined {
  if (!Source) return missing('Source');
  if (!DetailType) return missing('DetailType');
  if (!Detail) return missing('Detail');
  if (Source.startsWith(AWS_SOURCE)) {
    return { ErrorCode: 'NotAuthorizedForSource', ErrorMessage: 'Not authorized for the source.' };
  }
  return undefined;
}

/** @returns undefined when the detail is no JSON object, or nested too deeply */
export function detailOf(text = ''): Members | undefined {
  const detail = jsonOrUndefined(text);
  return isMembers(detail) ? detail : undefined;
}

export const MALFORMED_DETAIL: Refusal = { ErrorCode: 'MalformedDetail', ErrorMessage: 'Detail is malformed.' };
