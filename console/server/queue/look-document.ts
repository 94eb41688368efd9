import { type Archived, archiveText } from '../../../account/archive/archive-file';
import { areApplicable } from '../../../account/changes/apply-fix';
import { fixDocument } from '../../../account/documents/json-documents';
import { filterOf } from '../../../account/manual-redrive/filter';
import type { LookEnd } from '../../../account/messages/each-message';
import { expiryOf } from '../../../account/messages/named-queue';
import { reportText } from '../../../account/messages/report-words';
import { dloCommand, type Site } from '../../../account/printed-commands';
import type { Cause } from '../../../diagnosis/causes/cause';
import type { Fix } from '../../../diagnosis/fixes/fix';
import { isoInstant } from '../../../policy/instants';
import type { DecodedKind } from '../../../policy/messages/decode-message';
import { HOUR_MS, MINUTE_MS, SECOND_MS } from '../../../policy/time-units';
import type {
  CauseRow,
  ExportDocument,
  FixRow,
  LookDocument,
  MessageChoice,
  MessageDetail,
  MessagePage,
  MessageRow,
  MessageSearch,
  Timeline,
} from '../../api/queue';
import type { QueueLook, SeenMessage } from './queue-look';

const CUT_SHORT: Readonly<Partial<Record<LookEnd, string>>> = {
  'too-many-in-flight': 'SQS returns no more messages while so many are in flight.',
  interrupted: 'The look ended early, because the messages are so long.',
};

function fixRow(fix: Fix | undefined, site: Site): FixRow | null {
  if (!fix) return null;
  const { says, commands, calls } = fixDocument(fix, site);
  return { says, commands, isApplicable: areApplicable(calls) };
}

function causeRow(cause: Cause, id: string, seen: number, site: Site): CauseRow {
  const { says, isInferred, messages, firstAtMs, lastAtMs, example, oneOf, details, fix, replays } = cause;
  const { messageId, answer, log } = example;
  return {
    id,
    says,
    isInferred,
    messages,
    share: seen === 0 ? 0 : messages / seen,
    firstAtMs,
    lastAtMs,
    example: { messageId, answer, logGroup: log?.group ?? null, logLines: log?.lines ?? [] },
    oneOf: oneOf.map(({ code, times }) => ({ code, times })),
    details,
    fix: fixRow(fix, site),
    replays: replays.map(words => dloCommand(words, site)),
  };
}

type Explained = Pick<QueueLook, 'messages' | 'explanation'>;

function causesById({ explanation }: Explained): ReadonlyMap<string, string> {
  return new Map(explanation.causes.flatMap(({ messageIds }, at) => messageIds.map(id => [id, String(at)] as const)));
}

const MOST_INTERVALS = 60;
/** Lengths that a reader can name. The last one is enough for 14 days. */
const INTERVALS_MS = [
  ...[1, 5, 15].map(it => it * SECOND_MS),
  ...[1, 5, 15].map(it => it * MINUTE_MS),
  ...[1, 3, 6].map(it => it * HOUR_MS),
] as const;

/** Counts messages by cause and by when they were first sent. */
export function timelineOf(look: Explained): Timeline {
  const times = look.messages.map(({ held }) => held.sentAtMs);
  const [firstMs = 0, lastMs = firstMs] = [times[0], times.at(-1)];
  const intervalMs = INTERVALS_MS.find(it => (lastMs - firstMs) / it < MOST_INTERVALS - 1) ?? 6 * HOUR_MS;
  const fromMs = Math.floor(firstMs / intervalMs) * intervalMs;
  const intervals = Math.floor((lastMs - fromMs) / intervalMs) + 1;
  const causeOf = causesById(look);
  const series = new Map<string | null, number[]>();
  for (const { held } of look.messages) {
    const cause = causeOf.get(held.messageId) ?? null;
    const counts = series.get(cause) ?? new Array<number>(intervals).fill(0);
    series.set(cause, counts);
    const at = Math.floor((held.sentAtMs - fromMs) / intervalMs);
    counts[at] = (counts[at] ?? 0) + 1;
  }
  return { fromMs, intervalMs, series: [...series].map(([cause, counts]) => ({ cause, counts })) };
}

