export * from './rental-billing';
export * from './rental-orders';
export * from './rental-orders-api';
export * from './rental-orders-stack';
