import type { Deployed } from '../support/deployed';
import { deployRentalOrders, ORDER, RENTAL } from '../support/rental';

describe('POST /orders', () => {
  let deployed: Deployed;

  beforeAll(async () => {
    deployed = await deployRentalOrders({ billingEndpoint: 'https://billing.example.com/invoices' });
  });

  afterEach(() => deployed.aws.faults.clear());

  const post = (body: string) => deployed.aws.request('POST', deployed.aws.output('OrdersUrl'), body);

  /** What the fulfilment system finds. */
  const fulfilled = async () => {
    await deployed.aws.runUntilIdle();
    return (await deployed.take(RENTAL.fulfilment)).map(body => JSON.parse(body));
  };

  test('answers with the id of the message the subscribers get', async () => {
    const { status, text } = await post(JSON.stringify(ORDER));
    expect({ status, text }).toEqual({ status: 200, text: expect.stringMatching(/^\{"messageId":"[0-9a-f-]{36}"\}$/) });
    expect(await fulfilled()).toMatchObject([
      {
        MessageId: JSON.parse(text).messageId,
        Message: JSON.stringify(ORDER),
        MessageAttributes: { 'order-status': { Type: 'String', Value: 'confirmed' } },
      },
    ]);
  });

  test('publishes an order that is only pending, which nobody acts on', async () => {
    const { status, text } = await post(JSON.stringify({ ...ORDER, status: 'pending' }));
    expect(status).toBe(200);
    expect(await fulfilled()).toEqual([]);
    const { messageId } = JSON.parse(text);
    const filtered = deployed.happened('sns.filtered').filter(it => it.messageId === messageId);
    expect(filtered.map(({ reason }) => reason)).toEqual(['MessageAttributes', 'MessageAttributes']);
  });

  test.each([
    'a&b=c+d%20e;f?g',
    'it\'s "quoted" \\ and /slashed/',
    'line one\nline two\ttab\r\u0001',
    'Zoë 🚗 Straße 東京 \u2028',
    `$x $\{y} $!z #set($a = 1) #if ## #*`,
    '<xml>&amp;</xml>',
  ])('brings %j to both subscribers byte for byte', async customerId => {
    const body = JSON.stringify({ ...ORDER, customerId });
    expect((await post(body)).status).toBe(200);
    expect((await fulfilled()).map(({ Message }) => Message)).toEqual([body]);
    const billed = deployed.aws.endpoint('billing.example.com').requests.at(-1);
    expect(JSON.parse(Buffer.from(billed?.body ?? []).toString('utf8')).customerId).toBe(customerId);
  });

  test('keeps the spacing of the body as it was sent', async () => {
    const body = ` ${JSON.stringify(ORDER, null, 4)}\r\n`;
    expect((await post(body)).status).toBe(200);
    expect((await fulfilled()).map(({ Message }) => Message)).toEqual([body]);
  });

  const without = ({ ...order }: Record<string, unknown>, field: string) => {
    delete order[field];
    return order;
  };

  test.each([
    { what: 'no body', body: '' },
    { what: 'no JSON', body: '{"orderId":' },
    { what: 'a list', body: JSON.stringify([ORDER]) },
    ...Object.keys(ORDER).map(field => ({ what: `no ${field}`, body: JSON.stringify(without(ORDER, field)) })),
    { what: 'half a day', body: JSON.stringify({ ...ORDER, days: 0.5 }) },
    { what: 'no days', body: JSON.stringify({ ...ORDER, days: 0 }) },
    { what: 'a negative rate', body: JSON.stringify({ ...ORDER, dailyRate: -1 }) },
    { what: 'a currency in lower case', body: JSON.stringify({ ...ORDER, currency: 'eur' }) },
    { what: 'a status that would break the form', body: JSON.stringify({ ...ORDER, status: 'a&Action=x' }) },
    { what: 'an empty customer', body: JSON.stringify({ ...ORDER, customerId: '' }) },
  ])('refuses $what, and publishes nothing', async ({ body }) => {
    const published = deployed.happened('sns.published').length;
    expect(await post(body)).toEqual({ status: 400, text: '{"message":"Invalid request body"}' });
    expect(deployed.happened('sns.published')).toHaveLength(published);
  });

  test('refuses whoever has not signed', async () => {
    const answer = await deployed.aws.request('POST', deployed.aws.output('OrdersUrl'), JSON.stringify(ORDER), {
      signed: false,
    });
    expect(answer).toEqual({ status: 403, text: '{"message":"Missing Authentication Token"}' });
    expect(await fulfilled()).toEqual([]);
  });

  test.each([
    { sns: 500, status: 503, says: 'The order could not be published now: try again' },
    { sns: 503, status: 503, says: 'The order could not be published now: try again' },
    { sns: 429, status: 503, says: 'The order could not be published now: try again' },
    { sns: 403, status: 500, says: 'The order could not be published' },
    { sns: 404, status: 500, says: 'The order could not be published' },
    { sns: 400, status: 400, says: 'SNS does not accept this order' },
  ])('answers $status when SNS answers $sns', async ({ sns, status, says }) => {
    deployed.aws.faults.set({ service: 'sns', action: 'Publish', httpStatus: sns, code: 'Failing' });
    expect(await post(JSON.stringify(ORDER))).toEqual({ status, text: JSON.stringify({ message: says }) });
    expect(await fulfilled()).toEqual([]);
  });

  test('answers 400 to an order larger than SNS takes', async () => {
    const { status, text } = await post(JSON.stringify({ ...ORDER, remarks: 'x'.repeat(262_144) }));
    expect({ status, text }).toEqual({ status: 400, text: '{"message":"SNS does not accept this order"}' });
  });

  test('answers 503, and blames no caller, while the topic’s key is disabled', async () => {
    const key = deployed.ref('Rental/Key');
    deployed.aws.services.kms.disableKey(key);
    const answer = await post(JSON.stringify(ORDER));
    deployed.aws.services.kms.enableKey(key);
    expect(answer).toEqual({ status: 503, text: '{"message":"The order could not be published now: try again"}' });
    expect(await fulfilled()).toEqual([]);
  });
});
