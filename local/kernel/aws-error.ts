/** An error as AWS reports it to the client of a service. */
export class AwsError extends Error {
  override readonly name = 'AwsError';

  /**
   * @param code the service's error code, for example `AWS.SimpleQueueService.NonExistentQueue`
   * @param message AWS's text where it is published or was observed; otherwise ours. Empty: AWS sends no message
   * @param httpStatus 400 to 499 blames the caller, 500 and above the service
   * @param members further members of the error's shape by name, for example Lambda's `Reason`
   */
  constructor(
    readonly code: string,
    message: string,
    readonly httpStatus = 400,
    readonly members: Readonly<Record<string, unknown>> = {},
  ) {
    // An AWS error needs no stack trace: it is a normal answer, and a long outage creates 100,000 of them.
    const { stackTraceLimit } = Error;
    Error.stackTraceLimit = 0;
    super(message);
    Error.stackTraceLimit = stackTraceLimit;
  }

  /** The reason that the trace records. By default it is the text that the caller receives. */
  get reason(): string {
    return this.message === '' ? this.code : this.message;
  }

  /** The side that AWS blames. SNS retries only errors of the server. */
  get fault(): 'client' | 'server' {
    return this.httpStatus >= 500 ? 'server' : 'client';
  }
}

/** Access refused by a policy or a key. The caller receives little detail; the trace records the reason. */
export class AccessRefused extends AwsError {
  /** @param decision the policy decision, which only the trace records */
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

/** A limit of the embedded AWS: AWS would not give this answer. */
export class OwnLimit extends AwsError {
  /** @param text names the limit as one of the embedded AWS */
  constructor(text: string) {
    super('NotImplemented', `${text}${OWN_LIMIT}`, 501);
  }
}

/** Whether the text of a problem names a limit of the embedded AWS. Such texts name it. */
export const namesOwnLimit = (problem: string): boolean => /embedded AWS|standIns/.test(problem);

/** Says whose limit it is, and how to go on. */
const OWN_LIMIT = ' This is a limit of Dead Letter Office, and not an answer of AWS: see docs/simulated.md.';

/** The error for an AWS feature that the embedded AWS does not have. It is reported, never ignored. */
export function notImplemented(what: string): OwnLimit {
  return new OwnLimit(`The embedded AWS does not implement ${what}.`);
}
