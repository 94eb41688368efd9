export interface ApiGatewayTraceEvent {
  readonly type: 'apigateway.request';
  readonly apiId: string;
  readonly stage: string;
  readonly requestId: string;
  readonly method: string;
  /** The path from the client, without stage and query. */
  readonly path: string;
  readonly status: number;
  /** The time from the request to the answer. */
  readonly latencyMs: number;
  /** The error type of an answer of API Gateway itself, for example `BAD_REQUEST_BODY`. */
  readonly responseType?: string;
  /** The reason in the execution log; clients receive less detail. */
  readonly reason?: string;
}
