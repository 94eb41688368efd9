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
