import { CloudWatchClient, DeleteAlarmsCommand } from '@aws-sdk/client-cloudwatch';
import { Duration } from 'aws-cdk-lib';
import { type Behaviour, response } from '../../../local';
import { STACK_BREAKER } from '../../support/breakers';
import { DeployedBreaker } from './breaker-fixture';

const DOWN: Behaviour = { reply: response(503) };

const DEAD = 'Relay/Queue/DeadLetterQueue';

const orders = (count: number): readonly string[] => Array.from({ length: count }, (_, index) => `order ${index}`);

describe('A breaker', () => {
  test('opens as soon as its alarm fires, and notifies until the relay runs again', async () => {
    const breaker = await DeployedBreaker.deploy({ jitterPercent: 0, retryPolicy: undefined });
    const { deployed, host } = breaker;
    host.behave(DOWN);
    for (const order of orders(50)) await breaker.publish(order);
    await deployed.advance({ minutes: 5 });
    expect(await breaker.mapping()).toBe('Disabled 2');
    expect(breaker.decisions.find(({ did }) => did === 'open')).toMatchObject({
      reason: 'too many attempts fail',
      from: 'closed',
      to: 'open',
    });
    await deployed.advance({ hours: 2 });
    expect(deployed.rings('Relay/EndpointFailingAlarm').at(-1)?.to).toBe('ALARM');
    expect(deployed.alarmed('Relay/EndpointFailingAlarm')[0]).toBeLessThanOrEqual(30 * 60);
    expect(deployed.alarmed('Relay/StalledAlarm')).toEqual([]);
    host.behave();
    await deployed.advance({ hours: 2 });
    expect(await breaker.mapping()).toBe('Enabled 5');
    expect(deployed.rings('Relay/EndpointFailingAlarm').map(({ to }) => to)).toEqual(['OK', 'ALARM', 'OK']);
    expect([breaker.queued, await deployed.take(DEAD)]).toEqual([[0, 0], []]);
  });

  test('that is open waits, and then lets one message be tried: it fails, waits as its policy says, and is tried again', async () => {
    const breaker = await DeployedBreaker.open(['order 7']);
    breaker.host.behave(DOWN);
    await breaker.deployed.advance({ minutes: 3 });
    expect(breaker.host.requests).toHaveLength(0);
    expect(await breaker.until('probe')).toMatchObject({ reason: 'the probe failed', from: 'open', to: 'open' });
    expect(breaker.host.requests).toHaveLength(1);
    expect(breaker.queued).toEqual([0, 1]);
    await breaker.deployed.advance({ minutes: 2 });
    expect(breaker.queued).toEqual([1, 0]);
    // One more receive than attempts: the test begins at midnight, when a sweep may have received the message.
    await breaker.deployed.advance({ minutes: 15 });
    expect(await breaker.mapping()).toBe('Disabled 2');
    const [message] = await breaker.deployed.receive(DEAD);
    expect(message?.MessageAttributes).toMatchObject({
      DeadLetterCause: { StringValue: 'retries-spent' },
      AttemptsSpent: { StringValue: '4' },
    });
  });

  test('tries one message in each interval and no more', async () => {
    const breaker = await DeployedBreaker.open(orders(20));
    breaker.host.behave(DOWN);
    await breaker.deployed.advance({ hours: 1 });
    const { requests } = breaker.host;
    expect(requests.length).toBeGreaterThanOrEqual(10);
    const gaps = requests.slice(1).map(({ atMs }, index) => atMs - (requests[index]?.atMs ?? 0));
    expect(Math.min(...gaps)).toBeGreaterThan(4 * 60_000);
  });

  test('starts the relay slowly after a message was delivered, and raises its concurrency step by step', async () => {
    const breaker = await DeployedBreaker.open(['order 7']);
    expect(await breaker.until('half-open')).toMatchObject({ reason: 'the endpoint answers', to: 'half-open' });
    expect([breaker.host.requests.length, breaker.queued]).toEqual([1, [0, 0]]);
    await breaker.deployed.advance({ seconds: 30 });
    expect(await breaker.mapping()).toBe('Enabled 2');
    expect(await breaker.until('widen')).toMatchObject({ reason: 'there is no message to try' });
    await breaker.deployed.advance({ seconds: 30 });
    expect(await breaker.mapping()).toBe('Enabled 4');
    await breaker.deployed.advance({ minutes: 10 });
    expect(await breaker.mapping()).toBe('Enabled 5');
    expect(breaker.host.requests).toHaveLength(1);
  });

  test('treats a refused probe as a failure of that message only: the others stay until one is delivered', async () => {
    const breaker = await DeployedBreaker.open(orders(20));
    breaker.host.behave({ reply: response(422) });
    expect(await breaker.until('probe')).toMatchObject({
      reason: 'the endpoint refused the message, which proves nothing about the others',
    });
    await breaker.deployed.advance({ minutes: 10 });
    const dead = await breaker.deployed.take(DEAD);
    expect([dead.length, breaker.host.requests.length, await breaker.mapping()]).toEqual([3, 3, 'Disabled 2']);
    breaker.host.behave();
    await breaker.deployed.advance({ minutes: 30 });
    expect([breaker.host.requests.length, breaker.queued]).toEqual([20, [0, 0]]);
  });

  test('opens if the endpoint refuses every message for ten minutes, and no message is dead-lettered (404)', async () => {
    const breaker = await DeployedBreaker.deploy({ jitterPercent: 0, retryPolicy: undefined });
    const { deployed, host } = breaker;
    host.behave({ reply: response(404), untilMs: deployed.aws.nowMs + 600_000 });
    for (let minute = 0; minute < 10; minute += 1) {
      for (const order of orders(20)) await breaker.publish(`${minute} ${order}`);
      await deployed.advance({ minutes: 1 });
    }
    expect(breaker.decisions.find(({ did }) => did === 'open')).toMatchObject({ from: 'closed', to: 'open' });
    await deployed.advance({ hours: 3 });
    expect([breaker.queued, await deployed.take(DEAD)]).toEqual([[0, 0], []]);
    const taken = breaker.host.requests.filter(({ reply }) => reply.kind === 'response' && reply.status === 200);
    expect(taken).toHaveLength(200);
  });

  test('stays closed if the endpoint refuses most messages and accepts the others', async () => {
    const breaker = await DeployedBreaker.deploy({ jitterPercent: 0, retryPolicy: undefined });
    const { deployed, host } = breaker;
    const mixture = [
      { reply: response(404), count: 2 },
      { reply: response(200), count: 1 },
    ];
    host.behave(...Array.from({ length: 400 }, () => mixture).flat());
    for (let minute = 0; minute < 10; minute += 1) {
      for (const order of orders(20)) await breaker.publish(`${minute} ${order}`);
      await deployed.advance({ minutes: 1 });
    }
    expect(new Set(breaker.decisions.map(({ to }) => to))).toEqual(new Set(['closed']));
  });

  test('starts the relay if there is no message to try', async () => {
    const breaker = await DeployedBreaker.open([]);
    expect(await breaker.until('half-open')).toMatchObject({ reason: 'there is no message to try' });
    expect(breaker.host.requests).toEqual([]);
  });

  test('stays open while all messages wait for their retries, and starts the relay once one can be tried', async () => {
    const twentyMinutes = Duration.minutes(20);
    const retryPolicy = { numRetries: 3, minDelayTarget: twentyMinutes, maxDelayTarget: twentyMinutes };
    const breaker = await DeployedBreaker.open(['order 7'], { retryPolicy });
    breaker.host.behave(DOWN);
    expect(await breaker.until('probe')).toMatchObject({ reason: 'the probe failed' });
    breaker.host.behave();
    await breaker.deployed.advance({ minutes: 15 });
    expect(await breaker.mapping()).toBe('Disabled 2');
    expect(breaker.decisions.at(-1)).toMatchObject({
      did: 'probe',
      reason: 'all messages are in flight, and none can be tried',
    });
    await breaker.deployed.advance({ minutes: 15 });
    expect(await breaker.mapping()).toMatch(/^Enabled/);
    expect([breaker.host.requests.length, breaker.queued]).toEqual([2, [0, 0]]);
  });

  test('that is half open raises no concurrency while the few messages there fail, and does once they are delivered', async () => {
    const breaker = await DeployedBreaker.open([], { retryPolicy: undefined });
    await breaker.until('half-open');
    breaker.host.behave(DOWN);
    await breaker.publish('order 7');
    await breaker.deployed.advance({ minutes: 30 });
    expect(await breaker.mapping()).toBe('Enabled 2');
    expect(breaker.deployed.rings('Relay/BreakerAlarm').map(({ to }) => to)).not.toContain('ALARM');
    breaker.host.behave();
    await breaker.deployed.advance({ hours: 2 });
    expect([await breaker.mapping(), breaker.queued]).toEqual(['Enabled 5', [0, 0]]);
  });

  test('opens again if the relay was started too early', async () => {
    const breaker = await DeployedBreaker.open([]);
    await breaker.until('half-open');
    breaker.host.behave(DOWN);
    for (const order of orders(40)) await breaker.publish(order);
    expect(await breaker.until('open')).toMatchObject({ from: 'half-open', to: 'open' });
  });

  test('never touches a relay that an operator stopped, and notifies that it is stopped', async () => {
    const breaker = await DeployedBreaker.deploy();
    await breaker.change(false, 5);
    await breaker.publish('order 7');
    await breaker.deployed.advance({ hours: 1 });
    expect([await breaker.mapping(), breaker.host.requests]).toEqual(['Disabled 5', []]);
    expect(breaker.decisions.at(-1)).toMatchObject({ did: 'leave', reason: 'the mapping was stopped by hand' });
    expect(breaker.deployed.alarmed('Relay/EndpointFailingAlarm')).toHaveLength(1);
  });
});

