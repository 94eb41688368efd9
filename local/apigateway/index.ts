export { ApiGateway } from './api-gateway';
export type { ApiGatewayTraceEvent } from './ports';
export { apiGatewayResourceTypes } from './resources';
