import { createHash } from 'node:crypto';
import type { FileWriter, Io } from '../../../io';
import { type ArchiveEnd, type ArchiveLine, lineOf } from '../archive-format';

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
