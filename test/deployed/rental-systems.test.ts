import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { startFulfilment } from '../../bin/story/fulfilment-process';
import type { Clock } from '../../consumer';
import type { Deployed } from '../support/deployed';
import { deployRentalOrders, ORDER, RENTAL } from '../support/rental';

/** An instance whose timers end with it. */
class Instance implements Clock {
  private isRunning = true;

  constructor(private readonly clock: Clock) {}

  get nowMs(): number {
    return this.clock.nowMs;
  }

  after(milliseconds: number, then: () => void) {
    return this.clock.after(milliseconds, () => {
      if (this.isRunning) then();
    });
  }

  crash(): void {
    this.isRunning = false;
  }
}

describe('the rental backend with its systems', () => {
  let deployed: Deployed;

  beforeEach(async () => {
    deployed = await deployRentalOrders({ systems: true });
  });

  afterEach(() => deployed.close());

  const post = async (order: object): Promise<void> => {
    const { status } = await deployed.aws.request(
      'POST',
      deployed.aws.output('OrdersUrl'),
      JSON.stringify({ ...ORDER, ...order }),
    );
    expect(status).toBe(200);
  };

  const start = (clock?: Clock) => startFulfilment(deployed.aws, deployed.ref(RENTAL.fulfilment), clock);

  const deleted = () => deployed.happened('sqs.deleted').map(({ atMs }) => deployed.secondsAt(atMs));

  test('fulfils each order once, also one that takes longer than the visibility timeout', async () => {
    const { log, stop } = start();
    await post({ vehicleClass: 'electric' });
    await post({ vehicleClass: 'compact' });
    await post({ status: 'canceled' });
    await deployed.advance({ minutes: 10 });
    stop();
    await deployed.advance({ minutes: 1 });
    expect(log.map(({ message }) => message)).toEqual(['fulfilled', 'fulfilled', 'fulfilled']);
    expect(deleted()).toEqual([240, 260, 260]);
    expect(deployed.happened('sqs.visibility-changed')).toHaveLength(7);
  });

  test('receives an order again a minute after its instance crashed, and fulfils it', async () => {
    const instance = new Instance(deployed.aws.timeline);
    const crashed = start(instance);
    await post({ vehicleClass: 'electric' });
    await deployed.advance({ seconds: 100 });
    instance.crash();
    const { log } = start();
    await deployed.advance({ minutes: 10 });
    expect([crashed.log, log]).toMatchObject([[], [{ message: 'fulfilled' }]]);
    // The last heartbeat was at 90 s, so the order is visible at 150 s, and done 240 s later.
    expect(deleted()).toEqual([390]);
  });

  test('leaves an order that it cannot fulfil to SQS, which moves it to the dead-letter queue', async () => {
    const { log } = start();
    await post({ vehicleClass: 'hovercraft' });
    await post({});
    await deployed.advance({ minutes: 10 });
    const reason = 'no vehicle of class "hovercraft" in the fleet';
    expect(log.filter(({ level }) => level === 'ERROR').map(line => line['reason'])).toEqual([reason, reason, reason]);
    expect(log.filter(({ message }) => message === 'fulfilled')).toHaveLength(1);
    const [dead = '', ...others] = await deployed.take(RENTAL.fulfilmentDeadLetters);
    expect(others).toEqual([]);
    expect(JSON.parse(JSON.parse(dead).Message)).toMatchObject({ vehicleClass: 'hovercraft' });
  });

  test('waits while SQS fails, and fulfils the order of which it could not extend the timeout', async () => {
    const { log } = start();
    await post({ vehicleClass: 'electric' });
    await deployed.advance({ seconds: 10 });
    deployed.aws.faults.set({ service: 'sqs', forMs: 600_000 });
    await deployed.advance({ minutes: 20 });
    expect(log[0]).toMatchObject({
      message: 'not fulfilled',
      reason: expect.stringContaining('lost to this consumer'),
    });
    expect(log.filter(({ message }) => message === 'SQS failed').length).toBeGreaterThan(20);
    expect(log.at(-1)).toMatchObject({ message: 'fulfilled' });
  });

  test('bills at the stub, which takes every invoice', async () => {
    await post({});
    await deployed.advance({ minutes: 1 });
    expect(deployed.log(deployed.ref('Rental/Billing/Log')).join()).toContain('"statusCode":201');
  });
});

describe('the process of the fulfilment system, as built', () => {
  const BUNDLE = path.resolve(__dirname, '../../dist/process/rental-fulfilment/index.js');

  test.each([{}, { QUEUE_URL: 'Rental-Fulfilment' }])('does not start with %j', variables => {
    const { status, stderr } = spawnSync(process.execPath, [BUNDLE], { env: variables, encoding: 'utf8' });
    expect(status).toBe(1);
    expect(stderr).toContain('QUEUE_URL must be the URL of a queue');
  });

  test('reads a queue over HTTP, and ends when it is stopped', async () => {
    const deployed = await deployRentalOrders();
    const order = JSON.stringify({ ...ORDER, status: 'canceled' });
    await deployed.send(RENTAL.fulfilment, JSON.stringify({ Message: order }));
    const { url } = await deployed.aws.listen({ speed: 60 });
    const credentials = { AWS_ACCESS_KEY_ID: 'local', AWS_SECRET_ACCESS_KEY: 'local', AWS_REGION: 'us-east-1' };
    const queueUrl = deployed.aws.state().queues.find(({ name }) => name === 'Rental-Fulfilment')?.url;
    const env = { ...credentials, AWS_ENDPOINT_URL: url, QUEUE_URL: queueUrl };
    const child = spawn(process.execPath, [BUNDLE], { env, stdio: ['ignore', 'pipe', 'inherit'] });
    const ended = once(child, 'exit');
    const [line] = await once(child.stdout, 'data');
    child.kill('SIGTERM');
    expect([JSON.parse(String(line)).message, await ended]).toEqual(['fulfilled', [0, null]]);
  });
});
