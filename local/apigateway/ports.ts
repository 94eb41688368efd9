import type { Credentials } from '../kernel/credentials';
import type { LogSink } from '../kernel/telemetry';
import type { Host, Network } from '../network/network';

/** What API Gateway asks of IAM before it acts with a role it was given. */
export interface RoleTrust {
  /** Whether the role's trust policy lets the service (`apigateway.amazonaws.com`) assume it. */
  canAssume(service: string, roleArn: string): boolean;
}

/** The network an API is reached through, and reaches other services through. */
export interface ApiNetwork extends Network {
  attach(hostName: string, host: Host): void;
}

export interface ApiGatewayNeighbours {
  readonly network: ApiNetwork;
  readonly logs: LogSink;
  readonly roles: RoleTrust;
  readonly credentials: Credentials;
}
