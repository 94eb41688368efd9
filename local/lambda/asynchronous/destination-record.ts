import { isoInstant } from '../../kernel/clock';
import { LATEST } from '../function/function-configuration';
import { qualified } from '../function/function-name';
import type { Condition } from '../happenings';
import type { LastError, QueuedEvent } from './queued-event';

/** What a destination is told. */
export type Result =
  | { readonly condition: 'Success'; readonly payload: string }
  | { readonly condition: Condition; readonly lastError: LastError };

/** The invocation record, and what an event bus is told of it besides. */
export interface DestinationRecord {
  /** JSON. */
  readonly body: string;
  readonly isSuccess: boolean;
  /** The ARN of the function, with its version or alias. */
  readonly functionArn: string;
}

/**
 * The invocation record a destination gets. The event and the answer go into it as the texts they are, however large or deep.
 *
 * @see https://docs.aws.amazon.com/lambda/latest/dg/invocation-async-retain-records.html#invocation-async-destinations
 */
export function destinationRecord(event: QueuedEvent, result: Result, nowMs: number): DestinationRecord {
  const isSuccess = result.condition === 'Success';
  const { target, executedVersion = LATEST } = event;
  const functionArn = qualified(target.deployed.arn, target.qualifier ?? LATEST);
  const requestContext = {
    requestId: event.requestId,
    functionArn,
    condition: result.condition,
    approximateInvokeCount: event.failures + (isSuccess ? 1 : 0),
  };
  const members: Readonly<Record<string, string>> = {
    version: '"1.0"',
    timestamp: JSON.stringify(isoInstant(nowMs)),
    requestContext: JSON.stringify(requestContext),
    requestPayload: event.payload,
    ...(isSuccess
      ? { responseContext: JSON.stringify({ statusCode: 200, executedVersion }), responsePayload: result.payload }
      : failureMembers(result.lastError, executedVersion)),
  };
  const body = `{${Object.entries(members).map(([name, json]) => `"${name}":${json}`)}}`;
  return { body, isSuccess, functionArn };
}

/** A function that never ran has no response to show. */
function failureMembers({ statusCode, error }: LastError, executedVersion: string): Readonly<Record<string, string>> {
  if (statusCode !== 200) return { responseContext: JSON.stringify({ statusCode }), responsePayload: 'null' };
  const responseContext = { statusCode, executedVersion, functionError: 'Unhandled' };
  return { responseContext: JSON.stringify(responseContext), responsePayload: JSON.stringify(error) };
}
