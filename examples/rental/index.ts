export * from './rental-billing';
export * from './rental-orders-api';
export {
  RentalOrders,
  type RentalOrdersProps,
  RentalOrdersStack,
} from './rental-orders-stack';
