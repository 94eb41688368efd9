import { readArchive } from '../../../account/archive/archive-file';
import { Journal, journalOf } from '../../../account/archive/import-journal';
import { MessageSender } from '../../../account/archive/import-messages';
import { type ImportPlan, importPlan } from '../../../account/archive/import-plan';
import { type Connection, connected } from '../../../account/connection/connection';
import { UnrepeatedSqs } from '../../../account/connection/one-attempt';
import { queueNamed } from '../../../account/messages/named-queue';
import { counted, formatNumber, messagesText } from '../../../policy/format-text';
import { warn, writeJson } from '../../print';
import { progressOn } from '../../progress';
import type { DlqContext } from '../command';
import { interruptOf } from '../looking';
import type { ImportOptions } from './command';
import { type ImportOutcome, importDocument, importText } from './import-text';

/** Sends what is planned, and says how far it came where that fails. */
async function carryOut(
  aws: Connection,
  plan: ImportPlan,
  file: string,
  messagesPerSecond: number,
  { io, nowMs, wait }: DlqContext,
): Promise<ImportOutcome> {
  const { queue, subject, journal: before, lines } = plan;
  const interrupt = interruptOf(io);
  const progress = progressOn(io.stderr, { what: 'letters sent', total: lines.length }, nowMs);
  const journal = await Journal.open(io, file, subject, before, nowMs);
  const isOver = () => interrupt.isAsked;
  const sqs = aws.client(UnrepeatedSqs);
  const sender = new MessageSender({
    sqs,
    queue,
    journal,
    nowMs,
    wait,
    isOver,
    messagesPerSecond,
    again: before.unsure,
  });
  const wanted = new Set(lines);
  try {
    await readArchive(io, file, async (message, line) => {
      if (wanted.has(line)) await sender.add(message, line);
      progress.at(sender.sent);
    });
    await sender.flush();
  } catch (error) {
    progress.clear();
    warn(io, [`${counted(sender.sent, 'letter was', 'letters were')} sent before; ${journalOf(file)} says which`]);
    throw error;
  } finally {
    progress.clear();
    await journal.close();
  }
  const { sent, resent, notTaken, behind } = sender;
  return { sent, resent, notTaken, behind, isInterrupted: interrupt.isAsked };
}

/** @throws Error where letters are left that were to be sent, and says which */
function checkAllSent({ queue, unsure, behind }: ImportPlan, outcome: ImportOutcome | undefined): void {
  const { notTaken = [], isInterrupted = false } = outcome ?? {};
  if (notTaken.length > 0) throw new Error(`${queue.name} did not take ${messagesText(notTaken.length)}`);
  if (isInterrupted) throw new Error('interrupted');
  if (unsure.length === 0) return;
  const waiting = behind.length > 0 ? `, nor ${formatNumber(behind.length)} behind them in their groups` : '';
  throw new Error(
    `not sent, as SQS may have them: ${messagesText(unsure.length)}${waiting}; --resend-unsure sends them`,
  );
}

/**
 * `dlo dlq import`.
 * @throws BadInput when there is no such queue, or the file is no whole export, or not for it
 * @throws Error when letters were not taken, SQS may have some, or it is interrupted
 */
export async function importMessages(
  file: string,
  name: string,
  options: ImportOptions,
  world: DlqContext,
): Promise<void> {
  const { io, nowMs } = world;
  const { execute = false, resendUnsure = false, rate, json } = options;
  await connected(options, async aws => {
    const queue = await queueNamed(aws, name);
    const plan = await importPlan(io, file, queue, resendUnsure);
    const isSending = execute && plan.lines.length > 0;
    const outcome = isSending ? await carryOut(aws, plan, file, rate, world) : undefined;
    const reported = { plan, file, rate, nowMs: nowMs(), ...(outcome && { outcome }) };
    if (json) writeJson(io, importDocument(reported));
    else io.stdout.write(importText(reported));
    if (execute) checkAllSent(plan, outcome);
  });
}
