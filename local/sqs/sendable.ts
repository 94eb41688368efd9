/** Control characters, lone surrogates and the two non-characters: everything XML 1.0 cannot carry. */
const UNSENDABLE = /[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/u;

/**
 * Whether bodies, and texts in attributes, may hold it.
 *
 * @see https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/quotas-messages.html
 */
export function isSendable(text: string): boolean {
  return !UNSENDABLE.test(text);
}
