/**
 * What a client sends to invoke a function.
 *
 * @see https://docs.aws.amazon.com/lambda/latest/api/API_Invoke.html
 */
export interface InvokeRequest {
  /** A name, a partial ARN or an ARN, with or without a qualifier. */
  readonly FunctionName: string;
  /** `Event` queues the event and answers at once; `DryRun` checks permission only. @default 'RequestResponse' */
  readonly InvocationType?: InvocationType;
  /** A JSON document. @default no event at all, which the handler sees as an empty object */
  readonly Payload?: string | Uint8Array;
  /** Only `$LATEST` exists here. @default '$LATEST' */
  readonly Qualifier?: string;
}

export type InvocationType = 'Event' | 'RequestResponse' | 'DryRun';

export interface InvokeResponse {
  /** 200 for `RequestResponse`, 202 for `Event`, 204 for `DryRun`. */
  readonly StatusCode: 200 | 202 | 204;
  /** `Unhandled` when the function failed; `Payload` then holds the error. */
  readonly FunctionError?: string;
  /** The JSON the handler answered, or the error document. Absent for `Event` and `DryRun`. */
  readonly Payload?: Uint8Array;
  readonly ExecutedVersion?: string;
  /** The request id, which the function sees as `awsRequestId`, where the SDK puts it. */
  readonly $metadata: { readonly requestId: string };
}
