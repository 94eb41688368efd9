import { spawnSync } from 'node:child_process';
import path from 'node:path';
import type { SNSEvent } from 'aws-lambda';
import {
  billingHandler,
  invoiceFor,
  type LogLine,
  type RentalOrder,
  type Response,
  readOrder,
  UnbillableOrderError,
} from '../../../examples/rental/billing-function/billing';

const answered = (statusCode: number, body = ''): Response => ({ statusCode, body });

const ORDER = {
  orderId: 'R-1001',
  status: 'confirmed',
  customerId: 'C-7',
  vehicleClass: 'compact',
  days: 2,
  dailyRate: 5_000,
  currency: 'EUR',
};

function eventOf(...messages: string[]): SNSEvent {
  const records = messages.map((Message, index) => ({
    EventVersion: '1.0',
    EventSubscriptionArn: 'arn:aws:sns:us-east-1:123456789012:Rental-Orders:1',
    EventSource: 'aws:sns',
    Sns: {
      Type: 'Notification',
      MessageId: `message-${index}`,
      TopicArn: 'arn:aws:sns:us-east-1:123456789012:Rental-Orders',
      Subject: '',
      Message,
      Timestamp: '2019-10-04T05:13:55.876Z',
      SignatureVersion: '1',
      Signature: '',
      SigningCertUrl: '',
      UnsubscribeUrl: '',
      MessageAttributes: {},
    },
  }));
  return { Records: records };
}

interface Posted {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
}

/** Returns a billing system that gives these answers in turn, and the requests it received. */
function billingSystem(...answers: (Response | Error)[]) {
  const posted: Posted[] = [];
  const lines: LogLine[] = [];
  const handle = billingHandler({
    billingUrl: new URL('https://billing.example.com/invoices'),
    post: async (url, headers, body) => {
      posted.push({ url: url.href, headers, body: JSON.parse(body) });
      const answer = answers.shift() ?? answered(201);
      if (answer instanceof Error) throw answer;
      return answer;
    },
    log: line => lines.push(line),
  });
  return { handle, posted, lines };
}

describe('The billing handler', () => {
  test('posts an invoice, whose number is the idempotency key', async () => {
    const { handle, posted, lines } = billingSystem();
    await handle(eventOf(JSON.stringify(ORDER)));
    expect(posted).toEqual([
      {
        url: 'https://billing.example.com/invoices',
        headers: { 'Content-Type': 'application/json', 'Idempotency-Key': 'R-1001-confirmed' },
        body: expect.objectContaining({ number: 'R-1001-confirmed', total: 10_000, sourceMessageId: 'message-0' }),
      },
    ]);
    expect(lines).toEqual([
      {
        level: 'INFO',
        message: 'billed',
        messageId: 'message-0',
        number: 'R-1001-confirmed',
        total: 10_000,
        statusCode: 201,
      },
    ]);
  });

  test.each([
    [503, 'down for maintenance'],
    [404, 'no such resource'],
    [302, ''],
  ])('fails on the answer %s, so that Lambda tries again and then keeps the order', async (statusCode, body) => {
    const { handle, lines } = billingSystem(answered(statusCode, body));
    const reason = `R-1001-confirmed: billing.example.com answered ${statusCode}: ${body}`;
    await expect(handle(eventOf(JSON.stringify(ORDER)))).rejects.toThrow(reason);
    expect(lines).toEqual([
      { level: 'ERROR', message: 'not billed', messageId: 'message-0', error: 'BillingError', reason },
    ]);
  });

  test('fails when nobody answers, and keeps the cause', async () => {
    const cause = new Error('connect ECONNREFUSED');
    const { handle } = billingSystem(cause);
    const failure = handle(eventOf(JSON.stringify(ORDER)));
    await expect(failure).rejects.toThrow(
      'R-1001-confirmed: no response from billing.example.com: connect ECONNREFUSED',
    );
    await expect(failure).rejects.toHaveProperty('cause', cause);
  });

  test('shows no more than 200 characters of an answer', async () => {
    const { handle, lines } = billingSystem(answered(500, 'x'.repeat(5_000)));
    await expect(handle(eventOf(JSON.stringify(ORDER)))).rejects.toThrow();
    expect(String(lines[0]?.['reason'])).toMatch(/answered 500: x{200}$/);
  });

  test('fails on an order it cannot read, without bothering the billing system', async () => {
    const { handle, posted, lines } = billingSystem();
    await expect(handle(eventOf('{}'))).rejects.toThrow('orderId must be text that is not empty');
    expect(posted).toEqual([]);
    expect(lines).toEqual([expect.objectContaining({ level: 'ERROR', error: 'UnbillableOrderError' })]);
  });

  test('stops at the first record that fails', async () => {
    const { handle, posted } = billingSystem(answered(500));
    await expect(handle(eventOf(JSON.stringify(ORDER), JSON.stringify(ORDER)))).rejects.toThrow('answered 500');
    expect(posted).toHaveLength(1);
  });
});

