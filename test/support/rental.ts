import { type RentalOrdersProps, RentalOrdersStack } from '../../examples/rental';
import { assemblyOf } from './assembly';
import { Deployed } from './deployed';

/** The order that the shop posts. */
export const ORDER = {
  orderId: 'R-0001',
  status: 'confirmed',
  customerId: 'C-17',
  vehicleClass: 'compact',
  days: 3,
  dailyRate: 3_900,
  currency: 'EUR',
} as const;

/** The paths of the rental backend's resources, below its stack. */
export const RENTAL = {
  topic: 'Rental/Topic',
  fulfilment: 'Rental/FulfilmentQueue',
  billing: 'Rental/Billing/Function',
  billingDeadLetters: 'Rental/BillingDlq',
  publisher: 'Rental/Api/Publisher',
  fulfilmentDeadLetters: 'Rental/FulfilmentDlq',
} as const;

/** The assembly of the rental backend, in a stack named `Test`. */
export function rentalAssembly(rentalOrders: RentalOrdersProps = {}): string {
  return assemblyOf(app => void new RentalOrdersStack(app, 'Test', { rentalOrders }));
}

const assemblies = new Map<string, string>();

/** Deploys the backend, which is synthesized once for equal properties. */
export function deployRentalOrders(rentalOrders: RentalOrdersProps = {}): Promise<Deployed> {
  const key = JSON.stringify(rentalOrders);
  const assembly = assemblies.get(key) ?? rentalAssembly(rentalOrders);
  assemblies.set(key, assembly);
  return Deployed.assembly(assembly, { standIns: rentalOrders.systems ? 'warn' : 'refuse' });
}
