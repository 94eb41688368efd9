import { andMore, messagesText } from '../../policy/format-text';
import { messageBytes } from '../../policy/messages/queue-attributes';
import { BadInput } from '../errors';
import type { NamedQueue } from '../messages/named-queue';
import type { Files } from '../ports';
import { type Archive, checkWhole, readArchive } from './archive-file';
import { type ArchivedMessage, attributesIn } from './archive-format';
import { type JournalReading, type JournalSubject, readJournal } from './import-journal';

export interface ImportPlan {
  readonly archive: Archive;
  readonly queue: NamedQueue;
  readonly journal: JournalReading;
  readonly subject: JournalSubject;
  /** The line numbers of the messages to send, in order. */
  readonly lines: readonly number[];
  /** Lines that are not sent because SQS may have them already. */
  readonly unsure: readonly number[];
  /** In FIFO queues: lines that are not sent because they are behind one of `unsure` in their group. */
  readonly behind: readonly number[];
}

/** A message of the export. */
interface Listed {
  readonly line: number;
  /** @default - the queue is not a FIFO queue */
  readonly group?: string;
}

const MAX_NAMED = 10;

export function linesText(lines: readonly number[]): string {
  return `${lines.length === 1 ? 'line' : 'lines'} ${andMore(lines, MAX_NAMED)}`;
}

/** Finds messages that the queue would refuse. */
class FitCheck {
  private readonly groupless: number[] = [];
  private readonly tooLarge: number[] = [];
  private readonly maxBytes: number;

  constructor(private readonly queue: NamedQueue) {
    this.maxBytes = Number(queue.attributes['MaximumMessageSize']);
  }

  check(message: ArchivedMessage, line: number): void {
    if (this.queue.isFifo && message.system['MessageGroupId'] === undefined) this.groupless.push(line);
    if (messageBytes(message.body, attributesIn(message)) > this.maxBytes) this.tooLarge.push(line);
  }

  problems(file: string): string[] {
    const { groupless, tooLarge, maxBytes, queue } = this;
    const messages = (lines: readonly number[]) => `${messagesText(lines.length)} (${linesText(lines)})`;
    return [
      ...(groupless.length > 0
        ? [`${file}: ${messages(groupless)} without a message group, which the FIFO queue ${queue.name} requires`]
        : []),
      ...(tooLarge.length > 0
        ? [`${file}: ${messages(tooLarge)} larger than the ${maxBytes} bytes that ${queue.name} accepts`]
        : []),
    ];
  }
}

/** Selects the messages to send. In a FIFO queue, a message behind one that is held back in its group waits, too. */
function selected(all: readonly Listed[], { sent, unsure }: JournalReading, resendsUnsure: boolean) {
  const [lines, heldBack, behind]: [number[], number[], number[]] = [[], [], []];
  const blockedGroups = new Set<string>();
  for (const { line, group } of all) {
    if (sent.has(line)) continue;
    if (!resendsUnsure && unsure.has(line)) {
      heldBack.push(line);
      if (group !== undefined) blockedGroups.add(group);
    } else if (group !== undefined && blockedGroups.has(group)) behind.push(line);
    else lines.push(line);
  }
  return { lines, unsure: heldBack, behind };
}

/**
 * Plans an import. It reads the whole export before anything is sent.
 *
 * @param resendsUnsure whether to send messages that SQS may have already
 */
export async function importPlan(
  files: Files,
  file: string,
  queue: NamedQueue,
  resendsUnsure: boolean,
): Promise<ImportPlan> {
  const fit = new FitCheck(queue);
  const all: Listed[] = [];
  const archive = await readArchive(files, file, (message, line) => {
    fit.check(message, line);
    const group = queue.isFifo ? message.system['MessageGroupId'] : undefined;
    all.push({ line, ...(group !== undefined && { group }) });
  });
  checkWhole(file, archive);
  const problems = fit.problems(file);
  if (problems.length > 0) throw new BadInput(problems);
  const subject = { sha256: archive.end.sha256, queueArn: queue.arn };
  const journal = await readJournal(files, file, subject);
  return { archive, queue, journal, subject, ...selected(all, journal, resendsUnsure) };
}
