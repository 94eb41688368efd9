import type { StoryDocument } from '../api/simulation';
import type { ConsoleSource } from './source';

export interface ConsoleOptions {
  readonly source: ConsoleSource;
  readonly mayChange: boolean;
  /** The folder of the page: `dist/console`. */
  readonly assets: string;
  readonly version: string;
  /** The path of the console, which begins and ends with a slash. */
  readonly base: string;
  /** Whether any browser of this machine may use it without the printed link. */
  readonly isOpen: boolean;
  /** Host names under which it answers, in addition to addresses and `localhost`. @default none */
  readonly allowHosts?: readonly string[];
  /** The log group that records changes. @default - no record is written */
  readonly auditLogGroup?: string | undefined;
  /** What to hide in bodies: JMESPaths. @default - nothing */
  readonly redact?: readonly string[];
  readonly story?: StoryDocument;
  /** The machine's clock. */
  readonly nowMs: () => number;
}
