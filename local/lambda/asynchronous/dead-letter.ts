import { firstBytes } from '../../kernel/text';
import type { LastError, QueuedEvent } from './queued-event';

/** An attribute of an SQS or SNS message; SNS and SQS spell it alike. */
interface Attribute {
  readonly DataType: 'String' | 'Number';
  readonly StringValue: string;
}

/** Bytes of the error message that go into a dead letter. */
const MESSAGE_BYTES = 1024;

/** What SQS and SNS take in no text: control characters, halves of characters, and two that are none. */
const INVALID_CHARACTERS = /[^\t\n\r\u{20}-\u{d7ff}\u{e000}-\u{fffd}\u{10000}-\u{10ffff}]/gu;

/**
 * The message of an error as an attribute. AWS does not say what becomes of a character that cannot be in one, such as the
 * colours of a terminal; our choice is that it is replaced, rather than that the event is lost.
 */
function withoutInvalidCharacters(message: string): string {
  // SQS takes no empty attribute.
  return firstBytes(message.replace(INVALID_CHARACTERS, '\u{fffd}'), MESSAGE_BYTES) || ' ';
}

/**
 * A dead letter of Lambda: the event unchanged, with the reason beside it.
 *
 * @see https://docs.aws.amazon.com/lambda/latest/dg/invocation-async-retain-records.html#invocation-dlq
 */
export function deadLetter(
  { requestId, payload }: QueuedEvent,
  { statusCode, error }: LastError,
): { readonly body: string; readonly attributes: Readonly<Record<string, Attribute>> } {
  const attributes = {
    RequestID: { DataType: 'String', StringValue: requestId },
    ErrorCode: { DataType: 'Number', StringValue: String(statusCode) },
    ErrorMessage: { DataType: 'String', StringValue: withoutInvalidCharacters(error.errorMessage) },
  } as const;
  return { body: payload, attributes };
}
