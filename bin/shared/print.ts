import type { Io } from './io';
import { plainJson } from './terminal-text';

export function writeJson(io: Io, document: unknown): void {
  io.stdout.write(`${plainJson(document)}\n`);
}

/** Prints warnings. The command continues. */
export function warn(io: Io, warnings: readonly string[]): void {
  for (const warning of warnings) io.stderr.write(`dlo: warning: ${warning}\n`);
}

/** The answer to a question, if there is a terminal. */
export type Confirmation = 'yes' | 'no' | 'no-terminal';

/** Asks for confirmation. Only typing the wanted word is a yes; Ctrl-C is a no. */
export async function confirmed(io: Io, question: string, wanted: string): Promise<Confirmation> {
  const answer = await io.ask(question);
  if (answer === undefined) return 'no-terminal';
  return answer.trim() === wanted ? 'yes' : 'no';
}

/** The error of a command that the user did not confirm. */
export function declined(nothing: string, wanted: string): Error {
  return new Error(`${nothing}: the answer was not ${wanted}`);
}
