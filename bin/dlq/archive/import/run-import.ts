import { counted, lettersText } from '../../../../lib/policy/wording';
import { type Connection, connected } from '../../../aws/connection';
import type { Io } from '../../../io';
import { warn, writeJson } from '../../../print';
import { progressOn } from '../../../progress';
import type { DlqWorld } from '../../command';
import { interruptOf } from '../../letters/interrupt';
import { queueNamed } from '../../the-queue';
import { readArchive } from '../read-archive';
import type { ImportOptions } from './command';
import { type ImportPlan, importPlan } from './import-plan';
import { type ImportOutcome, importDocument, importText } from './import-text';
import { Journal, journalOf } from './journal';
import { LetterSender } from './send-letters';
import { UnrepeatedSqs } from './unrepeated-sqs';

/** Sends what is planned, and says how far it came where that fails. */
async function carryOut(
  aws: Connection,
  plan: ImportPlan,
  file: string,
  lettersPerSecond: number,
  { io, nowMs, wait }: DlqWorld,
): Promise<ImportOutcome> {
  const { queue, subject, journal: before, lines } = plan;
  const interrupt = interruptOf(io);
  const progress = progressOn(io.stderr, { what: 'letters sent', total: lines.length }, nowMs);
  const journal = await Journal.open(io, file, subject, before);
  const isOver = () => interrupt.isAsked;
  const sqs = aws.client(UnrepeatedSqs);
  const sender = new LetterSender({ sqs, queue, journal, nowMs, wait, isOver, lettersPerSecond });
  const wanted = new Set(lines);
  try {
    await readArchive(io, file, async (letter, line) => {
      if (wanted.has(line)) await sender.add(letter, line);
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
  const { sent, notTaken, behind } = sender;
  return { sent, notTaken, behind, isInterrupted: interrupt.isAsked };
}

function print(io: Io, plan: ImportPlan, file: string, options: ImportOptions, outcome?: ImportOutcome): void {
  if (options.json) writeJson(io, importDocument(plan, file, outcome));
  else io.stdout.write(importText(plan, file, options.rate, outcome));
}

/**
 * `dlo dlq import`.
 * @throws BadInput when there is no such queue, or the file is no whole export, or not for it
 * @throws Error when letters were not taken, or it is interrupted
 */
export async function importLetters(
  file: string,
  name: string,
  options: ImportOptions,
  world: DlqWorld,
): Promise<void> {
  const { io } = world;
  const { execute = false, resendUnsure = false, rate } = options;
  await connected(options, async aws => {
    const queue = await queueNamed(aws, name);
    const plan = await importPlan(io, file, queue, resendUnsure);
    if (!execute || plan.lines.length === 0) return print(io, plan, file, options);
    const outcome = await carryOut(aws, plan, file, rate, world);
    print(io, plan, file, options, outcome);
    const { notTaken, isInterrupted } = outcome;
    if (notTaken.length > 0) throw new Error(`${queue.name} did not take ${lettersText(notTaken.length)}`);
    if (isInterrupted) throw new Error('interrupted');
  });
}
