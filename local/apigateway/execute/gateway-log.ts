import { type LogSink, writeWithRole } from '../../kernel/telemetry';

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
