import { OperatedAccount } from '../../bin/operated-account';
import { deployRentalOrders, ORDER, RENTAL } from '../../support/rental';
import { accounts } from '../../support/subscribers';
import { mendAsTold, sentHome } from './mend-as-told';

const ORDERS = ['R-0001', 'R-0002', 'R-0003', 'R-0004'];

const DEAD_LETTERS = 'Rental-Fulfilment-Fanout-DLQ';

test('the rental backend, whose fulfilment queue lost its policy, has each order once when it is mended as told', async () => {
  const deployed = await deployRentalOrders({ billingEndpoint: 'https://billing.example.com/invoices' });
  const { url } = await deployed.aws.listen();
  const operator = new OperatedAccount(deployed, url, 'dlq');
  const post = (orderId: string) =>
    deployed.aws.request('POST', deployed.aws.output('OrdersUrl'), JSON.stringify({ ...ORDER, orderId }));

  await deployed.takeQueuePolicyAway(RENTAL.fulfilment);
  await deployed.advance({ minutes: 1 });
  for (const order of ORDERS.slice(0, -1)) await post(order);
  await deployed.advance({ minutes: 5 });

  expect(await mendAsTold(operator, url, DEAD_LETTERS)).toMatchObject({ letters: 3, code: '403 AccessDenied' });
  // Nobody reads the queue here but the test, which comes later: so nobody can tell how they fare.
  expect(await sentHome(operator, DEAD_LETTERS)).toMatchObject({ moved: 3, verdict: 'unproven', inQueue: 0, left: [] });
  await post(ORDERS.at(-1) ?? '');
  await deployed.advance({ minutes: 1 });

  const fulfilled = (await deployed.take(RENTAL.fulfilment)).map(body => JSON.parse(JSON.parse(body).Message).orderId);
  expect(fulfilled.sort()).toEqual(ORDERS);
  expect(await deployed.take(RENTAL.fulfilment)).toEqual([]);
  const books = accounts(deployed).map(({ endpoint, published, delivered, deadLettered, lost, underWay }) => [
    endpoint,
    { published, delivered, deadLettered, lost, underWay },
  ]);
  // The letters stay what they were, by SNS's books: it is their copies that were fulfilled.
  const even = { published: 4, delivered: 4, deadLettered: {}, lost: 0, underWay: 0 };
  expect(Object.fromEntries(books)).toEqual({
    [deployed.arn(RENTAL.fulfilment)]: { ...even, delivered: 1, deadLettered: { [DEAD_LETTERS]: 3 } },
    [deployed.arn(RENTAL.billing)]: even,
  });
});
