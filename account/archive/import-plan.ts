import type { Io } from '../../bin/io';
import { andMore, messagesText } from '../../policy/format-text';
import { messageBytes } from '../../policy/messages/queue-attributes';
import { BadInput } from '../errors';
import type { NamedQueue } from '../messages/named-queue';
import { type Archive, readArchive } from './archive-file';
import { type ArchivedMessage, attributesIn } from './archive-format';
import { type JournalReading, type JournalSubject, readJournal } from './import-journal';

/** What an import would do. */
export interface ImportPlan {
  readonly archive: Archive;
  readonly queue: NamedQueue;
  readonly journal: JournalReading;
  readonly subject: JournalSubject;
  /** Which letters are sent, by the numbers of their lines, in their order. */
  readonly lines: readonly number[];
  /** Those of which nobody knows whether SQS has them, and that are not sent for that reason. */
  readonly unsure: readonly number[];
  /** Of FIFO queues, those behind one of these in their group. */
  readonly behind: readonly number[];
}

/** A letter of the export. */
interface Listed {
  readonly line: number;
  /** @default - it is no FIFO queue's */
  readonly group?: string;
}

/** Lines that are named; of more, how many there are. */
const MOST_NAMED = 10;

function linesText(lines: readonly number[]): string {
  return `${lines.length === 1 ? 'line' : 'lines'} ${andMore(lines, MOST_NAMED)}`;
}

/** What of the letters the queue would not take, whichever they are. */
class Unfit {
  private readonly groupless: number[] = [];
  private readonly tooLarge: number[] = [];
  private readonly mostBytes: number;

  constructor(private readonly queue: NamedQueue) {
    this.mostBytes = Number(queue.attributes['MaximumMessageSize']);
  }

  look(message: ArchivedMessage, line: number): void {
    if (this.queue.isFifo && message.system['MessageGroupId'] === undefined) this.groupless.push(line);
    if (messageBytes(message.body, attributesIn(message)) > this.mostBytes) this.tooLarge.push(line);
  }

  problems(file: string): string[] {
    const { groupless, tooLarge, mostBytes, queue } = this;
    const messages = (lines: readonly number[]) => `${messagesText(lines.length)} (${linesText(lines)})`;
    return [
      ...(groupless.length > 0
        ? [`${file}: ${messages(groupless)} without a message group, which a FIFO queue such as ${queue.name} needs`]
        : []),
      ...(tooLarge.length > 0
        ? [`${file}: ${messages(tooLarge)} of more than the ${mostBytes} bytes ${queue.name} takes`]
        : []),
    ];
  }
}

/** Which are sent now: of a FIFO queue, none that is behind one of its group that is held back. */
function chosen(all: readonly Listed[], { sent, unsure }: JournalReading, resendsUnsure: boolean) {
  const [lines, heldBack, behind]: [number[], number[], number[]] = [[], [], []];
  const shut = new Set<string>();
  for (const { line, group } of all) {
    if (sent.has(line)) continue;
    if (!resendsUnsure && unsure.has(line)) {
      heldBack.push(line);
      if (group !== undefined) shut.add(group);
    } else if (group !== undefined && shut.has(group)) behind.push(line);
    else lines.push(line);
  }
  return { lines, unsure: heldBack, behind };
}

/**
 * Reads the whole export before anything is sent.
 *
 * @param resendsUnsure whether those are sent of which nobody knows whether SQS has them
 * @throws BadInput when it is not whole, the queue would not take its letters, or the journal is of something else
 */
export async function importPlan(io: Io, file: string, queue: NamedQueue, resendsUnsure: boolean): Promise<ImportPlan> {
  const unfit = new Unfit(queue);
  const all: Listed[] = [];
  const archive = await readArchive(io, file, (message, line) => {
    unfit.look(message, line);
    const group = queue.isFifo ? message.system['MessageGroupId'] : undefined;
    all.push({ line, ...(group !== undefined && { group }) });
  });
  const problems = unfit.problems(file);
  if (problems.length > 0) throw new BadInput(problems);
  const subject = { sha256: archive.end.sha256, queueArn: queue.arn };
  const journal = await readJournal(io, file, subject);
  return { archive, queue, journal, subject, ...chosen(all, journal, resendsUnsure) };
}
