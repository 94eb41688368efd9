import { invoiceFor } from '../../../examples/rental/billing-function/invoice';
import { type RentalOrder, readOrder, UnbillableOrderError } from '../../../examples/rental/billing-function/order';

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
      'currency must be an ISO 4217 code of three capital letters, got: "eur"',
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
