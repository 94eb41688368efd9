import type { Credentials, RoleTrust } from '../kernel/access';
import { type LogSink, writeWithRole } from '../kernel/telemetry';
import type { Host, Network } from '../network/network';

/** The network on which APIs answer, and on which they call other services. */
interface ApiNetwork extends Network {
  attach(hostName: string, host: Host): void;
}

export interface ApiGatewayDependencies {
  readonly network: ApiNetwork;
  readonly logs: LogSink;
  readonly roles: RoleTrust;
  readonly credentials: Credentials;
}

/** A trace event for each answered request. */
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

/** API Gateway's log. It uses one role of the account for all log groups. */
export class GatewayLog {
  /** The account's role. @default - nothing is logged */
  roleArn: string | undefined;

  constructor(private readonly logs: LogSink) {}

  /**
   * Writes a log event. An event that the role may not write is lost, and CloudWatch Logs records the refusal in the
   * trace.
   */
  write(logGroupName: string, streamName: string, message: string): void {
    if (this.roleArn !== undefined) writeWithRole(this.logs, this.roleArn, logGroupName, streamName, message);
  }
}
