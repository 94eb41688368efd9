import { response } from '../../../../local';
import { deployRentalOrders, ORDER, RENTAL } from '../../../support/rental';
import { ordersRedrive } from '../../redrive/redrive-account';
import { RedriveAccount } from './redrive-account';

const HOST = 'billing.example.com';

describe('dlo dlq redrive, of the rental backend', () => {
  let account: RedriveAccount;

  beforeAll(async () => {
    account = await RedriveAccount.ofDeployed(
      await deployRentalOrders({ billingEndpoint: `https://${HOST}/invoices` }),
    );
    await account.deployed.advance({ minutes: 1 });
    account.deployed.aws.endpoint(HOST).behave({ reply: response(503) });
    await account.deployed.takeQueuePolicyAway(RENTAL.fulfilment);
    const MessageAttributes = { 'order-status': { DataType: 'String', StringValue: ORDER.status } };
    await account.deployed.publish(RENTAL.topic, JSON.stringify(ORDER), { MessageAttributes });
    await account.deployed.advance({ hours: 1 });
  });

  test('brings an order that never reached its queue there, encrypted as both are', async () => {
    const { exitCode, out } = await account.dlo('redrive Rental-Fulfilment-Fanout-DLQ --execute');
    const says = /^1 letter moved from Rental-Fulfilment-Fanout-DLQ to queue Rental-Fulfilment; 1 letter may lie/;
    expect([exitCode, out]).toEqual([0, expect.stringMatching(says)]);
    const [message = ''] = await account.deployed.take(RENTAL.fulfilment);
    expect(JSON.parse(JSON.parse(message).Message)).toEqual(ORDER);
  });

  test('has an order billed once the billing system is well again, and not before', async () => {
    const billing = account.deployed.aws.endpoint(HOST);
    const early = await account.dlo('redrive Rental-Billing-DLQ --execute');
    expect([early.exitCode, early.out]).toEqual([1, expect.stringContaining('1 letter came back')]);
    billing.behave({ reply: response(200) });
    const before = billing.requests.length;
    const { exitCode, out } = await account.dlo('redrive Rental-Billing-DLQ --execute');
    const says = /^1 letter moved from Rental-Billing-DLQ to function Rental-Billing; none came back\.\n/;
    expect([exitCode, out]).toEqual([0, expect.stringMatching(says)]);
    expect(billing.requests).toHaveLength(before + 1);
  });
});

describe('dlo dlq redrive, of a queue that one of our functions redrives', () => {
  test('says so, and how that one is kept from it, and moves letters home beside it', async () => {
    const account = await RedriveAccount.of(stack => void ordersRedrive(stack));
    await account.sendMany('Orders/DeadLetterQueue', 3);
    const dead = account.queue('Orders/DeadLetterQueue');
    const { risks } = await account.json(`redrive ${dead}`);
    expect(risks).toContainEqual({
      id: 'redrive-watches',
      weight: 'danger',
      says: expect.stringContaining(`dlo redrive stop ${account.name('Home')} --execute keeps it from that`),
    });
    const { exitCode, out } = await account.dlo(`redrive ${dead} --execute`);
    expect([exitCode, out]).toEqual([0, expect.stringContaining('3 letters moved')]);
    expect([account.depth('Orders/DeadLetterQueue'), account.depth('Orders')]).toEqual([
      [0, 0],
      [0, 0],
    ]);
  });
});
