import { OperatedAccount } from '../../bin/operated-account';
import { MemoryIo } from '../../bin/shared/memory-io';
import type { Deployed } from '../../support/deployed';
import { eachFinding } from '../../support/examined';
import { deployRentalOrders, ORDER, RENTAL } from '../../support/rental';
import { accounts } from '../../support/subscribers';
import { fixAsAdvised, redriveAll } from './fix-and-redrive';

const ORDERS = ['R-0001', 'R-0002', 'R-0003', 'R-0004'];

const DIED = ORDERS.slice(0, -1);

const DEAD_LETTERS = 'Rental-Fulfilment-Fanout-DLQ';

const FILE = 'fulfilment.jsonl';

describe('the rental backend, whose fulfilment queue lost its policy,', () => {
  let deployed: Deployed;
  let url: string;
  let operator: OperatedAccount;
  const io = new MemoryIo();

  const post = (orderId: string) =>
    deployed.aws.request('POST', deployed.aws.output('OrdersUrl'), JSON.stringify({ ...ORDER, orderId }));

  const losses = async () => {
    const document = await new OperatedAccount(deployed, url, 'doctor').json('--severity loses');
    return eachFinding(document).map(({ id, resource }) => [id, resource]);
  };

  beforeAll(async () => {
    deployed = await deployRentalOrders({ billingEndpoint: 'https://billing.example.com/invoices' });
    ({ url } = await deployed.aws.listen());
    operator = new OperatedAccount(deployed, url, 'dlq');
    await deployed.takeQueuePolicyAway(RENTAL.fulfilment);
    await deployed.advance({ minutes: 1 });
    for (const order of DIED) await post(order);
    await deployed.advance({ minutes: 5 });
  });

  test('is seen by all that only looks', async () => {
    const { queues } = await operator.json('ls');
    const named = (name: string) => queues.find((it: { name: string }) => it.name === name);
    expect(named(DEAD_LETTERS)).toMatchObject({ depths: { visible: 3 }, tasks: [], findings: [] });
    const { messages } = await operator.json(`peek ${DEAD_LETTERS}`);
    const seen = messages.map(({ payload }: { payload: string }) => JSON.parse(payload).orderId);
    expect(seen.sort()).toEqual(DIED);
    expect((await operator.dlo(`export ${DEAD_LETTERS} ${FILE}`, {}, io)).out).toContain('the file has all of them.\n');
    expect(await operator.json(`watch ${DEAD_LETTERS}`)).toMatchObject({ tasks: [] });
    expect(await operator.json(`cancel ${DEAD_LETTERS} --execute`)).toMatchObject({ task: null, executed: false });
    expect(await losses()).toEqual([['queue-policy-keeps-out', 'Rental-Fulfilment']]);
  });

  test('has each order once after the fix is applied as advised and the messages are redriven', async () => {
    expect(await fixAsAdvised(operator, url, DEAD_LETTERS)).toMatchObject({ messages: 3, code: '403 AccessDenied' });
    // Only the test reads this queue, and it does so later. So no consumer has taken the messages yet.
    expect(await redriveAll(operator, DEAD_LETTERS)).toMatchObject({
      moved: 3,
      verdict: 'not-consumed',
      inQueue: 0,
      left: [],
    });
    await post(ORDERS.at(-1) ?? '');
    await deployed.advance({ minutes: 1 });
    const fulfilled = (await deployed.take(RENTAL.fulfilment)).map(
      body => JSON.parse(JSON.parse(body).Message).orderId,
    );
    expect(fulfilled.sort()).toEqual(ORDERS);
    expect(await deployed.take(RENTAL.fulfilment)).toEqual([]);
    const books = accounts(deployed).map(({ endpoint, published, delivered, deadLettered, lost, underWay }) => [
      endpoint,
      { published, delivered, deadLettered, lost, underWay },
    ]);
    // The ledger still counts the messages as dead-lettered. Their copies were fulfilled.
    const even = { published: 4, delivered: 4, deadLettered: {}, lost: 0, underWay: 0 };
    expect(Object.fromEntries(books)).toEqual({
      [deployed.arn(RENTAL.fulfilment)]: { ...even, delivered: 1, deadLettered: { [DEAD_LETTERS]: 3 } },
      [deployed.arn(RENTAL.billing)]: even,
    });
    expect(await losses()).toEqual([]);
  });

  test('has them back from the file, and keeps from a purge what the file has not', async () => {
    const imported = await operator.dlo(`import ${FILE} ${DEAD_LETTERS} --execute --json`, {}, io);
    expect(JSON.parse(imported.out)).toMatchObject({ messages: 3, sent: 3 });
    const purge = `purge ${DEAD_LETTERS} --execute --confirm ${DEAD_LETTERS} --json --export`;
    // For SQS they are new messages, with new ids.
    expect(JSON.parse((await operator.dlo(`${purge} ${FILE}`, {}, io)).out)).toMatchObject({ deleted: 0, kept: 3 });
    await operator.dlo(`export ${DEAD_LETTERS} again.jsonl`, {}, io);
    expect(JSON.parse((await operator.dlo(`${purge} again.jsonl`, {}, io)).out)).toMatchObject({ deleted: 3, kept: 0 });
    expect(await deployed.take('Rental/FulfilmentFanoutDlq')).toEqual([]);
  });
});
