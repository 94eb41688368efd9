import { randomUUID } from 'node:crypto';
import type { FileWriter, Io } from '../../bin/io';
import {
  isNonEmptyText,
  type JsonObject,
  listOf,
  memberProblems,
  nonEmptyText,
  parseObject,
  wholeNumber,
} from '../../policy/json-members';
import { formatProblem } from '../../policy/problem';
import { BadInput } from '../errors';

/** What a journal is of: the very same export, sent to the very same queue. */
export interface JournalSubject {
  /** Of the export. */
  readonly sha256: string;
  /** Where its letters are sent. */
  readonly queueArn: string;
}

/** One import, however often it is gone on with: what it sends again, SQS knows again. */
export type ImportRun = string;

/** Which letters of an export have been sent, by the numbers of their lines. */
export interface JournalReading {
  readonly sent: ReadonlySet<number>;
  /** Those that were about to be sent when an import was cut off: SQS may have them. */
  readonly unsure: ReadonlySet<number>;
  /** When the first of those was about to be sent. @default - there are none */
  readonly unsureSinceMs?: number;
  /** @default - there was no import before */
  readonly run?: ImportRun;
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

const line = wholeNumber(1, Number.MAX_SAFE_INTEGER);
const when = wholeNumber(0, Number.MAX_SAFE_INTEGER);

function headerProblems(members: JsonObject | undefined, subject: JournalSubject): string[] {
  const { format, sha256, queueArn } = members ?? {};
  if (format !== FORMAT) return ['is no journal of an import'];
  const wrong = memberProblems(
    {
      format: { check: nonEmptyText },
      sha256: { check: nonEmptyText },
      queueArn: { check: nonEmptyText },
      run: { check: nonEmptyText },
    },
    members ?? {},
    '',
  );
  if (wrong.length > 0) return wrong.map(formatProblem);
  return [
    ...(sha256 === subject.sha256 ? [] : [`is of another export, with the SHA-256 ${sha256}`]),
    ...(queueArn === subject.queueArn ? [] : [`is of an import into ${queueArn}`]),
  ];
}

function isWhen(value: unknown): value is number {
  return when(value, '').length === 0;
}

class Journaled {
  readonly sent = new Set<number>();
  /** Since when. */
  readonly unsure = new Map<number, number>();

  /** @returns whether it is a line of a journal */
  read({ sending, atMs, sent, failed, cut }: JsonObject): boolean {
    // The first time counts: it is then that SQS took it, if it did.
    if (this.isLines(sending) && isWhen(atMs))
      for (const at of sending) this.unsure.set(at, this.unsure.get(at) ?? atMs);
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
      Array.isArray(value) &&
      value.every(entry => Array.isArray(entry) && this.isLines([entry[0]]) && isNonEmptyText(entry[1]))
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
  const { sent, unsure } = journaled;
  if (!(await io.exists(name))) return { sent, unsure: new Set(), lines: 0, isCut: false };
  let run: unknown;
  let lines = 0;
  /** A line nobody can read: what is cut, and then said to be. Nothing was done after it. */
  let cut: number | undefined;
  let isCut = false;
  for await (const written of io.lines(name)) {
    lines += 1;
    isCut = !written.endsWith('\n');
    const members = parseObject(written);
    const problems = lines === 1 ? headerProblems(members, subject) : [];
    if (problems.length > 0) throw new BadInput(problems.map(problem => `${name}: ${problem}; move it away first`));
    run ??= members?.['run'];
    if (cut !== undefined && members?.['cut'] !== cut) throw new BadInput([`${name}: line ${cut}: is not known`]);
    const isKnown = lines === 1 || cut !== undefined || journaled.read(members ?? {});
    cut = isKnown ? undefined : lines;
  }
  if (cut !== undefined && !isCut) throw new BadInput([`${name}: line ${cut}: is not known`]);
  return {
    sent,
    unsure: new Set(unsure.keys()),
    ...(unsure.size > 0 && { unsureSinceMs: Math.min(...unsure.values()) }),
    ...(isNonEmptyText(run) && { run }),
    lines,
    isCut,
  };
}

/** Writes down what is about to be done before it is, and what came of it after: whoever goes on later sends nothing twice. */
export class Journal {
  private constructor(
    private readonly writer: FileWriter,
    readonly run: ImportRun,
    private readonly nowMs: () => number,
  ) {}

  static async open(
    io: Io,
    file: string,
    subject: JournalSubject,
    { isCut, lines, run = randomUUID() }: JournalReading,
    nowMs: () => number,
  ): Promise<Journal> {
    const name = journalOf(file);
    const journal = new Journal(await io.writer(name, lines === 0 ? 'begin' : 'append'), run, nowMs);
    if (lines === 0) await journal.note({ format: FORMAT, ...subject, run });
    else if (isCut) await journal.writer.write(`\n${JSON.stringify({ cut: lines })}\n`);
    return journal;
  }

  sending(lines: readonly number[]): Promise<void> {
    return this.note({ sending: lines, atMs: this.nowMs() });
  }

  sent(messages: readonly Sent[]): Promise<void> {
    return messages.length > 0 ? this.note({ sent: messages }) : Promise.resolve();
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
