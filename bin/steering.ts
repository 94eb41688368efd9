/**
 * What a terminal obeys, or what turns text around or hides in it, such as a right-to-left override: controls of C0 and C1, and
 * format characters. Not those that join letters, which scripts need, and emoji.
 */
export const STEERING = /(?![\u200c\u200d])[\p{Cc}\p{Cf}\u2028\u2029]/gu;

/** A unit of UTF-16, as JSON may spell it. */
const spelled = (unit: string) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;

/** A value as JSON on one line, in which nothing steers a terminal: it means the same to whoever reads it. */
export function plainJson(value: unknown): string {
  return JSON.stringify(value).replace(STEERING, character => character.split('').map(spelled).join(''));
}
