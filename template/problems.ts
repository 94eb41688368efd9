/** Where a reader puts each problem it finds, so that all of them are reported at once. */
export type NoteProblem = (problem: string) => void;

const LONGEST_SHOWN = 160;

/** A value as a problem shows it: JSON, cut when it is long. */
export function shown(value: unknown): string {
  const json = JSON.stringify(value) ?? String(value);
  return json.length > LONGEST_SHOWN ? `${json.slice(0, LONGEST_SHOWN)}…` : json;
}
