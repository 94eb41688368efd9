import { deployRentalOrders, ORDER, RENTAL } from '../../../support/rental';
import { cells } from '../../command-output';
import { OperatedAccount } from '../../operated-account';

test('dlo dlq ls tells of the rental backend who feeds what, and where an order is that could not be delivered', async () => {
  const deployed = await deployRentalOrders();
  const { url } = await deployed.aws.listen();
  await deployed.takeQueuePolicyAway(RENTAL.fulfilment);
  await deployed.publish(RENTAL.topic, JSON.stringify(ORDER), {
    MessageAttributes: { 'order-status': { DataType: 'String', StringValue: ORDER.status } },
  });
  await deployed.advance({ minutes: 10 });
  const { exitCode, out, err } = await new OperatedAccount(deployed, url, 'dlq').dlo('ls');
  expect([exitCode, err]).toEqual([0, '']);
  expect(cells(out).map(line => line.map(cell => cell.trim()))).toEqual([
    ['QUEUE', 'LETTERS', 'IN FLIGHT', 'DELAYED', 'OLDEST', 'FIRST EXPIRES', 'FED BY'],
    [
      'Rental-Fulfilment-Fanout-DLQ',
      '1',
      '0',
      '0',
      expect.stringMatching(/^(9|10) min$/),
      'in 13 d 23 h',
      'subscription Rental-Orders to Rental-Fulfilment',
    ],
    ['Rental-Billing-DLQ', '0', '0', '0', '-', '-', 'function Rental-Billing'],
    ['Rental-Billing-Fanout-DLQ', '0', '0', '0', '-', '-', 'subscription Rental-Orders to Rental-Billing'],
    ['Rental-Fulfilment-DLQ', '0', '0', '0', '-', '-', 'queue Rental-Fulfilment'],
  ]);
});
