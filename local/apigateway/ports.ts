import type { Credentials, RoleTrust } from '../kernel/access';
import { type LogSink, writeWithRole } from '../kernel/telemetry';
import type { Host, Network } from '../network/network';

/** The network an API is reached through, and reaches other services through. */
export interface ApiNetwork extends Network {
  attach(hostName: string, host: Host): void;
}

export interface ApiGatewayDependencies {
  readonly network: ApiNetwork;
  readonly logs: LogSink;
  readonly roles: RoleTrust;
  readonly credentials: Credentials;
}

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

/** API Gateway's own logs: it writes all of them with the one role the account has given it. */
export class GatewayLog {
  /** @default - nothing is logged */
  roleArn: string | undefined;

  constructor(private readonly logs: LogSink) {}

  /** What the role may not write is lost; CloudWatch Logs has it in the trace. */
  write(logGroupName: string, streamName: string, message: string): void {
    if (this.roleArn !== undefined) writeWithRole(this.logs, this.roleArn, logGroupName, streamName, message);
  }
}
