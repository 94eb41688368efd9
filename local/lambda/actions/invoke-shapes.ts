/**
 * What a client sends to invoke a function.
 *
 * @see https://docs.aws.amazon.com/lambda/latest/api/API_Invoke.html
 */
export interface InvokeRequest {
  /** A name, a partial ARN or an ARN, with or without a qualifier. */
  readonly FunctionName: string | undefined;
  /** `Event` queues the event and answers at once; `DryRun` checks permission only. @default 'RequestResponse' */
  readonly InvocationType?: InvocationType;
  /** A JSON document. @default no event at all, which the handler sees as an empty object */
  readonly Payload?: string | Uint8Array;
  /** A version or an alias. @default '$LATEST' */
  readonly Qualifier?: string;
  /** `Tail` has the end of the log answered, 4 KB at most; for `RequestResponse` only. @default 'None' */
  readonly LogType?: 'None' | 'Tail';
  /** What the handler sees as `context.clientContext`: JSON, in base64; for `RequestResponse` only. */
  readonly ClientContext?: string;
  /** Durable executions are refused by name. */
  readonly DurableExecutionName?: string;
  /** Tenants are refused by name. */
  readonly TenantId?: string;
}

export type InvocationType = 'Event' | 'RequestResponse' | 'DryRun';

export interface InvokeResponse {
  /** 200 for `RequestResponse`, 202 for `Event`, 204 for `DryRun`. */
  readonly StatusCode: 200 | 202 | 204;
  /** `Unhandled` when the function failed; `Payload` then holds the error. */
  readonly FunctionError?: string;
  /** The JSON the handler answered, or the error document. Absent for `Event` and `DryRun`. */
  readonly Payload?: Uint8Array;
  /** The version that ran. Absent for `Event` and `DryRun`. */
  readonly ExecutedVersion?: string;
  /** The end of the log, in base64, where it was asked for. */
  readonly LogResult?: string;
  /** The request id, which the function sees as `awsRequestId`, where the SDK puts it. */
  readonly $metadata: { readonly requestId: string };
}
