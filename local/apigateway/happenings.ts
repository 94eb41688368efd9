/** What API Gateway writes down: one line a request, when its answer leaves. */
export interface ApiGatewayTraceEvent {
  readonly type: 'apigateway.request';
  readonly apiId: string;
  readonly stage: string;
  readonly requestId: string;
  readonly method: string;
  /** As the client sent it, without the stage and the query. */
  readonly path: string;
  readonly status: number;
  /** From request to answer. */
  readonly latencyMs: number;
  /** Which kind of error API Gateway itself answered, for example `BAD_REQUEST_BODY`. */
  readonly responseType?: string;
  /** What the execution log says of the error; clients are told less. */
  readonly reason?: string;
}
