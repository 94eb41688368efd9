/**
 * What is wrong with a cloud assembly, or with what it asks of the embedded AWS: bad input, never a failure of ours.
 * A command prints `message` and exits 2.
 */
export class AssemblyError extends Error {
  override readonly name = 'AssemblyError';

  /** @param problems every problem found, each one a sentence that names the file, or the stack, resource and property */
  constructor(readonly problems: readonly string[]) {
    super(problems.join('\n'));
  }
}

/** Where a reader puts each problem it finds, so that all of them are reported at once. */
export type NoteProblem = (problem: string) => void;

/** Throws when there are problems. */
export function failOn(problems: readonly string[]): void {
  if (problems.length > 0) throw new AssemblyError(problems);
}

const LONGEST_SHOWN = 160;

/** A value as a problem shows it: JSON, cut when it is long. */
export function shown(value: unknown): string {
  const json = JSON.stringify(value) ?? String(value);
  return json.length > LONGEST_SHOWN ? `${json.slice(0, LONGEST_SHOWN)}…` : json;
}
