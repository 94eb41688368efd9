/** An error in AWS's own words, as a client of the service would receive it. */
export class AwsError extends Error {
  override readonly name = 'AwsError';

  /**
   * @param code the service's error code, for example `AWS.SimpleQueueService.NonExistentQueue`
   * @param message AWS's text, as somebody was answered it; where nobody has told of one, ours
   * @param httpStatus 400 to 499 blames the caller, 500 and above the service
   * @param members what else the answer says, by the names of the error's shape, for example Lambda's `Reason`
   */
  constructor(
    readonly code: string,
    message: string,
    readonly httpStatus = 400,
    readonly members: Readonly<Record<string, string>> = {},
  ) {
    // An answer of AWS is no fault of ours, so nobody needs its stack; a long outage makes 100,000 of them.
    const { stackTraceLimit } = Error;
    Error.stackTraceLimit = 0;
    super(message);
    Error.stackTraceLimit = stackTraceLimit;
  }

  /** What the trace says of it: what the caller is told, where nothing more is known. */
  get reason(): string {
    return this.message;
  }

  /** Whom AWS blames; SNS retries the second kind only. */
  get fault(): 'client' | 'server' {
    return this.httpStatus >= 500 ? 'server' : 'client';
  }
}

/** Access that a policy, or a key, refuses: AWS tells the caller little, the trace tells why. */
export class AccessRefused extends AwsError {
  /** @param decision behind the refusal, for the trace alone */
  constructor(
    code: string,
    message: string,
    httpStatus: number,
    private readonly decision: string,
  ) {
    super(code, message, httpStatus);
  }

  override get reason(): string {
    return this.decision;
  }
}

/** What AWS has and the embedded AWS has not: said aloud, never ignored. */
export function notImplemented(what: string): AwsError {
  return new AwsError('NotImplemented', `The embedded AWS does not implement ${what}.`, 501);
}
