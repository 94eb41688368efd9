const DAYS = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'];
const MONTHS = [
  'January',
  'February',
  'March',
  'April',
  'May',
  'June',
  'July',
  'August',
  'September',
  'October',
  'November',
  'December',
];

/** `Friday 22 July, 2022 15:57:45 UTC`, as a composite alarm's reason gives an instant. */
export function longDate(atMs: number): string {
  const at = new Date(atMs);
  const day = String(at.getUTCDate()).padStart(2, '0');
  const time = at.toISOString().slice(11, 19);
  return `${DAYS[at.getUTCDay()]} ${day} ${MONTHS[at.getUTCMonth()]}, ${at.getUTCFullYear()} ${time} UTC`;
}
