import { isoInstant } from '../../kernel/clock';
import type { Condition } from '../happenings';
import type { LastError, QueuedEvent } from './queued-event';

/** What a destination is told. */
export type Result =
  | { readonly condition: 'Success'; readonly payload: string }
  | { readonly condition: Condition; readonly lastError: LastError };

/**
 * The invocation record a destination gets.
 *
 * @see https://docs.aws.amazon.com/lambda/latest/dg/invocation-async-retain-records.html#invocation-async-destinations
 */
export function destinationRecord(functionArn: string, event: QueuedEvent, result: Result, nowMs: number): string {
  const succeeded = result.condition === 'Success';
  return JSON.stringify({
    version: '1.0',
    timestamp: isoInstant(nowMs),
    requestContext: {
      requestId: event.requestId,
      functionArn: `${functionArn}:$LATEST`,
      condition: result.condition,
      approximateInvokeCount: event.failures + (succeeded ? 1 : 0),
    },
    requestPayload: JSON.parse(event.payload),
    ...(succeeded
      ? {
          responseContext: { statusCode: 200, executedVersion: '$LATEST' },
          responsePayload: JSON.parse(result.payload),
        }
      : failureMembers(result.lastError)),
  });
}

/** A function that never ran has no response to show. */
function failureMembers({ statusCode, error }: LastError): object {
  if (statusCode !== 200) return { responseContext: { statusCode }, responsePayload: null };
  const responseContext = { statusCode, executedVersion: '$LATEST', functionError: 'Unhandled' };
  return { responseContext, responsePayload: error };
}
