/** Parses lines of a name and a value. */
export function factsIn(out: string): Record<string, string> {
  const [, ...lines] = (out.split('\n\n')[0] ?? '').split('\n');
  return Object.fromEntries(lines.map(line => line.split(/ {2,}/) as [string, string]));
}

/** Returns the part of an output that begins with the heading; empty if there is none. */
export function section(out: string, heading: string): string {
  return out.split('\n\n').find(part => part.startsWith(heading)) ?? '';
}

/** The cells of each line of a table. */
export function cells(out: string): string[][] {
  return out
    .trimEnd()
    .split('\n')
    .map(line => line.split(/ {2,}/));
}

/** Marks highlighted text with signs that a test can read. */
export const PAINT = {
  bold: (text: string) => `<b>${text}</b>`,
  yellow: (text: string) => `<y>${text}</y>`,
  dim: String,
  red: String,
  green: String,
};
