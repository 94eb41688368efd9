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
import type { Files, FileWriter } from '../ports';

/** What a journal belongs to: one export, sent to one queue. */
export interface JournalSubject {
  /** The hash of the export. */
  readonly sha256: string;
  /** Where the messages are sent. */
  readonly queueArn: string;
}

/** The id of an import. It stays the same when the import is continued, so that SQS recognizes repeated messages. */
export type ImportRun = string;

/** Which messages of an export have been sent, by line number. */
export interface JournalReading {
  readonly sent: ReadonlySet<number>;
  /** Messages that were being sent when an import was cut off: SQS may have them. */
  readonly unsure: ReadonlySet<number>;
  /** When the first of `unsure` was sent. @default - there are none */
  readonly unsureSinceMs?: number;
  /** @default - there was no earlier import */
  readonly run?: ImportRun;
  readonly lines: number;
  /** Whether the last line is incomplete. */
  readonly isCut: boolean;
}

/** A message that SQS accepted: its line number, and its new message id. */
export type Sent = readonly [line: number, messageId: string];

const FORMAT = 'dead-letter-office/imported';

export function journalOf(file: string): string {
  return `${file}.imported`;
}

const line = wholeNumber(1, Number.MAX_SAFE_INTEGER);
const when = wholeNumber(0, Number.MAX_SAFE_INTEGER);

function headerProblems(members: JsonObject | undefined, subject: JournalSubject): string[] {
  const { format, sha256, queueArn } = members ?? {};
  if (format !== FORMAT) return ['is not the journal of an import'];
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
    ...(sha256 === subject.sha256 ? [] : [`belongs to another export, with the SHA-256 ${sha256}`]),
    ...(queueArn === subject.queueArn ? [] : [`belongs to an import into ${queueArn}`]),
  ];
}

function isInstant(value: unknown): value is number {
  return when(value, '').length === 0;
}

class JournalState {
  readonly sent = new Set<number>();
  /** When each line was first sent, by its number. */
  readonly unsure = new Map<number, number>();

  /** @returns whether the line is a valid line of a journal */
  read({ sending, atMs, sent, failed, cut }: JsonObject): boolean {
    // The time of the first attempt is kept: if SQS has the message, it may have had it since then.
    if (this.isLines(sending) && isInstant(atMs))
      for (const at of sending) this.unsure.set(at, this.unsure.get(at) ?? atMs);
    else if (this.isLines(failed)) for (const at of failed) this.unsure.delete(at);
    else if (this.isSent(sent)) for (const [at] of sent) this.markSent(at);
    else return cut !== undefined;
    return true;
  }

  private markSent(at: number): void {
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
 * Reads what earlier imports have done.
 * @throws BadInput when the journal belongs to another import, or has an invalid line
 */
export async function readJournal(files: Files, file: string, subject: JournalSubject): Promise<JournalReading> {
  const name = journalOf(file);
  const state = new JournalState();
  const { sent, unsure } = state;
  if (!(await files.exists(name))) return { sent, unsure: new Set(), lines: 0, isCut: false };
  let run: unknown;
  let lines = 0;
  /** The number of an invalid line. It is allowed when it is the last, or when the next line marks it as cut. */
  let cut: number | undefined;
  let isCut = false;
  for await (const written of files.lines(name)) {
    lines += 1;
    isCut = !written.endsWith('\n');
    const members = parseObject(written);
    const problems = lines === 1 ? headerProblems(members, subject) : [];
    if (problems.length > 0)
      throw new BadInput(problems.map(problem => `${name}: ${problem}. Move the file away first`));
    run ??= members?.['run'];
    if (cut !== undefined && members?.['cut'] !== cut)
      throw new BadInput([`${name}: line ${cut}: is not a line of a journal`]);
    const isKnown = lines === 1 || cut !== undefined || state.read(members ?? {});
    cut = isKnown ? undefined : lines;
  }
  if (cut !== undefined && !isCut) throw new BadInput([`${name}: line ${cut}: is not a line of a journal`]);
  return {
    sent,
    unsure: new Set(unsure.keys()),
    ...(unsure.size > 0 && { unsureSinceMs: Math.min(...unsure.values()) }),
    ...(isNonEmptyText(run) && { run }),
    lines,
    isCut,
  };
}

export interface JournalPorts {
  readonly nowMs: () => number;
  readonly newRunId: () => ImportRun;
}

/** Records each batch before it is sent and its result after, so that a later import sends nothing twice. */
export class Journal {
  private constructor(
    private readonly writer: FileWriter,
    readonly run: ImportRun,
    private readonly nowMs: () => number,
  ) {}

  static async open(
    files: Files,
    file: string,
    subject: JournalSubject,
    { isCut, lines, run: earlierRun }: JournalReading,
    { nowMs, newRunId }: JournalPorts,
  ): Promise<Journal> {
    const name = journalOf(file);
    const run = earlierRun ?? newRunId();
    const journal = new Journal(await files.writer(name, lines === 0 ? 'create' : 'append'), run, nowMs);
    if (lines === 0) await journal.append({ format: FORMAT, ...subject, run });
    else if (isCut) await journal.writer.write(`\n${JSON.stringify({ cut: lines })}\n`);
    return journal;
  }

  sending(lines: readonly number[]): Promise<void> {
    return this.append({ sending: lines, atMs: this.nowMs() });
  }

  sent(messages: readonly Sent[]): Promise<void> {
    return messages.length > 0 ? this.append({ sent: messages }) : Promise.resolve();
  }

  failed(lines: readonly number[]): Promise<void> {
    return lines.length > 0 ? this.append({ failed: lines }) : Promise.resolve();
  }

  close(): Promise<void> {
    return this.writer.close();
  }

  private append(entry: object): Promise<void> {
    return this.writer.write(`${JSON.stringify(entry)}\n`);
  }
}
