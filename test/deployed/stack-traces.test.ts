import { existsSync } from 'node:fs';
import path from 'node:path';
import { packageRoot } from '../../lib/shared/package-root';
import { deployRentalOrders, ORDER, RENTAL } from '../support/rental';

/** The bundle is one file; its source map goes along, and NODE_OPTIONS turns it on. */
test('A stack trace in the log of the billing function names files and lines that are in lambda/', async () => {
  const deployed = await deployRentalOrders();
  await deployed.publish(RENTAL.topic, JSON.stringify({ ...ORDER, days: 0.5 }), {
    MessageAttributes: { 'order-status': { DataType: 'String', StringValue: 'confirmed' } },
  });
  await deployed.aws.runUntilIdle();

  const { logging } = deployed.aws.services.lambda.functionNamed('Rental-Billing').configuration;
  const log = deployed.log(logging.logGroup).join('\n');
  const files = [...log.matchAll(/lambda\/rental-billing\/[\w./-]+\.ts(?=:\d+:\d+)/g)].map(([file]) => file);
  expect(files).toContain('lambda/rental-billing/order.ts');
  expect(files.filter(file => !existsSync(path.join(packageRoot(), file)))).toEqual([]);
  expect(log).not.toContain(packageRoot());
});
