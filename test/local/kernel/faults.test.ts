import { FAULTY_SERVICES, type Fault, Faults } from '../../../local/kernel/faults';

const QUEUE = 'arn:aws:sqs:us-east-1:123456789012:orders';

describe('Faults', () => {
  test.each([
    ['holds for the service it names', { service: 'sqs' }, 0, true],
    ['leaves other services alone', { service: 'sns' }, 0, false],
    ['may hold for one action', { service: 'sqs', action: 'SendMessage' }, 0, true],
    ['leaves other actions alone', { service: 'sqs', action: 'ReceiveMessage' }, 0, false],
    ['may hold for one resource', { service: 'sqs', resource: QUEUE }, 0, true],
    ['leaves other resources alone', { service: 'sqs', resource: `${QUEUE}-DLQ` }, 0, false],
    ['does not begin early', { service: 'sqs', fromMs: 10 }, 9, false],
    ['begins', { service: 'sqs', fromMs: 10 }, 10, true],
    ['holds to the end', { service: 'sqs', untilMs: 20 }, 19, true],
    ['ends', { service: 'sqs', untilMs: 20 }, 20, false],
  ] as const)('%s', (_, fault, nowMs, holds) => {
    const clock = { nowMs: 0 };
    const faults = new Faults(clock);
    faults.set(fault);
    clock.nowMs = nowMs;
    expect(faults.check('sqs', 'SendMessage', QUEUE) !== undefined).toBe(holds);
  });

  test.each([
    [
      { service: 'SNS', code: 5 },
      `service must be one of ${FAULTY_SERVICES.join(', ')}, got "SNS"; code must be a text, got 5`,
    ],
    [{ service: 'sqs.us-east-1.amazonaws.com' }, 'service must be one of'],
    [{}, 'service must be one of'],
    ['sqs', 'a fault must be an object, got "sqs"'],
    [
      { service: 'sqs', action: 'Sendmessage', resource: 'orders' },
      'action must be an action of sqs, for example SendMessage, got "Sendmessage"; ' +
        'resource must be the ARN of a resource, got "orders"',
    ],
    [{ service: 'sqs', httpStatus: 200 }, 'httpStatus must be a whole number from 400 to 599, got 200'],
    [{ service: 'sqs', throttle: 'yes' }, 'throttle must be true or false, got "yes"'],
    [{ service: 'sqs', latencyMs: -1 }, 'latencyMs must be a number from 0 to 8640000000000000, got -1'],
    [{ service: 'sqs', fromMs: Number.NaN }, 'fromMs must be a number from'],
    [{ service: 'sqs', untilMs: 5, forMs: 5 }, 'forMs must not be given with untilMs, got 5'],
    [{ service: 'sqs', forSeconds: 5 }, 'forSeconds is not known: there are service, action, resource'],
  ])('cannot be %j, which would never hold', (fault: unknown, message) => {
    const faults = new Faults({ nowMs: 0 }, () => ['SendMessage', 'ReceiveMessage']);
    const setting = () => faults.set(fault as Fault);
    expect(setting).toThrow(RangeError);
    expect(setting).toThrow(message);
    expect(faults.all).toEqual([]);
  });

  test('holds for a time', () => {
    const clock = { nowMs: 10 };
    const faults = new Faults(clock);
    faults.set({ service: 'sqs', forMs: 5 });
    expect(faults.all).toMatchObject([{ fromMs: 10, untilMs: 15 }]);
    clock.nowMs = 15;
    expect(faults.all).toEqual([]);
  });

  test('takes the place of an older one of the same service, action and resource', () => {
    const faults = new Faults({ nowMs: 0 });
    faults.set({ service: 'sqs', action: 'SendMessage', httpStatus: 500 });
    faults.set({ service: 'sqs', action: 'SendMessage', throttle: true });
    expect(faults.all).toHaveLength(1);
    expect(faults.check('sqs', 'SendMessage', QUEUE)).toMatchObject({ code: 'RequestThrottled' });
  });

  test('leaves one of another time, action or resource alone', () => {
    const faults = new Faults({ nowMs: 0 });
    faults.set({ service: 'sqs', untilMs: 10 });
    faults.set({ service: 'sqs', fromMs: 10, untilMs: 20 });
    faults.set({ service: 'sqs', action: 'SendMessage' });
    faults.set({ service: 'sqs', resource: QUEUE });
    expect(faults.all).toHaveLength(4);
  });

  test('can be ended while others go on', () => {
    const faults = new Faults({ nowMs: 0 });
    const slow = faults.set({ service: 'sqs', latencyMs: 5 });
    faults.set({ service: 'sns' });
    slow.end();
    expect(faults.all).toMatchObject([{ service: 'sns' }]);
  });

  test('answers with the error the scenario chose', () => {
    const faults = new Faults({ nowMs: 0 });
    faults.set({ service: 'sqs', httpStatus: 500, code: 'InternalFailure' });
    expect(faults.check('sqs', 'SendMessage', QUEUE)).toMatchObject({
      code: 'InternalFailure',
      httpStatus: 500,
      fault: 'server',
    });
    faults.clear();
    expect(faults.check('sqs', 'SendMessage', QUEUE)).toBeUndefined();
  });

  test.each([
    ['sqs', 'RequestThrottled', 403],
    ['sns', 'Throttling', 400],
    ['cloudwatch', 'Throttling', 400],
    ['lambda', 'TooManyRequestsException', 429],
    ['kms', 'ThrottlingException', 400],
    ['execute-api', 'TooManyRequestsException', 429],
  ] as const)('%s throttles with %s %i', (service, code, httpStatus) => {
    const faults = new Faults({ nowMs: 0 });
    faults.set({ service, throttle: true });
    expect(faults.check(service, 'Any', '*')).toMatchObject({ code, httpStatus });
  });

  test('a service that is only slow answers no error, and takes as long as the slowest fault says', () => {
    const clock = { nowMs: 0 };
    const faults = new Faults(clock);
    faults.set({ service: 'sqs', latencyMs: 200 });
    faults.set({ service: 'sqs', action: 'SendMessage', latencyMs: 900, untilMs: 10 });
    expect(faults.check('sqs', 'SendMessage', QUEUE)).toBeUndefined();
    expect(faults.latencyMs('sqs', 'SendMessage', QUEUE)).toBe(900);
    expect(faults.latencyMs('sqs', 'DeleteMessage', QUEUE)).toBe(200);
    expect(faults.latencyMs('sns', 'Publish', QUEUE)).toBe(0);
    clock.nowMs = 10;
    expect(faults.latencyMs('sqs', 'SendMessage', QUEUE)).toBe(200);
    expect(faults.all).toHaveLength(1);
  });

  test('may be both late and wrong', () => {
    const faults = new Faults({ nowMs: 0 });
    faults.set({ service: 'sqs', httpStatus: 500, latencyMs: 200 });
    expect(faults.check('sqs', 'SendMessage', QUEUE)).toMatchObject({ httpStatus: 500 });
    expect(faults.latencyMs('sqs', 'SendMessage', QUEUE)).toBe(200);
  });
});
