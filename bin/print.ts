import type { Io } from './io';
import { plainJson } from './steering';

/** Prints what `--json` prints: one document on one line. */
export function writeJson(io: Io, document: unknown): void {
  io.stdout.write(`${plainJson(document)}\n`);
}

/** Says what its user should know, and does not keep the command from going on. */
export function warn(io: Io, warnings: readonly string[]): void {
  for (const warning of warnings) io.stderr.write(`dlo: warning: ${warning}\n`);
}
