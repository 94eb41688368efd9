import { DAY_SECONDS, HOUR_SECONDS } from './time-units';

const UNITS = [
  ['d', DAY_SECONDS],
  ['h', 3_600],
  ['min', 60],
] as const;

/** Formats a number with thousands separators and at most two decimals. */
export function formatNumber(value: number): string {
  return value.toLocaleString('en-US', { maximumFractionDigits: 2 });
}

/** Formats seconds: `39 min 2.86 s`, `23 d 3 h 34 min`. From one day on, it omits the seconds. */
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

/** Capitalizes the first letter of a text. */
export function capitalized(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
}

/** `1 retry`, `2 retries`. */
export function counted(count: number, one: string, many: string): string {
  return `${formatNumber(count)} ${count === 1 ? one : many}`;
}

/** `1 message`, `2 messages`. */
export function messagesText(count: number): string {
  return counted(count, 'message', 'messages');
}

/** Lists the first `most` entries, and how many more there are: `a, b and 3 more`. */
export function andMore(list: readonly (string | number)[], most: number): string {
  const reported = list.slice(0, most).join(', ');
  return list.length > most ? `${reported} and ${formatNumber(list.length - most)} more` : reported;
}

/** The unit to round to: hours from one day on, minutes from one minute on, else seconds. */
function unitOf(seconds: number): number {
  if (seconds >= DAY_SECONDS) return HOUR_SECONDS;
  return seconds >= 60 ? 60 : 1;
}

/** Formats a time rounded down to its two largest units: `4 d 2 h`, `39 min`. */
export function roughDuration(milliseconds: number): string {
  const seconds = Math.max(0, Math.floor(milliseconds / 1_000));
  const unit = unitOf(seconds);
  return formatDuration(Math.floor(seconds / unit) * unit);
}

/** Characters that need no quotes in a shell. */
const PLAIN = /^[\w@%+=:,./-]+$/;

/** Quotes a text for a POSIX shell, where it needs quotes. */
export function shellWord(text: string): string {
  return PLAIN.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}
