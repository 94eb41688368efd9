/** An error in AWS's own words, as a client of the service would receive it. */
export class AwsError extends Error {
  override readonly name = 'AwsError';

  /**
   * @param code the service's error code, for example `AWS.SimpleQueueService.NonExistentQueue`
   * @param message AWS's text; `aws-semantics` says which texts are recorded and which are ours
   * @param httpStatus 400 to 499 blames the caller, 500 and above the service
   */
  constructor(
    readonly code: string,
    message: string,
    readonly httpStatus = 400,
  ) {
    super(message);
  }

  /** Whom AWS blames; SNS retries the second kind only. */
  get fault(): 'client' | 'server' {
    return this.httpStatus >= 500 ? 'server' : 'client';
  }
}
