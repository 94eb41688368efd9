/** The lines that say one thing each, by what that is. */
export function factsIn(out: string): Record<string, string> {
  const [, ...lines] = (out.split('\n\n')[0] ?? '').split('\n');
  return Object.fromEntries(lines.map(line => line.split(/ {2,}/) as [string, string]));
}

/** The part of an output that begins with this; nothing where there is none. */
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

/** Says what stands out, and how, in signs a test can read. */
export const PAINT = {
  bold: (text: string) => `<b>${text}</b>`,
  yellow: (text: string) => `<y>${text}</y>`,
  dim: String,
  red: String,
  green: String,
};