describe('order', () => {
  const ORDER: RentalOrder = {
    orderId: 'R-1001',
    status: 'confirmed',
    customerId: 'C-7',
    vehicleClass: 'compact',
    days: 3,
    dailyRate: 4_250,
    currency: 'EUR',
  };

  describe('An order', () => {
    test('is read from the message that was published', () => {
      expect(readOrder(JSON.stringify(ORDER))).toEqual(ORDER);
    });

    test.each<[string, string]>([
      ['{"orderId"', 'the order is not JSON'],
      ['[]', 'the order must be a JSON object'],
      ['null', 'the order must be a JSON object'],
      ['"text"', 'the order must be a JSON object'],
      [JSON.stringify({ ...ORDER, orderId: '' }), 'orderId must be text that is not empty, got: ""'],
      [JSON.stringify({ ...ORDER, status: 'pending' }), 'status must be one of confirmed, canceled, got: "pending"'],
      [JSON.stringify({ ...ORDER, days: 0 }), 'days must be a whole number, 1 or more, got: 0'],
      [JSON.stringify({ ...ORDER, days: 1.5 }), 'days must be a whole number, 1 or more, got: 1.5'],
      [
        JSON.stringify({ ...ORDER, dailyRate: -1 }),
        'dailyRate must be a whole number of the smallest unit, 0 or more, got: -1',
      ],
      [
        JSON.stringify({ ...ORDER, currency: 'eur' }),
        'currency must be an ISO 4217 code of three uppercase characters, got: "eur"',
      ],
    ])('that reads %s cannot be billed', (message, problem) => {
      expect(() => readOrder(message)).toThrow(UnbillableOrderError);
      expect(() => readOrder(message)).toThrow(problem);
    });

    test('with several faults names them all at once', () => {
      const message = JSON.stringify({ ...ORDER, customerId: 7, vehicleClass: undefined, currency: null });
      expect(() => readOrder(message)).toThrow(/^customerId .*; vehicleClass .*; currency .*, got: null$/);
    });
  });

  describe('An invoice', () => {
    test('bills a confirmed order by the day', () => {
      expect(invoiceFor(ORDER, 'message-1')).toEqual({
        kind: 'invoice',
        number: 'R-1001-confirmed',
        customerId: 'C-7',
        currency: 'EUR',
        lines: [{ description: 'Rental, class compact', quantity: 3, unitPrice: 4_250 }],
        total: 12_750,
        sourceMessageId: 'message-1',
      });
    });

    test('credits a canceled order with the same amount', () => {
      const credit = invoiceFor({ ...ORDER, status: 'canceled' }, 'message-2');
      expect([credit.kind, credit.number, credit.total]).toEqual(['credit-note', 'R-1001-canceled', -12_750]);
    });
  });
});

const BUNDLE = path.resolve(__dirname, '../../../dist/lambda/rental-billing/index.js');

function load(environment: Record<string, string>) {
  const script = `console.log(typeof require(${JSON.stringify(BUNDLE)}).handler)`;
  const env = { PATH: process.env['PATH'], ...environment };
  return spawnSync(process.execPath, ['-e', script], { env, encoding: 'utf8' });
}

describe('The bundle of Rental-Billing', () => {
  test('exports a handler', () => {
    expect(load({ BILLING_URL: 'https://billing.example.com/invoices' }).stdout.trim()).toBe('function');
  });

  test.each([[{}], [{ BILLING_URL: '' }], [{ BILLING_URL: 'billing.example.com' }]])(
    'does not load with %j, and says what it misses',
    environment => {
      const { status, stderr } = load(environment);
      expect(status).toBe(1);
      expect(stderr).toContain('BILLING_URL must be an absolute URL');
    },
  );
});
