import { isText, listOf, type Members, membersOf, objectOf, text, whole } from '../../../../lib/policy/members';
import { formatProblem } from '../../../../lib/policy/problem';
import { BadInput } from '../../../errors';
import type { FileWriter, Io } from '../../../io';

/** What a journal is of: the very same export, sent to the very same queue. */
export interface JournalSubject {
  /** Of the export. */
  readonly sha256: string;
  /** Where its letters are sent. */
  readonly queueArn: string;
}

/** Which letters of an export have been sent, by the numbers of their lines. */
export interface JournalReading {
  readonly sent: ReadonlySet<number>;
  /** Those that were about to be sent when an import was cut off: SQS may have them. */
  readonly unsure: ReadonlySet<number>;
  readonly lines: number;
  /** Whether the last line is cut. */
  readonly isCut: boolean;
}

/** A letter that SQS took: the number of its line, and its new id. */
export type Sent = readonly [line: number, messageId: string];

const FORMAT = 'dead-letter-office/imported';

/** Where the journal of an export's import is. */
export function journalOf(file: string): string {
  return `${file}.imported`;
}

const line = whole(1, Number.MAX_SAFE_INTEGER);

function headerProblems(members: Members | undefined, subject: JournalSubject): string[] {
  const { format, sha256, queueArn } = members ?? {};
  if (format !== FORMAT) return ['is no journal of an import'];
  const wrong = membersOf(
    { format: { check: text }, sha256: { check: text }, queueArn: { check: text } },
    members ?? {},
    '',
  );
  if (wrong.length > 0) return wrong.map(formatProblem);
  return [
    ...(sha256 === subject.sha256 ? [] : [`is of another export, with the SHA-256 ${sha256}`]),
    ...(queueArn === subject.queueArn ? [] : [`is of an import into ${queueArn}`]),
  ];
}

class Journaled {
  readonly sent = new Set<number>();
  readonly unsure = new Set<number>();

  /** @returns whether it is a line of a journal */
  read({ sending, sent, failed, cut }: Members): boolean {
    if (this.isLines(sending)) for (const at of sending) this.unsure.add(at);
    else if (this.isLines(failed)) for (const at of failed) this.unsure.delete(at);
    else if (this.isSent(sent)) for (const [at] of sent) this.settle(at);
    else return cut !== undefined;
    return true;
  }

  private settle(at: number): void {
    this.unsure.delete(at);
    this.sent.add(at);
  }

  private isLines(value: unknown): value is readonly number[] {
    return listOf(line)(value, '').length === 0;
  }

  private isSent(value: unknown): value is readonly Sent[] {
    return (
      Array.isArray(value) && value.every(entry => Array.isArray(entry) && this.isLines([entry[0]]) && isText(entry[1]))
    );
  }
}

/**
 * What an import before this one has done.
 * @throws BadInput where the journal is of something else, or not readable
 */
export async function readJournal(io: Io, file: string, subject: JournalSubject): Promise<JournalReading> {
  const name = journalOf(file);
  const journaled = new Journaled();
  const reading = { sent: journaled.sent, unsure: journaled.unsure };
  if (!(await io.exists(name))) return { ...reading, lines: 0, isCut: false };
  let lines = 0;
  /** A line nobody can read: what is cut, and then said to be. Nothing was done after it. */
  let cut: number | undefined;
  let isCut = false;
  for await (const written of io.lines(name)) {
    lines += 1;
    isCut = !written.endsWith('\n');
    const members = objectOf(written);
    const problems = lines === 1 ? headerProblems(members, subject) : [];
    if (problems.length > 0) throw new BadInput(problems.map(problem => `${name}: ${problem}; move it away first`));
    if (cut !== undefined && members?.['cut'] !== cut) throw new BadInput([`${name}: line ${cut}: is not known`]);
    const isKnown = lines === 1 || cut !== undefined || journaled.read(members ?? {});
    cut = isKnown ? undefined : lines;
  }
  if (cut !== undefined && !isCut) throw new BadInput([`${name}: line ${cut}: is not known`]);
  return { ...reading, lines, isCut };
}

/** Writes down what is about to be done before it is, and what came of it after: whoever goes on later sends nothing twice. */
export class Journal {
  private constructor(private readonly writer: FileWriter) {}

  static async open(io: Io, file: string, subject: JournalSubject, { isCut, lines }: JournalReading): Promise<Journal> {
    const name = journalOf(file);
    const journal = new Journal(await io.writer(name, 'append'));
    if (lines === 0) await journal.note({ format: FORMAT, ...subject });
    else if (isCut) await journal.writer.write(`\n${JSON.stringify({ cut: lines })}\n`);
    return journal;
  }

  sending(lines: readonly number[]): Promise<void> {
    return this.note({ sending: lines });
  }

  sent(letters: readonly Sent[]): Promise<void> {
    return letters.length > 0 ? this.note({ sent: letters }) : Promise.resolve();
  }

  failed(lines: readonly number[]): Promise<void> {
    return lines.length > 0 ? this.note({ failed: lines }) : Promise.resolve();
  }

  close(): Promise<void> {
    return this.writer.close();
  }

  private note(entry: object): Promise<void> {
    return this.writer.write(`${JSON.stringify(entry)}\n`);
  }
}