/** What a look saw, without the messages. */
export function lookDocument(look: QueueLook, site: Site): LookDocument {
  const { id, queue, atMs, messages, explanation, result, requests, warnings, unread } = look;
  const { visible, inFlight, delayed } = result.unseen;
  return {
    look: id,
    queue: queue.name,
    arn: queue.arn,
    atMs,
    seen: messages.length,
    cutShort: CUT_SHORT[result.end] ?? null,
    unseen: visible + inFlight + delayed,
    requests,
    causes: explanation.causes.map((cause, at) => causeRow(cause, String(at), messages.length, site)),
    unexplained: explanation.unexplained.map(({ says, messages: count }) => ({ says, messages: count })),
    notes: explanation.notes.map(({ says, fix }) => ({ says, fix: fixRow(fix, site) })),
    timeline: timelineOf(look),
    warnings,
    unread,
  };
}

const BEGINNING = 200;

const WRITERS: Readonly<Record<DecodedKind['kind'], string>> = {
  notification: 'SNS',
  'function-event': 'Lambda',
  'invocation-record': 'Lambda',
  'undelivered-event': 'EventBridge',
  relayed: 'relay',
  quarantined: 'redrive',
  plain: '',
};

function messageRow({ held, decoded: { who, payload } }: SeenMessage, cause: string | null): MessageRow {
  const { messageId: id, sentAtMs, receiveCount } = held;
  return { id, sentAtMs, receiveCount, writer: WRITERS[who.kind], cause, beginning: payload.slice(0, BEGINNING) };
}

/** Messages without a known cause. */
const NONE = 'none';

/** @throws BadInput when the filter is not a JMESPath expression */
function chosenOf(look: QueueLook, { filter, cause }: MessageChoice): readonly SeenMessage[] {
  const causeOf = causesById(look);
  const matches = filter.trim() === '' ? undefined : filterOf(filter);
  return look.messages.filter(({ held }) => {
    const own = causeOf.get(held.messageId) ?? NONE;
    return (cause === '' || own === cause) && (!matches || matches(held).kind === 'matches');
  });
}

/**
 * Searches in what a look saw.
 * @throws BadInput when the filter is not a JMESPath expression
 */
export function messagePage(look: QueueLook, search: MessageSearch): MessagePage {
  const { from, count } = search;
  const causeOf = causesById(look);
  const found = chosenOf(look, search);
  return {
    total: found.length,
    messages: found.slice(from, from + count).map(it => messageRow(it, causeOf.get(it.held.messageId) ?? null)),
  };
}

/**
 * What a search finds, in the format of `dlo dlq export`.
 * @throws BadInput when the filter is not a JMESPath expression
 */
export function exportDocument(look: QueueLook, choice: MessageChoice): ExportDocument {
  const { queue, atMs, isRedacted, result, messages } = look;
  const chosen = chosenOf(look, choice).map(({ held }) => held);
  const isAll = chosen.length === messages.length;
  const archived: Archived = { queueArn: queue.arn, exportedAtMs: atMs, isRedacted, messages: chosen, isAll, result };
  const instant = isoInstant(atMs).replace(/[:.]/g, '-');
  return { fileName: `${queue.name}-${instant}.jsonl`, text: archiveText(archived) };
}

function formatted(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), undefined, 2);
  } catch {
    // It is not JSON, and shown as it is.
    return text;
  }
}

/** One message in full; undefined if the look did not see it. */
export function messageDetail(look: QueueLook, id: string): MessageDetail | undefined {
  const seen = look.messages.find(({ held }) => held.messageId === id);
  if (!seen) return undefined;
  const { held, decoded } = seen;
  const { who, before, payload, data } = decoded;
  const { atMs, mayBeLater } = expiryOf(held, look.queue);
  return {
    ...messageRow(seen, causesById(look).get(id) ?? null),
    expiresAtMs: atMs,
    mayExpireLater: mayBeLater,
    groupId: held.groupId ?? null,
    movedFromArn: held.movedFromArn ?? null,
    reports: [who, ...before].filter(it => it.kind !== 'plain').map(reportText),
    payload: data === undefined ? payload : formatted(payload),
    body: formatted(held.body),
    attributes: Object.entries(held.attributes).map(([name, { DataType = '', StringValue, BinaryValue }]) => ({
      name,
      type: DataType,
      value: StringValue ?? Buffer.from(BinaryValue ?? []).toString('base64'),
    })),
  };
}
