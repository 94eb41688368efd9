export type { EndpointAuthorization, EndpointName, FleetEndpoint } from '../policy/fleet/endpoint';
export type { Attempt } from './attempts';
export type {
  AttemptQuery,
  EndpointDescription,
  EndpointPage,
  EventToSend,
  FleetClientOptions,
  ListOptions,
  ParkedMessage,
  PutOptions,
  PutResult,
  Replayed,
  ReplayQuery,
  RotatedSecret,
  RotateOptions,
} from './client-options';
export { FleetClient } from './fleet-client';
export { FleetError, type FleetErrorCode } from './fleet-error';
