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

/** `1 letter`, `2 letters`. */
export function messagesText(count: number): string {
  return counted(count, 'letter', 'letters');
}

/** The first of a list, and how many more there are: `a, b and 3 more`. */
export function andMore(list: readonly (string | number)[], most: number): string {
  const reported = list.slice(0, most).join(', ');
  return list.length > most ? `${reported} and ${formatNumber(list.length - most)} more` : reported;
}

const HOUR_SECONDS = 3_600;
const DAY_SECONDS = 24 * HOUR_SECONDS;

/** How finely a time is told, by how long it is: to the hour once there are days, to the minute below that. */
function unitOf(seconds: number): number {
  if (seconds >= DAY_SECONDS) return HOUR_SECONDS;
  return seconds >= 60 ? 60 : 1;
}

/** A time without what is little beside it: `4 d 2 h`, `39 min`. */
export function roughDuration(milliseconds: number): string {
  const seconds = Math.max(0, Math.floor(milliseconds / 1_000));
  const unit = unitOf(seconds);
  return formatDuration(Math.floor(seconds / unit) * unit);
}

/** What a shell takes for one word, whatever stands beside it. */
const PLAIN = /^[\w@%+=:,./-]+$/;

/** A text as somebody types it into a shell of POSIX, so that it arrives as it is. */
export function shellWord(text: string): string {
  return PLAIN.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}
