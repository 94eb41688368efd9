export { ApiGateway } from './api-gateway';
export type { ApiGatewayHappening } from './happenings';
export { apiGatewayResourceTypes } from './resources';
