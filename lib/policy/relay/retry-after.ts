const DELAY_SECONDS = /^\d+$/;

const IMF_FIXDATE = /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/;

/** With two digits for the year. */
const RFC_850_DATE = /^[A-Z][a-z]{5,8}, \d{2}-[A-Z][a-z]{2}-\d{2} \d{2}:\d{2}:\d{2} GMT$/;

/** Of C's asctime, without a time zone. */
const ASCTIME_DATE = /^[A-Z][a-z]{2} [A-Z][a-z]{2} [ \d]\d \d{2}:\d{2}:\d{2} \d{4}$/;

/** The three forms every recipient must read. @see https://www.rfc-editor.org/rfc/rfc9110#section-5.6.7 */
function httpDateMs(text: string): number {
  if (ASCTIME_DATE.test(text)) return Date.parse(`${text} GMT`);
  return IMF_FIXDATE.test(text) || RFC_850_DATE.test(text) ? Date.parse(text) : Number.NaN;
}

/**
 * The whole seconds an answer's `Retry-After` asks to wait; 0 where its time is past, undefined where it says nothing that
 * can be read.
 * @see https://www.rfc-editor.org/rfc/rfc9110#section-10.2.3
 */
export function retryAfterSeconds(header: string | undefined, nowMs: number): number | undefined {
  const text = header?.trim() ?? '';
  if (DELAY_SECONDS.test(text)) return Number(text);
  const seconds = Math.ceil((httpDateMs(text) - nowMs) / 1_000);
  return Number.isNaN(seconds) ? undefined : Math.max(0, seconds);
}
