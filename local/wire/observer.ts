/** Clients that only read what goes on, such as the console of `dlo local`, send this header. */
const OBSERVER = 'x-dlo-observer';

/**
 * Whether a request is one of an observer. It leaves no trace, meets no fault, draws no random number and is not repeated when the
 * simulation returns to an earlier point: the run is the same with and without it. It must not change anything.
 *
 * @param headers names in lower case
 */
export function isObserved(headers: Readonly<Record<string, string>>): boolean {
  return Object.hasOwn(headers, OBSERVER);
}
