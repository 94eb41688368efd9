import { type Behaviour, type ReceivedRequest, response } from '../../local';
import type { Deployed } from '../support/deployed';
import { deployRentalOrders, ORDER, RENTAL } from '../support/rental';

describe('POST /orders', () => {
  let deployed: Deployed;

  beforeAll(async () => {
    deployed = await deployRentalOrders({ billingEndpoint: 'https://billing.example.com/invoices' });
  });

  afterEach(() => deployed.aws.faults.clear());

  const post = (body: string) => deployed.aws.request('POST', deployed.aws.output('OrdersUrl'), body);

  /** Returns the messages that the fulfilment system receives. */
  const fulfilled = async () => {
    await deployed.aws.runUntilIdle();
    return (await deployed.take(RENTAL.fulfilment)).map(body => JSON.parse(body));
  };

  test('answers with the id of the message the subscribers get', async () => {
    const { status, text } = await post(JSON.stringify(ORDER));
    expect({ status, text }).toEqual({
      status: 200,
      text: expect.stringMatching(/^\{"messageId":"[0-9a-f-]{36}"\}$/),
    });
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

const HOST = 'billing.example.com';

/** The bundle in dist/lambda/rental-billing, as a release ships it, in the stack that ships it. */
describe('the Rental-Billing bundle', () => {
  let deployed: Deployed;

  beforeAll(async () => {
    deployed = await deployRentalOrders({ billingEndpoint: `https://${HOST}/invoices` });
  });

  afterEach(() => {
    expect(deployed.happened('lambda.lost')).toEqual([]);
    expect(deployed.happened('sns.lost')).toEqual([]);
  });

  /** Publishes to a billing system with these behaviours, and waits until everything is over. */
  const bill = async (message: string, ...behaviours: Behaviour[]) => {
    const billing = deployed.aws.endpoint(HOST);
    billing.behave(...behaviours);
    const before = billing.requests.length;
    const publishedAt = deployed.seconds;
    const messageId = await deployed.publish(RENTAL.topic, message, {
      MessageAttributes: { 'order-status': { DataType: 'String', StringValue: 'confirmed' } },
    });
    await deployed.aws.runUntilIdle();
    const { requestId } = deployed.happened('lambda.event-queued').find(it => it.messageIds.includes(messageId)) ?? {};
    const runs = deployed.happened('lambda.finished').filter(it => it.requestId === requestId);
    const startedAt = deployed
      .happened('lambda.invoked')
      .filter(it => it.requestId === requestId)
      .map(({ atMs }) => deployed.secondsAt(atMs) - publishedAt);
    return { messageId, requestId, runs, startedAt, requests: billing.requests.slice(before) };
  };

  const order = (more: object) => JSON.stringify({ ...ORDER, ...more });
  const jsonOf = ({ body }: ReceivedRequest) => JSON.parse(Buffer.from(body).toString('utf8'));

  /** Returns the only dead letter, and its reason. */
  const deadLetter = async () => {
    const [message, ...others] = await deployed.receive(RENTAL.billingDeadLetters);
    expect(others).toEqual([]);
    await deployed.advance({ seconds: 30 });
    await deployed.take(RENTAL.billingDeadLetters);
    const { RequestID, ErrorCode, ErrorMessage } = message?.MessageAttributes ?? {};
    return {
      message: JSON.parse(message?.Body ?? '{}').Records?.[0]?.Sns.Message,
      requestId: RequestID?.StringValue,
      code: ErrorCode?.StringValue,
      reason: ErrorMessage?.StringValue,
    };
  };

  test('posts a confirmed order as an invoice, once', async () => {
    const { requests, messageId, runs } = await bill(order({ orderId: 'R-1' }));
    expect(requests).toHaveLength(1);
    const [request] = requests as [ReceivedRequest];
    expect(request).toMatchObject({ method: 'POST', protocol: 'https', host: HOST, port: 443, path: '/invoices' });
    expect(request.headers).toMatchObject({
      'content-type': 'application/json',
      'content-length': String(request.body.byteLength),
      'idempotency-key': 'R-1-confirmed',
    });
    expect(jsonOf(request)).toEqual({
      kind: 'invoice',
      number: 'R-1-confirmed',
      customerId: 'C-17',
      currency: 'EUR',
      lines: [{ description: 'Rental, class compact', quantity: 3, unitPrice: 3_900 }],
      total: 11_700,
      sourceMessageId: messageId,
    });
    expect(runs.map(({ outcome }) => outcome)).toEqual(['success']);
  });

  test('posts a canceled order as a credit note', async () => {
    const { requests } = await bill(order({ orderId: 'R-2', status: 'canceled' }));
    expect(requests.map(jsonOf)).toMatchObject([{ kind: 'credit-note', number: 'R-2-canceled', total: -11_700 }]);
    expect(requests[0]?.headers['idempotency-key']).toBe('R-2-canceled');
  });

  test('sends the same invoice with the same key again after a 503', async () => {
    const { requests, startedAt, runs } = await bill(order({ orderId: 'R-3' }), { reply: response(503), count: 1 });
    expect(startedAt).toEqual([0, 60]);
    expect(runs.map(({ outcome }) => outcome)).toEqual(['error', 'success']);
    expect(new Set(requests.map(({ headers }) => headers['idempotency-key']))).toEqual(new Set(['R-3-confirmed']));
    expect(requests.map(jsonOf)).toEqual([
      jsonOf(requests[0] as ReceivedRequest),
      jsonOf(requests[0] as ReceivedRequest),
    ]);
    expect(await deployed.receive(RENTAL.billingDeadLetters)).toEqual([]);
  });

  test('keeps the order, with what the billing system said, after the third 503', async () => {
    const message = order({ orderId: 'R-4' });
    const { startedAt, runs, requestId } = await bill(message, { reply: response(503, 'closed for stocktaking') });
    expect(startedAt).toEqual([0, 60, 180]);
    expect(runs).toMatchObject(Array(3).fill({ outcome: 'error', errorType: 'BillingError' }));
    expect(await deadLetter()).toEqual({
      message,
      requestId,
      code: '200',
      reason: 'R-4-confirmed: billing.example.com answered 503: closed for stocktaking',
    });
  });

  test('gives a silent billing system 10 seconds of its own, so that Lambda’s 15 never strike', async () => {
    const { startedAt, runs } = await bill(order({ orderId: 'R-5' }), { reply: { kind: 'silence' } });
    expect(startedAt).toEqual([0, 70, 200]);
    expect(runs).toMatchObject(Array(3).fill({ outcome: 'error', durationMs: 10_000 }));
    expect((await deadLetter()).reason).toBe(
      'R-5-confirmed: no response from billing.example.com: nothing within 10000 ms',
    );
  });

  test.each(['ECONNREFUSED', 'ENOTFOUND', 'ECONNRESET'] as const)('says so when it meets %s', async code => {
    const { runs } = await bill(order({ orderId: 'R-6' }), { reply: { kind: 'no-answer', code } });
    expect(runs).toHaveLength(3);
    expect((await deadLetter()).reason).toMatch(/^R-6-confirmed: no response from billing\.example\.com: /);
    expect(runs.map(({ errorMessage }) => errorMessage)).toEqual(Array(3).fill(expect.stringContaining(code)));
  });

  test.each([
    { what: 'no JSON', message: 'an order', reason: /^the order is not JSON: / },
    {
      what: 'half a day',
      message: order({ days: 0.5 }),
      reason: /^days must be a whole number, 1 or more, got: 0.5$/,
    },
    {
      what: 'several fields at fault',
      message: order({ currency: 'euro', customerId: '' }),
      reason: /^customerId must be text that is not empty, got: ""; currency must be an ISO 4217 code .*, got: "euro"$/,
    },
  ])('bills nothing for an order with $what, and keeps it with the reason', async ({ message, reason }) => {
    const { requests } = await bill(message);
    expect(requests).toEqual([]);
    expect(await deadLetter()).toMatchObject({ message, reason: expect.stringMatching(reason) });
  });

  test('does not follow a redirect', async () => {
    const elsewhere = deployed.aws.endpoint('elsewhere.example.com');
    const { requests } = await bill(order({ orderId: 'R-7' }), {
      reply: response(307, '', { location: 'https://elsewhere.example.com/' }),
    });
    expect(requests).toHaveLength(3);
    expect(elsewhere.requests).toEqual([]);
    expect((await deadLetter()).reason).toContain('answered 307');
  });

  test('writes one line of JSON for each attempt, with the message it is about', async () => {
    const { messageId } = await bill(order({ orderId: 'R-8' }), { reply: response(503), count: 1 });
    const { logging } = deployed.aws.services.lambda.functionNamed('Rental-Billing').configuration;
    const lines = deployed.log(logging.logGroup).filter(text => text.includes(messageId));
    const written = lines.map(text => JSON.parse(text.slice(text.indexOf('{'))));
    expect(written).toMatchObject([
      { level: 'ERROR', message: 'not billed', messageId, error: 'BillingError' },
      { level: 'INFO', message: 'billed', messageId, number: 'R-8-confirmed', total: 11_700, statusCode: 200 },
    ]);
  });

  test('keeps its connection to the billing system open for the next order', async () => {
    const [first] = (await bill(order({ orderId: 'R-9' }))).requests;
    const { requests, requestId } = await bill(order({ orderId: 'R-10' }));
    expect([first, ...requests].map(request => request?.headers['connection'])).toEqual(['keep-alive', 'keep-alive']);
    const run = deployed.happened('lambda.invoked').find(it => it.requestId === requestId);
    expect(run?.coldStart).toBe(false);
  });
});
