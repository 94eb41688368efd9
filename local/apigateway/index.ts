export { ApiGateway } from './api-gateway';
export { apiGatewayResourceTypes } from './resources';
export type { ApiGatewayTraceEvent } from './trace-events';
