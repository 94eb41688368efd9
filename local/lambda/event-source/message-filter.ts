import type { Message } from '@aws-sdk/client-sqs';
import { compileEventPattern, type EventPattern } from '../../event-pattern';
import { isMembers } from '../../kernel/json';
import { type MessageSource, sqsRecord } from './sqs-event';

/** What a pattern says of the body: that it has JSON members, that it is a text, or nothing at all. */
type BodyPattern = 'json' | 'text' | 'any';

interface Filter {
  readonly body: BodyPattern;
  readonly matches: EventPattern;
}

/**
 * Which messages a mapping invokes its function for: those that match one of its filters. AWS compares how a filter has
 * the body with what the body is: where one is JSON and the other a plain text, the message is dropped. By our choice a
 * body is JSON when it is an object or a list: a text such as `42` may as well be meant as one.
 *
 * @see https://docs.aws.amazon.com/lambda/latest/dg/with-sqs-filtering.html
 */
export class MessageFilter {
  private readonly filters: readonly Filter[];

  /**
   * @param patterns none lets every message pass
   * @throws EventPatternError for a pattern that is none
   */
  constructor(
    patterns: readonly string[],
    private readonly source: MessageSource,
  ) {
    this.filters = patterns.map(pattern => ({
      matches: compileEventPattern(pattern),
      body: bodyPattern(JSON.parse(pattern)),
    }));
  }

  passes(message: Message): boolean {
    if (this.filters.length === 0) return true;
    const record = sqsRecord(message, this.source);
    const document = jsonDocument(message.Body ?? '');
    const asJson = document === undefined ? undefined : { ...record, body: document };
    return this.filters.some(({ body, matches }) => {
      if (body === 'any') return matches(record);
      if (body === 'text') return !asJson && matches(record);
      return asJson !== undefined && matches(asJson);
    });
  }
}

/** What a pattern says of the body, at its top or in one of its alternatives. */
function bodyPattern(pattern: unknown): BodyPattern {
  if (!isMembers(pattern)) return 'any';
  const { body, $or: alternatives } = pattern;
  if (body !== undefined) return isMembers(body) ? 'json' : 'text';
  if (!Array.isArray(alternatives)) return 'any';
  return alternatives.map(bodyPattern).find(kind => kind !== 'any') ?? 'any';
}

function jsonDocument(text: string): unknown {
  if (!/^\s*[[{]/.test(text)) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    // A plain text that begins like JSON.
    return undefined;
  }
}
