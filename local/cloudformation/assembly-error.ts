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

/** Throws when there are problems. */
export function failOn(problems: readonly string[]): void {
  if (problems.length > 0) throw new AssemblyError(problems);
}
