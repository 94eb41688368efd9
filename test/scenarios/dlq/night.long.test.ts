import { nameInArn } from '../../../policy/arn';
import { OperatedAccount } from '../../bin/operated-account';
import { MemoryIo } from '../../bin/shared/memory-io';
import { applyCalls } from '../../support/apply-fix';
import { eachFinding } from '../../support/examined';
import { CARRIER_URL, CONSUMERS, DEAD_LETTER_QUEUES, Night } from '../../support/outage-night';
import { accounts } from '../../support/subscribers';
import { fixAsAdvised, redriveAll } from './fix-and-redrive';

describe('one night of a shop that uses none of our constructs', () => {
  let night: Night;
  let operator: OperatedAccount;

  beforeAll(async () => {
    night = await Night.begin();
    await night.breaks();
    operator = new OperatedAccount(night.shop, night.url, 'dlq');
  });

  /** How many messages each dead-letter queue has. */
  const messages = async () => {
    const counts: Record<string, number> = {};
    for (const queue of DEAD_LETTER_QUEUES) {
      const { depths: before } = await operator.json(`export ${queue} ${queue}.jsonl`);
      counts[queue] = before.visible + before.inFlight + before.delayed;
    }
    return counts;
  };

  test('in the morning three queues have messages, and one alarm rang', async () => {
    expect(await messages()).toEqual({ 'invoices-dlq': 30, 'picking-dlq': 4, 'mailing-dlq': 0, 'carrier-dlq': 15 });
    expect(night.shop.alarmed('/Shop/picking-died')).toHaveLength(1);
  });

  test.each([
    ['invoices-dlq', 30, '403 AccessDenied', 'copy'],
    ['picking-dlq', 4, 'Task timed out after 2.00 seconds', 'task'],
  ])('the cause of %s is fixed as advised, and then all messages are redriven', async (queue, count, code, carrier) => {
    expect(await fixAsAdvised(operator, night.url, queue)).toMatchObject({ messages: count, code });
    expect(await redriveAll(operator, queue)).toMatchObject({
      carrier,
      outcome: 'moved',
      moved: count,
      verdict: 'succeeded',
      inQueue: 0,
      left: [],
    });
  });

  test('messages that cannot be fixed are exported to a file, and only then deleted', async () => {
    const io = new MemoryIo();
    await operator.dlo('export carrier-dlq carrier.jsonl', {}, io);
    io.answer = question => (question.includes('carrier-dlq') ? 'carrier-dlq' : '');
    const purged = await operator.dlo('purge carrier-dlq --export carrier.jsonl --execute', {}, io);
    expect(purged).toMatchObject({ exitCode: 0, out: expect.stringContaining('15 messages deleted for good.\n') });
    const lines = (io.written.get('carrier.jsonl') ?? '')
      .trimEnd()
      .split('\n')
      .map(line => JSON.parse(line));
    const kept = lines.filter(({ message }) => message).map(({ message }) => JSON.parse(message.body).Message);
    expect(kept.sort()).toEqual(night.orders.slice(-15));
  });

  test('the books are even: each order was done once by everybody, none is lost, and no message is left', async () => {
    await night.shop.aws.runUntilIdle();
    const once = Object.fromEntries(night.orders.map(order => [order, 1]));
    for (const consumer of CONSUMERS)
      expect({ consumer, done: night.done(consumer) }).toEqual({ consumer, done: once });
    expect(await messages()).toEqual({ 'invoices-dlq': 0, 'picking-dlq': 0, 'mailing-dlq': 0, 'carrier-dlq': 0 });
    const books = accounts(night.shop).map(({ endpoint, published, delivered, deadLettered, lost, underWay }) => [
      endpoint.startsWith('arn:') ? nameInArn(endpoint) : endpoint,
      { published, delivered, deadLettered, lost, underWay },
    ]);
    const all = night.orders.length;
    const even = { published: all, delivered: all, deadLettered: {}, lost: 0, underWay: 0 };
    // The ledger still counts copied messages as dead-lettered. Their copies are new messages.
    const died = (queue: string, count: number) => ({ delivered: all - count, deadLettered: { [queue]: count } });
    expect(Object.fromEntries(books)).toEqual({
      invoices: { ...even, ...died('invoices-dlq', 30) },
      picking: even,
      mailing: even,
      [CARRIER_URL]: { ...even, ...died('carrier-dlq', 15) },
    });
  });

  test('and of what the carrier still refuses in the morning, the alarm tells that the doctor has named', async () => {
    const document = await new OperatedAccount(night.shop, night.url, 'doctor').json('--severity unwatched');
    const unwatched = eachFinding(document).find(
      ({ id, resource }) => id === 'dead-letters-unwatched' && resource === 'carrier-dlq',
    );
    if (!unwatched) throw new Error('the doctor found no unwatched queue');
    await applyCalls(night.url, unwatched.fix.calls);
    await night.shop.advance({ minutes: 2 });
    const fromSeconds = night.shop.seconds;
    await night.morning();
    expect(await messages()).toEqual({ 'invoices-dlq': 0, 'picking-dlq': 0, 'mailing-dlq': 0, 'carrier-dlq': 12 });
    const rang = night.shop
      .happened('cloudwatch.alarm-state-changed')
      .filter(({ to, alarmName }) => to === 'ALARM' && alarmName === unwatched.fix.calls[0]?.input['AlarmName'])
      .map(({ atMs }) => night.shop.secondsAt(atMs) - fromSeconds);
    // An order comes every five minutes, and the alarm's period is one.
    expect(rang.map(seconds => Math.floor(seconds / 300))).toEqual(Array.from({ length: 12 }, (_, order) => order));
    expect(Math.max(...rang.map(seconds => seconds % 300))).toBeLessThanOrEqual(60);
  });
});
