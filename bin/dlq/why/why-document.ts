import type { Cause, CauseExample, Explanation, Note, Unexplained } from '../../../lib/policy/causes/cause';
import type { Fix } from '../../../lib/policy/fixes/fix';
import { isoInstant } from '../../../local';
import type { Gathered } from './gather';
import { runbookLink } from './runbook-link';

/** A fix as `--json` prints it: without calls where only a person can say how. */
function fixDocument(fix: Fix | undefined) {
  return fix ? { says: fix.says, statement: fix.statement ?? null, calls: fix.calls ?? [] } : null;
}

function exampleDocument({ messageId, answer, attempts, dwellTimeMs, log }: CauseExample) {
  return {
    messageId,
    answer,
    attempts: attempts ?? null,
    dwellTimeMs: dwellTimeMs ?? null,
    log: log ?? null,
  };
}

function causeDocument(cause: Cause) {
  const { key, says, isInferred, letters, deliveries, firstAtMs, lastAtMs, example, oneOf, details, fix } = cause;
  return {
    ...key,
    says,
    isInferred,
    letters,
    deliveries,
    firstAt: isoInstant(firstAtMs),
    lastAt: isoInstant(lastAtMs),
    example: exampleDocument(example),
    oneOf: oneOf.map(({ code, times, lastAtMs: atMs }) => ({ code, times, lastAt: isoInstant(atMs) })),
    details,
    fix: fixDocument(fix),
    runbook: runbookLink(cause),
  };
}

function unexplainedDocument({ says, letters, firstAtMs, lastAtMs, example }: Unexplained) {
  return { says, letters, firstAt: isoInstant(firstAtMs), lastAt: isoInstant(lastAtMs), example };
}

function noteDocument({ says, fix }: Note) {
  return { says, fix: fixDocument(fix) };
}

/** What `dlo dlq why --json` prints. */
export function whyDocument(region: string, gathered: Gathered, { causes, unexplained, notes }: Explanation) {
  const { queue, window, depths, look, gaps } = gathered;
  return {
    region,
    queueName: queue.name,
    queueArn: queue.arn,
    since: isoInstant(window.fromMs),
    depths,
    lookedAt: look.told,
    end: look.end,
    unseen: look.unseen,
    causes: causes.map(causeDocument),
    unexplained: unexplained.map(unexplainedDocument),
    notes: notes.map(noteDocument),
    gaps,
  };
}
