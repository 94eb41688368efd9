import type { Credentials, RoleTrust } from '../kernel/access';
import type { Caller } from '../kernel/caller';
import { type LogSink, writeWithRole } from '../kernel/telemetry';
import type { Host, Network } from '../network/network';

/** The network on which APIs answer, and on which they call other services. */
interface ApiNetwork extends Network {
  attach(hostName: string, host: Host): void;
}

/** The part of Lambda that proxy integrations call. */
export interface Functions {
  /** @throws AwsError also as a rejection: Lambda's error */
  call(
    action: 'Invoke',
    caller: Caller,
    input: { readonly FunctionName: string; readonly Payload: string },
  ): InvokeAnswer | Promise<InvokeAnswer>;
}

interface InvokeAnswer {
  readonly FunctionError?: string;
  readonly Payload?: Uint8Array;
}

export interface ApiGatewayDependencies {
  readonly functions: Functions;
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
