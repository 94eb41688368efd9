/**
 * A text whose length is known before it is made. It is made when somebody reads it, and once: an SNS envelope that stays in
 * a queue nobody reads is never signed.
 */
export interface LazyText {
  /** In UTF-8. */
  readonly byteLength: number;
  /** The text itself. */
  toString(): string;
}

/** The length of a text in UTF-8, without making one that is not made yet. */
export function byteLengthOf(text: string | LazyText): number {
  return typeof text === 'string' ? Buffer.byteLength(text) : text.byteLength;
}
