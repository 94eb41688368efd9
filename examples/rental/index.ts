export * from './rental-billing';
export * from './rental-orders-api';
export {
  RentalOrders,
  type RentalOrdersProps,
  RentalOrdersStack,
  type RentalOrdersStackProps,
} from './rental-orders-stack';
