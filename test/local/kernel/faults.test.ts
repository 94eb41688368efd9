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

  test.each(['SNS', 'dynamodb', 'sqs.us-east-1.amazonaws.com'])(
    'cannot be set on %s, where they would never hold',
    it => {
      const faults = new Faults({ nowMs: 0 });
      const fault: { readonly service: string } = { service: it };
      expect(() => faults.set(fault as Fault)).toThrow(
        new RangeError(`a fault's service must be one of ${FAULTY_SERVICES.join(', ')}, got ${it}`),
      );
      expect(faults.check('sns', 'Publish', '*')).toBeUndefined();
    },
  );

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
