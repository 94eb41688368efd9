import type { Io } from './io';
import { plainJson } from './text';

/** Prints what `--json` prints: one document on one line. */
export function writeJson(io: Io, document: unknown): void {
  io.stdout.write(`${plainJson(document)}\n`);
}

/** Says what its user should know, and does not keep the command from going on. */
export function warn(io: Io, warnings: readonly string[]): void {
  for (const warning of warnings) io.stderr.write(`dlo: warning: ${warning}\n`);
}

/** What came of a question: nobody is where no one sits before a terminal. */
export type Confirmation = 'yes' | 'no' | 'nobody';

/** Asks whether something is to be done. Only who types the word that is wanted agrees; Ctrl-C does not. */
export async function confirmed(io: Io, question: string, wanted: string): Promise<Confirmation> {
  const answer = await io.ask(question);
  if (answer === undefined) return 'nobody';
  return answer.trim() === wanted ? 'yes' : 'no';
}

/** How a command ends that was not agreed to: it could not do what it was to do. */
export function declined(nothing: string, wanted: string): Error {
  return new Error(`${nothing}, for the answer was not ${wanted}`);
}
