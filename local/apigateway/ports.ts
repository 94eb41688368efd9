import type { Credentials } from '../kernel/credentials';
import type { RoleTrust } from '../kernel/role-trust';
import type { LogSink } from '../kernel/telemetry';
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
