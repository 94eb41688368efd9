import type { Site } from '../../../account/connection/printed-commands';
import type { Cause, CauseExample, Explanation, Note, Unexplained } from '../../../diagnosis/causes/cause';
import { isoInstant } from '../../../local';
import { fixDocument } from '../../fix-document';
import { depthsDocument, queueDocument } from '../documents';
import type { Gathered } from './gather';
import { runbookLink } from './runbook-link';

function exampleDocument({ messageId, answer, attempts, dwellTimeMs, log }: CauseExample) {
  return {
    messageId,
    answer,
    attempts: attempts ?? null,
    dwellTimeMs: dwellTimeMs ?? null,
    log: log ?? null,
  };
}

function causeDocument(cause: Cause, site: Site) {
  const { key, says, isInferred, messages, deliveries, firstAtMs, lastAtMs, example, oneOf, details, fix } = cause;
  return {
    ...key,
    says,
    isInferred,
    messages,
    deliveries,
    firstAt: isoInstant(firstAtMs),
    lastAt: isoInstant(lastAtMs),
    example: exampleDocument(example),
    oneOf: oneOf.map(({ code, times, lastAtMs: atMs }) => ({ code, times, lastAt: isoInstant(atMs) })),
    details,
    fix: fix ? fixDocument(fix, site) : null,
    runbook: runbookLink(cause),
  };
}

function unexplainedDocument({ says, messages, firstAtMs, lastAtMs, example }: Unexplained) {
  return { says, messages, firstAt: isoInstant(firstAtMs), lastAt: isoInstant(lastAtMs), example };
}

function noteDocument({ says, fix }: Note, site: Site) {
  return { says, fix: fix ? fixDocument(fix, site) : null };
}

/** What `dlo dlq why --json` prints. */
export function whyDocument(gathered: Gathered, { causes, unexplained, notes }: Explanation, site: Site) {
  const { queue, window, depths, look, gaps } = gathered;
  return {
    ...queueDocument(queue),
    since: isoInstant(window.fromMs),
    depths: depthsDocument(depths),
    lookedAt: look.seen,
    end: look.end,
    unseen: look.unseen,
    causes: causes.map(it => causeDocument(it, site)),
    unexplained: unexplained.map(unexplainedDocument),
    notes: notes.map(it => noteDocument(it, site)),
    unread: gaps,
  };
}
