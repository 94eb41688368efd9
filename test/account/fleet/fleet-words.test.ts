import type { EndpointFacts } from '../../../account/fleet/fleet-facts';
import { endpointAdvice } from '../../../account/fleet/fleet-words';
import type { Attempt, EndpointDescription } from '../../../fleet';
import { unreadableSecret } from '../../../policy/fleet/endpoint';

const ENDPOINT: EndpointDescription = {
  tenant: 'acme',
  endpoint: 'orders',
  url: 'https://acme.example/',
  types: ['*'],
  version: 1,
  createdAtMs: 0,
  health: 'healthy',
  failures: 0,
};

const attempt = (outcome: Attempt['outcome'], reason: string, statusCode?: number): Attempt => ({
  tenant: 'acme',
  endpoint: 'orders',
  deliveryId: 'msg_1',
  eventId: 'e',
  type: 't',
  attempt: 1,
  atMs: 0,
  latencyMs: 1,
  outcome,
  reason,
  requestId: 'r',
  ...(statusCode !== undefined && { statusCode }),
});

const unreadable = attempt('failed', unreadableSecret('signing', 'Error: it was changed'));

/** Each piece of advice ends with its command. */
test.each<[string, Partial<EndpointFacts>, readonly string[]]>([
  ['works', { attempts: [attempt('delivered', 'ok', 200)] }, []],
  ['is down', { endpoint: { ...ENDPOINT, health: 'open' } }, ['enable acme/orders --fleet f']],
  ['is disabled', { endpoint: { ...ENDPOINT, health: 'disabled' } }, ['enable acme/orders --fleet f']],
  [
    'limits its rate',
    { attempts: [attempt('failed', 'slow down', 429)] },
    ['set acme/orders --max-per-second COUNT --fleet f'],
  ],
  ['has a secret that cannot be read', { attempts: [unreadable] }, ['rotate acme/orders --now --fleet f']],
  ['refuses messages', { attempts: [attempt('dead', 'no', 422)] }, ['replay acme/orders --fleet f']],
])('what an operator can do for an endpoint that %s', (_, facts, commands) => {
  const advice = endpointAdvice({ endpoint: ENDPOINT, parked: [], ...facts }, ['--fleet', 'f'], { options: {} });
  expect(advice.map(it => it.split('\n')[1])).toEqual(commands.map(it => `dlo fleet ${it}`));
});

test('the reason of a secret does not say Error', () => {
  expect(unreadable.reason).toBe('the signing secret cannot be read: it was changed');
});
