const UNITS = [
  ['d', 86_400],
  ['h', 3_600],
  ['min', 60],
] as const;

/** A number with its thousands set apart, and no more than two decimals. */
export function formatNumber(value: number): string {
  return value.toLocaleString('en-US', { maximumFractionDigits: 2 });
}

/** Seconds as people say them: `39 min 2.86 s`, `23 d 3 h 34 min`. Once days are counted, seconds no longer are. */
export function formatDuration(seconds: number): string {
  const hundredths = Math.round(seconds * 100) / 100;
  let rest = hundredths >= 86_400 ? Math.round(hundredths / 60) * 60 : hundredths;
  const parts: string[] = [];
  for (const [unit, size] of UNITS) {
    const count = Math.floor(rest / size);
    rest -= count * size;
    if (count > 0) parts.push(`${count} ${unit}`);
  }
  if (rest >= 0.005 || parts.length === 0) parts.push(`${formatNumber(rest)} s`);
  return parts.join(' ');
}

/** `1 retry`, `2 retries`. */
export function counted(count: number, one: string, many: string): string {
  return `${formatNumber(count)} ${count === 1 ? one : many}`;
}

/** A paragraph as lines of at most `width`, every line but the first indented by two. */
export function wrap(text: string, width: number): string[] {
  const lines: string[] = [];
  for (const word of text.split(' ')) {
    const line = lines.at(-1);
    if (line !== undefined && line.length + 1 + word.length <= width) lines[lines.length - 1] = `${line} ${word}`;
    else lines.push(line === undefined ? word : `  ${word}`);
  }
  return lines;
}
