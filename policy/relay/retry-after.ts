const DELAY_SECONDS = /^\d+$/;

/** The three forms every recipient must read. @see https://www.rfc-editor.org/rfc/rfc9110#section-5.6.7 */
const HTTP_DATES: readonly RegExp[] = [
  /^[A-Z][a-z]{2}, (?<day>\d{2}) (?<month>[A-Z][a-z]{2}) (?<year>\d{4}) (?<time>\d{2}:\d{2}:\d{2}) GMT$/,
  /^[A-Z][a-z]{5,8}, (?<day>\d{2})-(?<month>[A-Z][a-z]{2})-(?<year>\d{2}) (?<time>\d{2}:\d{2}:\d{2}) GMT$/,
  /^[A-Z][a-z]{2} (?<month>[A-Z][a-z]{2}) (?<day>[ \d]\d) (?<time>\d{2}:\d{2}:\d{2}) (?<year>\d{4})$/,
];

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

/** A year of two digits is of this century, unless that were more than fifty years ahead. */
function wholeYear(year: string, nowMs: number): number {
  if (year.length === 4) return Number(year);
  const now = new Date(nowMs).getUTCFullYear();
  const inThisCentury = now - (now % 100) + Number(year);
  return inThisCentury > now + 50 ? inThisCentury - 100 : inThisCentury;
}

/** The instant a date of HTTP names; undefined of any other text, and of a day or a time that there never is. */
function httpDateMs(text: string, nowMs: number): number | undefined {
  const parts = HTTP_DATES.map(form => form.exec(text)?.groups).find(groups => groups !== undefined);
  if (!parts) return undefined;
  const { day = '', month = '', year = '', time = '' } = parts;
  const [hours = 0, minutes = 0, seconds = 0] = time.split(':').map(Number);
  const ms = Date.UTC(wholeYear(year, nowMs), MONTHS.indexOf(month), Number(day), hours, minutes, seconds);
  const date = new Date(ms);
  // What does not exist rolls over into what does.
  const isSame = date.getUTCDate() === Number(day) && date.toISOString().includes(`T${time}.`);
  return isSame && MONTHS.includes(month) ? ms : undefined;
}

/**
 * The whole seconds an answer's `Retry-After` asks to wait; 0 where its time is past, undefined where it says nothing that
 * can be read.
 * @see https://www.rfc-editor.org/rfc/rfc9110#section-10.2.3
 */
export function retryAfterSeconds(header: string | undefined, nowMs: number): number | undefined {
  const text = header?.trim() ?? '';
  if (DELAY_SECONDS.test(text)) return Number(text);
  const ms = httpDateMs(text, nowMs);
  return ms === undefined ? undefined : Math.max(0, Math.ceil((ms - nowMs) / 1_000));
}
