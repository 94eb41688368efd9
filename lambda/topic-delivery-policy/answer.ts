import type { Wait } from '../shared/clock';
import type { Send } from '../shared/http-send';
import { messageOf } from '../shared/transport-error';
import type { Request } from './request';

/** What CloudFormation is told. */
export interface Answer {
  readonly status: 'SUCCESS' | 'FAILED';
  readonly physicalId: string;
  /** Why it failed; CloudFormation shows it in the stack's events. */
  readonly reason?: string;
}

/** Answers a request, or rejects when CloudFormation could not be told. */
export type Respond = (request: Request, answer: Answer) => Promise<void>;

/** An answer may have 4,096 bytes; a character of JSON takes six at most. */
const LONGEST_REASON = 500;

/** Before each further try to leave an answer. */
const DELAYS_MS = [1_000, 2_000, 4_000, 8_000];

/** The answer did not arrive. The request is then made again by Lambda, and everything done for it is done again. */
export class AnswerNotSentError extends Error {
  override readonly name = 'NotToldError';
}

function bodyOf(request: Request, { status, physicalId, reason }: Answer): string {
  return JSON.stringify({
    Status: status,
    PhysicalResourceId: physicalId,
    StackId: request.stackId,
    RequestId: request.requestId,
    LogicalResourceId: request.logicalId,
    ...(reason !== undefined && { Reason: reason.slice(0, LONGEST_REASON) }),
  });
}

/** Whether asking again may help: a URL that S3 refuses stays refused. */
function mayPass(statusCode: number): boolean {
  return statusCode >= 500 || statusCode === 429;
}

/**
 * Leaves answers at the URLs CloudFormation named. Its signature may cover an empty content type, so there is one.
 * @see https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/crpg-ref-responses.html
 */
export function responder(send: Send, wait: Wait): Respond {
  return async (request, answer) => {
    const body = bodyOf(request, answer);
    let problem = '';
    for (const delayMs of [0, ...DELAYS_MS]) {
      if (delayMs > 0) await wait(delayMs);
      const result = await send('PUT', request.responseUrl, { 'Content-Type': '' }, body);
      if (result.kind === 'unanswered') {
        problem = `no answer from ${request.responseUrl.host}: ${messageOf(result.cause)}`;
        continue;
      }
      const { statusCode } = result;
      if (statusCode >= 200 && statusCode < 300) return;
      problem = `${request.responseUrl.host} answered ${statusCode}`;
      if (!mayPass(statusCode)) break;
    }
    throw new AnswerNotSentError(`CloudFormation could not be told: ${problem}`);
  };
}
