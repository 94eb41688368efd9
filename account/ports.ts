/** Receives how many items a long operation has processed so far. */
export interface ProgressListener {
  at(done: number): void;
}

/** A file that is written piece by piece. */
export interface FileWriter {
  /** @throws Error that says in words why the file cannot be written */
  write(text: string): Promise<void>;
  /** Flushes the file to disk and closes it. */
  close(): Promise<void>;
}

/** How a file is opened: replace what is there, append to it, or create it and fail if it exists. */
export type FileOpening = 'replace' | 'append' | 'create';

export interface Files {
  exists(file: string): Promise<boolean>;
  /**
   * Reads a file line by line. Each line keeps its line ending, so that a truncated last line can be detected.
   * @throws BadInput when the file cannot be read
   */
  lines(file: string): AsyncIterable<string>;
  /**
   * Opens a file that only its owner can read. With `append` and `create`, each write is on disk before it resolves.
   * @throws Error that says in words why the file cannot be written
   */
  writer(file: string, how: FileOpening): Promise<FileWriter>;
  /**
   * Renames a file, replacing an existing one.
   * @throws Error that says in words why it cannot
   */
  rename(from: string, to: string): Promise<void>;
}
