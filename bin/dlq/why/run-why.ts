import { connected } from '../../../account/connection/connection';
import { type Gathered, gather } from '../../../account/evidence/gather-evidence';
import { queueNamed } from '../../../account/messages/named-queue';
import { checkReceives } from '../../../account/messages/receive-guard';
import type { Site } from '../../../account/printed-commands';
import type { Cause, CauseExample, Explanation, Note, Unexplained } from '../../../diagnosis/causes/cause';
import { explain } from '../../../diagnosis/causes/explain';
import { isoInstant } from '../../../local';
import { depthsDocument, fixDocument, queueDocument } from '../../documents';
import { warn, writeJson } from '../../print';
import { folded, proseWidth } from '../../text';
import type { DlqContext } from '../command';
import type { WhyOptions } from './command';
import { runbookLink, whyText } from './why-text';

/**
 * `dlo dlq why`.
 * @throws BadInput when there is no such queue, or a look at it costs its letters much
 */
export async function why(name: string, options: WhyOptions, world: DlqContext): Promise<void> {
  const { io } = world;
  await connected(options, async aws => {
    const queue = await queueNamed(aws, name);
    warn(io, checkReceives(queue, options.force));
    const gathered = await gather(aws, queue, options, world);
    warn(io, gathered.gaps);
    const explanation = explain(gathered.evidence);
    const site = { options, region: aws.region };
    if (options.json) writeJson(io, whyDocument(gathered, explanation, site));
    else {
      const page = { site, width: proseWidth(io.stdout) };
      io.stdout.write(folded(whyText(gathered, explanation, page), io.stdout));
    }
  });
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
