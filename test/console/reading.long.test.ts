import { connected, REAL_CLOCK } from '../../account/connection/connection';
import { AWS_PACE } from '../../console/server/console';
import { AccountModel } from '../../console/server/overview/account-model';
import type { ConsoleSource } from '../../console/server/source';
import { LocalAws } from '../../local';
import { FaultingProxy, READS } from '../support/faulting-proxy';
import { fillAccount } from '../support/wide-account';
import { awayFromAws } from './away-from-aws';

const KEYS = { accessKeyId: 'AKIAIOSFODNN7EXAMPLE', secretAccessKey: 'secret' };
const SHAPE = { queues: 40, holding: 5, functions: 5, roles: 5, topics: 5, subscriptions: 10, rules: 5, alarms: 10 };

/** Requests for each resource, to read what an account has. */
const EACH = 4;

test('A page that shows an account of AWS makes about 300 requests a minute and those for its resources each five minutes, and receives nothing', async () => {
  const aws = LocalAws.start();
  await fillAccount(aws, SHAPE);
  const { url } = await aws.listen();
  const proxy = await FaultingProxy.before(url);
  proxy.play([]);
  let machineMs = 0;
  const source: ConsoleSource = {
    ...awayFromAws,
    nowMs: async () => aws.nowMs + machineMs,
    use: work => connected({ endpointUrl: proxy.url, region: 'us-east-1' }, work, REAL_CLOCK, KEYS),
  };
  const model = new AccountModel(source, AWS_PACE, () => machineMs);
  const perMinute: number[] = [];
  for (let minute = 0; minute < 6; minute += 1) {
    const before = proxy.calls.length;
    for (let second = 0; second < 60; second += 1, machineMs += 1_000) await model.readLevels();
    perMinute.push(proxy.calls.length - before);
  }
  proxy.close();
  await aws.close();
  const resources = Object.values(SHAPE).reduce((sum, count) => sum + count, 0);
  const [first = 0, ...later] = perMinute;
  const again = later.pop() ?? 0;
  expect(Math.max(first, again)).toBeLessThanOrEqual(310 + EACH * resources);
  expect(Math.max(...later)).toBeLessThanOrEqual(310);
  expect(Math.min(first, again)).toBeGreaterThan(Math.max(...later));
  const actions = [...new Set(proxy.calls.map(({ action }) => action))];
  expect(actions.filter(action => !READS.test(action) || action === 'sqs:ReceiveMessage')).toEqual([]);
});
