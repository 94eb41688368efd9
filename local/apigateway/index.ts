export { ApiGateway } from './api-gateway';
export type { ApiGatewayTraceEvent } from './happenings';
export { apiGatewayResourceTypes } from './resources';
