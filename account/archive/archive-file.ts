import { createHash } from 'node:crypto';
import { messagesText } from '../../policy/format-text';
import { isoInstant } from '../../policy/instants';
import { BadInput } from '../errors';
import type { eachMessage, LookResult } from '../messages/each-message';
import type { HeldMessage } from '../messages/message-hold';
import type { NamedQueue } from '../messages/named-queue';
import type { Files, FileWriter } from '../ports';
import type { Redaction } from '../redaction/redaction';
import {
  ARCHIVE_FORMAT,
  type ArchivedMessage,
  type ArchiveEnd,
  type ArchiveHeader,
  type ArchiveLine,
  archivedMessage,
  lineOf,
  readLine,
} from './archive-format';

/** The first and the last line of a complete export file. */
export interface Archive {
  readonly header: ArchiveHeader;
  readonly end: ArchiveEnd;
}

export function partOf(file: string): string {
  return `${file}.part`;
}

export interface ExportPorts {
  readonly look: (visit: Parameters<typeof eachMessage>[2]) => Promise<LookResult>;
  /** Is called when an incomplete file remains. */
  readonly onIncomplete: () => void;
  readonly nowMs: () => number;
  readonly redaction: Redaction;
}

/**
 * Exports all messages of a queue to a file and leaves them in the queue. The file gets its name when it is complete. Until
 * then, and after an error, its name is that of `partOf`.
 */
export async function writeArchive(
  files: Files,
  file: string,
  queue: NamedQueue,
  { look, onIncomplete, nowMs, redaction }: ExportPorts,
): Promise<{ readonly look: LookResult; readonly end: ArchiveEnd }> {
  const archive = await ArchiveWriter.open(files, file);
  try {
    const header = { ...ARCHIVE_FORMAT, queueArn: queue.arn, exportedAt: isoInstant(nowMs()) };
    await archive.write([{ archive: { ...header, ...(redaction.isOn && { isRedacted: true }) } }]);
    const shown = (message: HeldMessage) => redaction.everywhere(archivedMessage(redaction.message(message)));
    const result = await look(received => archive.write(received.map(message => ({ message: shown(message) }))));
    const { seen, unseen, end } = result;
    if (end === 'interrupted') throw new Error(`interrupted: ${messagesText(seen)} of ${queue.name} were written`);
    return { look: result, end: await archive.finish({ messages: seen, isComplete: isComplete(result), unseen }) };
  } catch (error) {
    await archive.close();
    onIncomplete();
    throw error;
  }
}

/** Messages that were looked at before. */
export interface Archived {
  readonly queueArn: string;
  readonly exportedAtMs: number;
  readonly isRedacted: boolean;
  /** As they are to be shown. */
  readonly messages: readonly HeldMessage[];
  /** Whether these are all that the look saw. */
  readonly isAll: boolean;
  readonly result: LookResult;
}

export function archiveText({ queueArn, exportedAtMs, isRedacted, messages, isAll, result }: Archived): string {
  const archive = {
    ...ARCHIVE_FORMAT,
    queueArn,
    exportedAt: isoInstant(exportedAtMs),
    ...(isRedacted && { isRedacted }),
  };
  const lines = [lineOf({ archive }), ...messages.map(message => lineOf({ message: archivedMessage(message) }))];
  const sha256 = createHash('sha256').update(lines.join('')).digest('hex');
  const facts = { messages: messages.length, isComplete: isAll && isComplete(result), unseen: result.unseen };
  return [...lines, lineOf({ end: { ...facts, sha256 } })].join('');
}

/** The bodies of a redacted export are not those of the messages. */
export function checkWhole(file: string, { header }: Archive): void {
  if (!header.isRedacted) return;
  throw new BadInput([`${file} was exported with --redact, so it does not have the bodies: export again without it`]);
}

/** Whether the look has seen every message of the queue. */
function isComplete({ end, unseen: { visible, inFlight, delayed } }: LookResult): boolean {
  return end === 'empty' && visible + inFlight + delayed === 0;
}

export class ArchiveWriter {
  private readonly hash = createHash('sha256');
  private isClosed = false;

  private constructor(
    private readonly files: Files,
    private readonly file: string,
    private readonly writer: FileWriter,
  ) {}

