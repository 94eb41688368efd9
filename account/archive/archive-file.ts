import { createHash } from 'node:crypto';
import type { FileWriter, Io } from '../../bin/io';
import { BadInput } from '../errors';
import {
  type ArchivedMessage,
  type ArchiveEnd,
  type ArchiveHeader,
  type ArchiveLine,
  lineOf,
  readLine,
} from './archive-format';

/** An export that is whole. */
export interface Archive {
  readonly header: ArchiveHeader;
  readonly end: ArchiveEnd;
}

/** Problems that are told; the rest are like them, as a rule. */
const MOST_PROBLEMS = 10;

/** What is read of an archive so far. */
class Reading {
  header: ArchiveHeader | undefined;
  end: ArchiveEnd | undefined;
  messages = 0;
  readonly problems: string[] = [];
  private readonly hash = createHash('sha256');
  private readonly ids = new Set<string>();
  private line = 0;

  constructor(private readonly file: string) {}

  /** The letter of the line, where there is one. */
  read(written: string): { readonly message: ArchivedMessage; readonly line: number } | undefined {
    this.line += 1;
    if (this.end) {
      this.miss('is behind the end');
      return undefined;
    }
    const reading = readLine(written);
    if ('problems' in reading) {
      for (const problem of reading.problems) this.miss(problem);
      this.hash.update(written);
      return undefined;
    }
    if ('end' in reading.line) return this.finish(reading.line.end);
    this.hash.update(written);
    if ('archive' in reading.line) return this.begin(reading.line.archive);
    const { message } = reading.line;
    if (!this.header) this.miss('is a letter, and the first line must say what the file is');
    if (this.ids.has(message.messageId)) this.miss(`is the letter ${message.messageId}, which is there before`);
    this.ids.add(message.messageId);
    this.messages += 1;
    return { message, line: this.line };
  }

  /** What is wrong beside its lines. */
  close(): void {
    if (!this.end && this.problems.length === 0) {
      const why = 'as of an export that was interrupted, or of which a part is missing';
      this.problems.push(`${this.file}: has no end, ${why}: it is not whole`);
    }
  }

  private begin(header: ArchiveHeader): undefined {
    if (this.line > 1) this.miss('says what the file is, which only the first does');
    this.header ??= header;
  }

  private finish(end: ArchiveEnd): undefined {
    this.end = end;
    if (!this.header) this.miss('is the end, and the first line must say what the file is');
    if (this.problems.length > 0) return;
    if (end.messages !== this.messages) this.miss(`counts ${end.messages} letters, and there are ${this.messages}`);
    const sha256 = this.hash.digest('hex');
    if (end.sha256 !== sha256) {
      this.miss(`has the SHA-256 ${end.sha256}, and that of the lines before is ${sha256}: something was changed`);
    }
  }

  private miss(problem: string): void {
    this.problems.push(`${this.file}: line ${this.line}: ${problem}`);
  }
}

/**
 * Reads an export line by line, never all of it at once.
 *
 * @param visit is given each letter, with the number of its line. Whether the file is whole is known only after the last
 * @throws BadInput when it is no export, or not whole, with the numbers of the lines that are wrong
 */
export async function readArchive(
  io: Io,
  file: string,
  visit: (message: ArchivedMessage, line: number) => Promise<void> | void = () => {},
): Promise<Archive> {
  const reading = new Reading(file);
  for await (const line of io.lines(file)) {
    const found = reading.read(line);
    if (found) await visit(found.message, found.line);
    if (reading.problems.length >= MOST_PROBLEMS) break;
  }
  reading.close();
  const { header, end, problems } = reading;
  if (problems.length === 0 && header && end) return { header, end };
  throw new BadInput(problems);
}

/** An export that is being written, under a name nothing takes for one until it is whole. */
export class ArchiveWriter {
  private readonly hash = createHash('sha256');
  private isClosed = false;

  private constructor(
    private readonly io: Io,
    private readonly file: string,
    private readonly writer: FileWriter,
  ) {}

  static async to(io: Io, file: string): Promise<ArchiveWriter> {
    return new ArchiveWriter(io, file, await io.writer(partOf(file), 'anew'));
  }

  async write(lines: readonly ArchiveLine[]): Promise<void> {
    const text = lines.map(lineOf).join('');
    this.hash.update(text);
    await this.writer.write(text);
  }

  /** Nothing more is written: what is there stays under the name of a part. */
  async leave(): Promise<void> {
    if (this.isClosed) return;
    this.isClosed = true;
    await this.writer.close();
  }

  /** It is whole. @returns its last line */
  async finish(facts: Omit<ArchiveEnd, 'sha256'>): Promise<ArchiveEnd> {
    const end = { ...facts, sha256: this.hash.digest('hex') };
    await this.writer.write(lineOf({ end }));
    await this.leave();
    await this.io.rename(partOf(this.file), this.file);
    return end;
  }
}

/** Where an export is written until it is whole. */
export function partOf(file: string): string {
  return `${file}.part`;
}
