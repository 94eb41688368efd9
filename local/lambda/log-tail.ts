/** Bytes of a log that a caller is told at most. */
const LOG_TAIL_BYTES = 4096;

/**
 * The end of what one run wrote into the log, for a caller who asked for it with `LogType: Tail`.
 *
 * @see https://docs.aws.amazon.com/lambda/latest/api/API_Invoke.html#lambda-Invoke-request-LogType
 */
export class LogTail {
  private text = '';

  readonly add = (message: string): void => {
    this.text += message.endsWith('\n') ? message : `${message}\n`;
  };

  /** Base64, as `LogResult` is. */
  get encoded(): string {
    return Buffer.from(this.text).subarray(-LOG_TAIL_BYTES).toString('base64');
  }
}