describe('A breaker continues even if', () => {
  test('Lambda is still applying another change', async () => {
    const breaker = await DeployedBreaker.open(['order 7']);
    const fault = breaker.deployed.aws.faults.set({
      service: 'lambda',
      action: 'UpdateEventSourceMapping',
      code: 'ResourceInUseException',
      httpStatus: 400,
    });
    expect(await breaker.until('half-open')).toMatchObject({
      to: 'open',
      left: 'Lambda is still changing the mapping; the next run tries again',
    });
    expect(await breaker.mapping()).toBe('Disabled 2');
    fault.end();
    await breaker.deployed.advance({ minutes: 7 });
    expect(await breaker.mapping()).toMatch(/^Enabled/);
    expect(breaker.host.requests).toHaveLength(1);
  });

  test.each([
    [
      'the relay’s function fails at the probe',
      ({ deployed }: DeployedBreaker) => {
        const functionName = deployed.ref('Relay/Function');
        deployed.aws.interruptions.set({ functionName, how: 'exit', afterRequests: 1 });
        return () => undefined;
      },
      "the probe was interrupted: the relay's function failed",
      2,
    ],
    [
      'Lambda throttles the probe',
      ({ deployed }: DeployedBreaker) => {
        const resource = deployed.arn('Relay/Function');
        const throttled = { code: 'TooManyRequestsException', httpStatus: 429 };
        const fault = deployed.aws.faults.set({ service: 'lambda', action: 'Invoke', resource, ...throttled });
        return () => fault.end();
      },
      "the probe was interrupted: Lambda did not invoke the relay's function: TooManyRequestsException",
      1,
    ],
    [
      'Lambda fails at the probe',
      ({ deployed }: DeployedBreaker) => {
        const resource = deployed.arn('Relay/Function');
        const fault = deployed.aws.faults.set({ service: 'lambda', action: 'Invoke', resource });
        return () => fault.end();
      },
      "the probe was interrupted: Lambda did not invoke the relay's function: ",
      1,
    ],
  ])('%s, and the message is delivered', async (_, disturb, reason, requests) => {
    const breaker = await DeployedBreaker.open(['order 7']);
    const calm = disturb(breaker);
    const broken = await breaker.until('probe');
    expect(broken).toMatchObject({ to: 'open', reason: expect.stringContaining(reason) });
    expect(await breaker.deployed.functionSum(`${STACK_BREAKER}/Function`, 'Errors')).toBe(0);
    calm();
    await breaker.deployed.advance({ minutes: 20 });
    expect(breaker.host.requests).toHaveLength(requests);
    expect([await breaker.mapping(), breaker.queued]).toEqual([expect.stringMatching(/^Enabled/), [0, 0]]);
  });

  test('it runs twice at once: each run tries one message, and the relay is started once', async () => {
    const probeInterval = Duration.minutes(8);
    const breaker = await DeployedBreaker.open(['order 7', 'order 8'], { circuitBreaker: { probeInterval } });
    // The ticks are at minutes 2, 7 and 12.
    await breaker.deployed.advance({ minutes: 8 });
    expect(breaker.host.requests).toEqual([]);
    await Promise.all([breaker.look(), breaker.look()]);
    await breaker.deployed.advance({ minutes: 1 });
    expect(breaker.decisions.filter(({ did }) => did === 'half-open')).not.toEqual([]);
    expect([breaker.host.requests.length, breaker.queued]).toEqual([2, [0, 0]]);
    expect(await breaker.mapping()).toBe('Enabled 2');
  });

  test.each([3, 4, 5])('it crashes behind request %i, after the message was received', async afterRequests => {
    const breaker = await DeployedBreaker.open(['order 7']);
    const functionName = breaker.deployed.ref(`${STACK_BREAKER}/Function`);
    // The five requests: read the mapping, read the alarm, receive the message, probe, delete.
    await breaker.deployed.advance({ minutes: 3 });
    expect(breaker.decisions.filter(({ did }) => did !== 'leave')).toEqual([]);
    breaker.deployed.aws.interruptions.set({ functionName, how: 'exit', afterRequests });
    await breaker.deployed.advance({ minutes: 20 });
    expect(await breaker.deployed.functionSum(`${STACK_BREAKER}/Function`, 'Errors')).toBe(1);
    expect([await breaker.mapping(), breaker.queued]).toEqual([expect.stringMatching(/^Enabled/), [0, 0]]);
    expect(breaker.host.requests.length).toBe(afterRequests === 4 ? 2 : 1);
  });

  test('its alarm was deleted: it says so, and notifies that it fails', async () => {
    const breaker = await DeployedBreaker.open(['order 7']);
    const AlarmName = breaker.deployed.ref('Relay/BreakerAlarm');
    const client = new CloudWatchClient(breaker.deployed.aws.clientConfig());
    await client.send(new DeleteAlarmsCommand({ AlarmNames: [AlarmName] }));
    await breaker.deployed.advance({ minutes: 25 });
    expect(breaker.breakerLog.join('\n')).toContain(`there is no alarm ${AlarmName}`);
    expect(breaker.deployed.alarmed(`${STACK_BREAKER}/BreakerErrorsAlarm`)).toHaveLength(1);
    expect(await breaker.mapping()).toBe('Disabled 2');
  });
});

test('Neither a probe nor a relay that starts slowly exceeds the ceiling', async () => {
  const breaker = await DeployedBreaker.open(orders(60), { maxReceivesPerSecond: 1 });
  await breaker.deployed.advance({ minutes: 20 });
  const { requests } = breaker.host;
  expect([requests.length, breaker.queued]).toEqual([60, [0, 0]]);
  // Each of five invocations has a fifth of a request a second: one request in five seconds.
  const withinShare = requests.map(
    ({ atMs: fromMs }) => requests.filter(({ atMs }) => atMs >= fromMs && atMs < fromMs + 5_000).length,
  );
  expect(Math.max(...withinShare)).toBeLessThanOrEqual(5);
});