  static async open(files: Files, file: string): Promise<ArchiveWriter> {
    return new ArchiveWriter(files, file, await files.writer(partOf(file), 'replace'));
  }

  async write(lines: readonly ArchiveLine[]): Promise<void> {
    const text = lines.map(lineOf).join('');
    this.hash.update(text);
    await this.writer.write(text);
  }

  async close(): Promise<void> {
    if (this.isClosed) return;
    this.isClosed = true;
    await this.writer.close();
  }

  /** Writes the last line and gives the file its name. */
  async finish(facts: Omit<ArchiveEnd, 'sha256'>): Promise<ArchiveEnd> {
    const end = { ...facts, sha256: this.hash.digest('hex') };
    await this.writer.write(lineOf({ end }));
    await this.close();
    await this.files.rename(partOf(this.file), this.file);
    return end;
  }
}

/** How many problems of a file are reported. The others are usually of the same kind. */
const MAX_PROBLEMS = 10;

/**
 * Reads an export file line by line, without loading all of it.
 *
 * @param visit receives each message and the number of its line. Whether the file is complete is known only after the last
 * line.
 */
export async function readArchive(
  files: Pick<Files, 'lines'>,
  file: string,
  visit: (message: ArchivedMessage, line: number) => Promise<void> | void = () => {},
): Promise<Archive> {
  const reader = new ArchiveReader(file);
  for await (const line of files.lines(file)) {
    const found = reader.read(line);
    if (found) await visit(found.message, found.line);
    if (reader.problems.length >= MAX_PROBLEMS) break;
  }
  reader.close();
  const { header, end, problems } = reader;
  if (problems.length === 0 && header && end) return { header, end };
  throw new BadInput(problems);
}

class ArchiveReader {
  header: ArchiveHeader | undefined;
  end: ArchiveEnd | undefined;
  readonly problems: string[] = [];
  private messages = 0;
  private readonly hash = createHash('sha256');
  private readonly ids = new Set<string>();
  private line = 0;

  constructor(private readonly file: string) {}

  /** @returns the message of the line, if it holds one */
  read(written: string): { readonly message: ArchivedMessage; readonly line: number } | undefined {
    this.line += 1;
    if (this.end) {
      this.addProblem('comes after the last line of the export');
      return undefined;
    }
    const reading = readLine(written);
    if ('problems' in reading) {
      for (const problem of reading.problems) this.addProblem(problem);
      this.hash.update(written);
      return undefined;
    }
    if ('end' in reading.line) return this.finish(reading.line.end);
    this.hash.update(written);
    if ('archive' in reading.line) return this.begin(reading.line.archive);
    const { message } = reading.line;
    if (!this.header) this.addProblem(`is a message, but ${HEADER_FIRST}`);
    if (this.ids.has(message.messageId)) this.addProblem(`repeats the message ${message.messageId}`);
    this.ids.add(message.messageId);
    this.messages += 1;
    return { message, line: this.line };
  }

  /** Checks that the last line was there. */
  close(): void {
    if (!this.end && this.problems.length === 0) {
      this.problems.push(
        `${this.file}: is incomplete: its last line is missing. Was the export interrupted, or the file cut?`,
      );
    }
  }

  private begin(header: ArchiveHeader): undefined {
    if (this.line > 1) this.addProblem('is a header, which only the first line may be');
    this.header ??= header;
  }

  private finish(end: ArchiveEnd): undefined {
    this.end = end;
    if (!this.header) this.addProblem(`is the end, but ${HEADER_FIRST}`);
    if (this.problems.length > 0) return;
    if (end.messages !== this.messages) {
      this.addProblem(`says that the file has ${messagesText(end.messages)}, but it has ${this.messages}`);
    }
    const sha256 = this.hash.digest('hex');
    if (end.sha256 !== sha256) {
      this.addProblem(
        `has the SHA-256 ${end.sha256}, but that of the lines before it is ${sha256}: the file was changed`,
      );
    }
  }

  private addProblem(problem: string): void {
    this.problems.push(`${this.file}: line ${this.line}: ${problem}`);
  }
}

const HEADER_FIRST = 'the first line must be the header of an export';
